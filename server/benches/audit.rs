//! The trail's figures on this machine: `script/bench audit-append` and `script/bench verify`. Prints a line for each
//! bound and fails where one is missed. Ratios are medians of alternating runs, so that a slow disk or a busy machine
//! slows both sides.
#![expect(
    clippy::disallowed_methods,
    reason = "measures against the bare database, with ids and transactions of its own"
)]

use std::io::{BufReader, BufWriter, Read, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bailiwick::audit::{Trail, measure};
use bailiwick::crypto::keyring::KeyRing;
use bailiwick::gate::SystemClock;
use bailiwick::migrate;
use contract::audit::chain::ORIGIN;
use contract::audit::verify::{Link, Walk};
use contract::audit::{Actor, Columns, Hash, MacKey, Record, Ruling, Sealed, Target, leaf, link, mac};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor, PgPool};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const CLIENTS: usize = 32;
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    let name = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let outcome = match name.as_str() {
        "audit-append" => {
            tokio::runtime::Runtime::new().map_err(Into::into).and_then(|runtime| runtime.block_on(appending()))
        }
        "verify" => verifying(),
        other => Err(format!("there is no benchmark `{other}`; known are audit-append and verify").into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Prints one bound; answers whether it is kept.
fn bound(what: &str, value: f64, at_least: bool, limit: f64, unit: &str) -> bool {
    let kept = if at_least { value >= limit } else { value <= limit };
    let (word, sign) = (if kept { "ok  " } else { "MISS" }, if at_least { '≥' } else { '≤' });
    println!("{word} {what}: {value:.2}{unit} ({sign} {limit}{unit})");
    kept
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

// Appending --------------------------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// The row alone, in a table without a chain.
    Plain,
    /// Locks the chain's head, links, updates the head.
    HeadLock,
    /// The gate's append, with the sequencer at work.
    Ours,
}

/// The other two ways, over tables of the same columns.
const RIVALS: &str = "
    create table rival_plain (like audit_record including all excluding constraints);
    create table rival_linked (like audit_record including all excluding constraints, seq bigint, link bytea);
    create table rival_head (chain_id uuid primary key, seq bigint not null, link bytea not null);
    grant select, insert, update on rival_plain, rival_linked, rival_head to bailiwick_app;";

struct Bench {
    app: PgPool,
    root: PgPool,
    keys: Arc<KeyRing>,
    lags: Arc<Mutex<Vec<f64>>>,
}

async fn appending() -> Fallible<bool> {
    let lags = Arc::new(Mutex::new(Vec::new()));
    metrics::set_global_recorder(Lags(Arc::clone(&lags))).map_err(|error| error.to_string())?;
    let server: PgConnectOptions = std::env::var("BAILIWICK_TEST_DATABASE")?.parse()?;
    migrate::prepare(&server, "bench_audit").await.map_err(|failure| format!("{failure:?}"))?;
    let database = server.database("bench_audit");
    migrate::run(&database.clone().username("bailiwick_migrator")).await.map_err(|failure| format!("{failure:?}"))?;
    let pool = |options: PgConnectOptions, size| {
        PgPoolOptions::new().max_connections(size).min_connections(size).connect_with(options)
    };
    let root = pool(database.clone(), 2).await?;
    root.execute(RIVALS).await?;
    let keys = Arc::new(KeyRing::from_key(std::array::from_fn(|index| (index * 29 + 5) as u8)));
    let app = pool(database.clone().username("bailiwick_app"), CLIENTS as u32).await?;
    let bench = Arc::new(Bench { app, root, keys: Arc::clone(&keys), lags });

    let directory = std::env::temp_dir().join(format!("bailiwick-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let trail = Trail::new(pool(database.username("bailiwick_sequencer"), 3).await?, keys, directory.clone());
    let stop = CancellationToken::new();
    let (_tell, heard) = tokio::sync::mpsc::channel(1);
    let sealing = tokio::spawn({
        let (trail, stop) = (trail.clone(), stop.clone());
        async move { trail.seal(Arc::new(SystemClock), heard, stop).await }
    });
    let mut kept = hot(&bench).await?;
    kept &= many(&bench).await?;
    kept &= storage(&bench).await?;
    stop.cancel();
    sealing.await??;
    std::fs::remove_dir_all(directory)?;
    Ok(kept)
}

async fn hot(bench: &Arc<Bench>) -> Fallible<bool> {
    let chains = Arc::new(vec![Uuid::from_u128(0xa0)]);
    let (mut plain, mut locked, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    rate(bench, Way::Ours, &chains, Duration::from_secs(1)).await?;
    if let Ok(mut lags) = bench.lags.lock() {
        lags.clear();
    }
    for _ in 0..ROUNDS {
        plain.push(rate(bench, Way::Plain, &chains, Duration::from_secs(5)).await?);
        ours.push(rate(bench, Way::Ours, &chains, Duration::from_secs(5)).await?);
        drain(bench).await?;
        locked.push(rate(bench, Way::HeadLock, &chains, Duration::from_secs(3)).await?);
    }
    let mut lags = bench.lags.lock().map(|lags| lags.clone()).unwrap_or_default();
    lags.sort_by(f64::total_cmp);
    let p99 = lags.get(lags.len() * 99 / 100).copied().unwrap_or(f64::INFINITY);
    let (plain, locked, ours) = (median(plain), median(locked), median(ours));
    println!("one chain, {CLIENTS} clients: plain {plain:.0}/s, head lock {locked:.0}/s, ours {ours:.0}/s");
    Ok(bound("one hot chain against the head lock", ours / locked, true, 4.0, "×")
        & bound("one hot chain against plain INSERT", ours / plain, true, 0.7, "×")
        & bound("seal lag p99", p99 * 1000.0, false, 100.0, " ms"))
}

async fn many(bench: &Arc<Bench>) -> Fallible<bool> {
    let chains = Arc::new((0..2_000u128).map(|index| Uuid::from_u128(0xb000_0000 + index * 7)).collect::<Vec<_>>());
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    // Everybody's key is made once, as it is in an installation that has run for a day.
    rate(bench, Way::Ours, &chains, Duration::from_secs(8)).await?;
    drain(bench).await?;
    for _ in 0..ROUNDS {
        plain.push(rate(bench, Way::Plain, &chains, Duration::from_secs(5)).await?);
        ours.push(rate(bench, Way::Ours, &chains, Duration::from_secs(5)).await?);
        drain(bench).await?;
    }
    let (plain, ours) = (median(plain), median(ours));
    println!("2,000 chains, {CLIENTS} clients: plain {plain:.0}/s, ours {ours:.0}/s");
    Ok(bound("2,000 chains against plain INSERT", ours / plain, true, 0.9, "×"))
}

/// What a record costs beside its bytes, indexes included.
async fn storage(bench: &Arc<Bench>) -> Fallible<bool> {
    bench.root.execute("vacuum full audit_pending").await?;
    let (records, beside): (i64, i64) = sqlx::query_as(
        "select (select count(*) from audit_record),
                (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'audit_record'::regclass)::bigint
                + pg_total_relation_size('audit_link') - (select sum(octet_length(bytes)) from audit_record)::bigint",
    )
    .fetch_one(&bench.root)
    .await?;
    Ok(bound(
        "storage beside the body of an organisation's record",
        beside as f64 / records.max(1) as f64,
        false,
        500.0,
        " bytes",
    ))
}

/// Waits until everything is sealed, so that one way's work does not weigh on the next.
async fn drain(bench: &Bench) -> Fallible<()> {
    loop {
        let waiting: i64 = sqlx::query_scalar("select count(*) from audit_pending").fetch_one(&bench.root).await?;
        if waiting == 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn rate(bench: &Arc<Bench>, way: Way, chains: &Arc<Vec<Uuid>>, time: Duration) -> Fallible<f64> {
    let done = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (bench, chains, done) = (Arc::clone(bench), Arc::clone(chains), Arc::clone(&done));
            tokio::spawn(async move {
                let mut turn = client * 61;
                while begun.elapsed() < time {
                    let chain = chains[turn % chains.len()];
                    turn += 1;
                    if append(&bench, way, chain).await? {
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Fallible::Ok(())
            })
        })
        .collect();
    for client in clients {
        client.await??;
    }
    Ok(done.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64())
}

/// One record in its own transaction. Answers whether it was committed; a serialisation failure is tried again by the caller.
async fn append(bench: &Bench, way: Way, chain: Uuid) -> Fallible<bool> {
    let isolation = if way == Way::HeadLock { "read committed" } else { "serializable" };
    let begin = format!("begin isolation level {isolation}; set local app.org = '{chain}'");
    let mut tx = bench.app.begin_with(AssertSqlSafe(begin)).await?;
    let written = match way {
        Way::Ours => measure::append(&mut tx, &bench.keys, chain, None, chain).await.map_err(|error| error.to_string()),
        Way::Plain => plain(&mut tx, "rival_plain", chain).await.map_err(|error| error.to_string()),
        Way::HeadLock => locked(&mut tx, chain).await.map_err(|error| error.to_string()),
    };
    match written {
        Ok(()) => Ok(tx.commit().await.is_ok()),
        Err(error) if error.contains("could not serialize") => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn plain(conn: &mut sqlx::PgConnection, table: &'static str, chain: Uuid) -> sqlx::Result<()> {
    let statement = match table {
        "rival_plain" => {
            "insert into rival_plain (record_id, org_id, at, actor_kind, actor_id, action, target_kind, target_id, decision, outcome, bytes)
             values ($1, $2, now(), 'person', $3, 'member.grant', 'member', $4, 'allow', 'done', $5)"
        }
        _ => {
            "insert into rival_linked (record_id, org_id, at, actor_kind, actor_id, action, target_kind, target_id, decision, outcome, bytes)
             values ($1, $2, now(), 'person', $3, 'member.grant', 'member', $4, 'allow', 'done', $5)"
        }
    };
    // The same encoding as ours, so that the ratio is about the transaction and not about JSON.
    let bytes = sample(Uuid::now_v7(), chain, None).encode().unwrap_or_default();
    sqlx::query(statement)
        .bind(Uuid::now_v7())
        .bind(chain)
        .bind(format!("acc_{}", chain.simple()))
        .bind(format!("mbr_{}", chain.simple()))
        .bind(bytes)
        .execute(conn)
        .await?;
    Ok(())
}

async fn locked(conn: &mut sqlx::PgConnection, chain: Uuid) -> sqlx::Result<()> {
    let head: Option<(i64, Vec<u8>)> =
        sqlx::query_as("select seq, link from rival_head where chain_id = $1 for update")
            .bind(chain)
            .fetch_optional(&mut *conn)
            .await?;
    let (seq, previous) = head.unwrap_or((0, ORIGIN.to_vec()));
    let bytes = sample(Uuid::now_v7(), chain, None).encode().unwrap_or_default();
    let next = link(chain, seq as u64 + 1, &previous.try_into().unwrap_or(ORIGIN), &leaf(&bytes));
    sqlx::query(
        "insert into rival_linked (record_id, org_id, at, actor_kind, actor_id, action, target_kind, target_id, decision, outcome, bytes, seq, link)
         values ($1, $2, now(), 'person', $3, 'member.grant', 'member', $4, 'allow', 'done', $5, $6, $7)",
    )
    .bind(Uuid::now_v7())
    .bind(chain)
    .bind(format!("acc_{}", chain.simple()))
    .bind(format!("mbr_{}", chain.simple()))
    .bind(bytes)
    .bind(seq + 1)
    .bind(next.as_slice())
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "insert into rival_head values ($1, $2, $3)
         on conflict (chain_id) do update set seq = excluded.seq, link = excluded.link",
    )
    .bind(chain)
    .bind(seq + 1)
    .bind(next.as_slice())
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps every seal lag that the sequencer reports, and nothing else.
struct Lags(Arc<Mutex<Vec<f64>>>);

struct Lag(Arc<Mutex<Vec<f64>>>);

impl metrics::HistogramFn for Lag {
    fn record(&self, value: f64) {
        if let Ok(mut lags) = self.0.lock() {
            lags.push(value);
        }
    }
}

impl metrics::Recorder for Lags {
    fn describe_counter(&self, _: metrics::KeyName, _: Option<metrics::Unit>, _: metrics::SharedString) {}
    fn describe_gauge(&self, _: metrics::KeyName, _: Option<metrics::Unit>, _: metrics::SharedString) {}
    fn describe_histogram(&self, _: metrics::KeyName, _: Option<metrics::Unit>, _: metrics::SharedString) {}
    fn register_counter(&self, _: &metrics::Key, _: &metrics::Metadata<'_>) -> metrics::Counter {
        metrics::Counter::noop()
    }
    fn register_gauge(&self, _: &metrics::Key, _: &metrics::Metadata<'_>) -> metrics::Gauge {
        metrics::Gauge::noop()
    }
    fn register_histogram(&self, key: &metrics::Key, _: &metrics::Metadata<'_>) -> metrics::Histogram {
        if key.name() == "bailiwick_audit_seal_lag_seconds" {
            metrics::Histogram::from_arc(Arc::new(Lag(Arc::clone(&self.0))))
        } else {
            metrics::Histogram::noop()
        }
    }
}

// Verifying --------------------------------------------------------------------------------------------------------

const RECORDS: u64 = 1_000_000;

fn sample(id: Uuid, organisation: Uuid, sandbox: Option<Uuid>) -> Record {
    let sealed = |field: &str, length: usize| Sealed {
        field: field.to_owned(),
        key: organisation.simple().to_string(),
        nonce: "0a".repeat(12),
        ct: "A".repeat(length),
    };
    Record {
        id,
        at: chrono::DateTime::from_timestamp_micros(1_790_000_000_000_000 + (id.as_u128() % 1_000_000) as i64)
            .unwrap_or_default(),
        organisation,
        sandbox,
        actor: Actor { kind: "person".into(), id: Some(format!("acc_{}", organisation.simple())), behalf: None },
        action: "member.grant".into(),
        target: Target { kind: "member".into(), id: format!("mbr_{}", id.simple()) },
        ruling: Ruling::Done,
        reason: None,
        confirmation: None,
        request: Some("0192a000-0000-7000-8000-000000000000".into()),
        parameters: [("role".to_owned(), "writer".into())].into_iter().collect(),
        sealed: vec![sealed("actor.email", 44), sealed("actor.name", 40), sealed("actor.networkAddress", 40)],
    }
}

/// Verifies a file of records on one core, everything recomputed: leaf, link, code, tree and every search column.
fn verifying() -> Fallible<bool> {
    let path = std::env::temp_dir().join(format!("bailiwick-bench-{}.trail", std::process::id()));
    let (organisation, key) = (Uuid::from_u128(0xa0), MacKey::first([7; 32]));
    write_trail(&path, organisation, &key)?;
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let begun = core_seconds()?;
        let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(&path)?);
        let mut walk = Walk::new(organisation, Some(key.clone()), true);
        let (mut head, mut body, mut search) = ([0u8; 112], Vec::new(), Vec::new());
        for _ in 0..RECORDS {
            reader.read_exact(&mut head)?;
            let number = |from: usize| u64::from_le_bytes(head[from..from + 8].try_into().unwrap_or_default());
            body.resize(number(96) as usize, 0);
            reader.read_exact(&mut body)?;
            search.resize(number(104) as usize, 0);
            reader.read_exact(&mut search)?;
            let next =
                Link { seq: walk.seq() + 1, epoch: 0, leaf: &head[..32], link: &head[32..64], mac: &head[64..96] };
            walk.step(&next, Some(&body)).map_err(|kind| kind.as_str())?;
            if !search_fits(&Columns::of(&body)?, &search) {
                return Err("a search column differs".into());
            }
        }
        let root = walk.tree().map(contract::audit::Frontier::root).unwrap_or_default();
        assert_ne!(root, ORIGIN, "the tree has a root");
        rates.push(RECORDS as f64 / (core_seconds()? - begun));
    }
    std::fs::remove_file(&path)?;
    Ok(bound("offline verify on one core", median(rates) / 1e6, true, 0.5, " M records/s")
        & bound("peak memory", peak_megabytes()?, false, 64.0, " MB"))
}

fn write_trail(path: &std::path::Path, organisation: Uuid, key: &MacKey) -> Fallible<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let mut previous: Hash = ORIGIN;
    for seq in 1..=RECORDS {
        let id = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + u128::from(seq));
        let bytes = sample(id, organisation, None).encode()?;
        let leaf = leaf(&bytes);
        previous = link(organisation, seq, &previous, &leaf);
        let search = search_of(&Columns::of(&bytes)?);
        file.write_all(&leaf)?;
        file.write_all(&previous)?;
        file.write_all(&mac(key, &previous))?;
        file.write_all(&(bytes.len() as u64).to_le_bytes())?;
        file.write_all(&(search.len() as u64).to_le_bytes())?;
        file.write_all(&bytes)?;
        file.write_all(&search)?;
    }
    file.flush()?;
    Ok(())
}

fn parts<'a>(columns: &'a Columns<'_>) -> [&'a [u8]; 8] {
    [
        columns.actor_kind.as_bytes(),
        columns.actor_id.as_deref().unwrap_or_default().as_bytes(),
        columns.action.as_bytes(),
        columns.target_kind.as_bytes(),
        columns.target_id.as_bytes(),
        columns.decision.as_bytes(),
        columns.outcome.as_bytes(),
        columns.reason.as_deref().unwrap_or_default().as_bytes(),
    ]
}

fn search_of(columns: &Columns<'_>) -> Vec<u8> {
    let mut bytes =
        [columns.id.as_bytes().as_slice(), columns.organisation.as_bytes(), &columns.at_micros.to_le_bytes()].concat();
    for part in parts(columns) {
        bytes.extend(part);
        bytes.push(0);
    }
    bytes
}

fn search_fits(columns: &Columns<'_>, search: &[u8]) -> bool {
    let fixed = search.len() > 40
        && search[..16] == *columns.id.as_bytes()
        && search[16..32] == *columns.organisation.as_bytes()
        && search[32..40] == columns.at_micros.to_le_bytes();
    fixed && search[40..].split(|byte| *byte == 0).zip(parts(columns)).all(|(stored, derived)| stored == derived)
}

/// Seconds that this thread spent on a core, reading its input included: what others do meanwhile does not count.
fn core_seconds() -> Fallible<f64> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(status.split(' ').next().ok_or("no schedstat")?.parse::<f64>()? / 1e9)
}

fn peak_megabytes() -> Fallible<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
