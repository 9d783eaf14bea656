//! The API's figures on this machine: `script/bench api`. The real program with TLS answers the first page of a roster of
//! 10,000 to 32 clients, against pgbench sending PostgreSQL the same statements. Prints a line for each bound and fails
//! where one is missed. Rates are medians of alternating runs, so that a busy machine slows both sides.
#![expect(clippy::disallowed_methods, reason = "makes rows by hand and measures from outside the gate")]

mod client;
mod program;
mod rival;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;

use bailiwick::gate::session_store::{COOKIE, PgSessionStore};
use bailiwick::migrate;
use contract::id::{AccountId, OrganisationId, SandboxId, SignInId};
use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor, PgPool};
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use uuid::Uuid;

use client::Target;
use program::Program;
use rival::Rival;

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const CLIENTS: u32 = 32;
const ROUNDS: usize = 5;
const MEMBERS: u32 = 10_000;
const RUN: Duration = Duration::from_secs(6);
const DATABASE: &str = "bench_api";

const ACCOUNT: Uuid = Uuid::from_u128(0xa1);
const ORGANISATION: Uuid = Uuid::from_u128(0xb1);
const SANDBOX: Uuid = Uuid::from_u128(0xc1);
const SIGN_IN: Uuid = Uuid::from_u128(0xd1);

fn main() -> ExitCode {
    let outcome = tokio::runtime::Runtime::new().map_err(Into::into).and_then(|runtime| runtime.block_on(measure()));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

async fn measure() -> Fallible<bool> {
    let server = std::env::var("BAILIWICK_TEST_DATABASE")?;
    let options: PgConnectOptions = server.parse()?;
    migrate::prepare(&options, DATABASE).await.map_err(|failure| format!("{failure:?}"))?;
    let database = options.database(DATABASE);
    migrate::run(&database.clone().username("bailiwick_migrator")).await.map_err(|failure| format!("{failure:?}"))?;
    let root = PgPoolOptions::new().max_connections(1).connect_with(database).await?;
    let cookie = seed(&root).await?;
    let session: Vec<u8> = sqlx::query_scalar("select id_hash from session").fetch_one(&root).await?;
    root.close().await;

    let folder = tempfile::tempdir()?;
    let program = Program::start(folder.path(), &server.parse()?).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let idle = program.resident()?;
    let target = Target { address: program.address, tls: program.trust()?, request: request(&program, &cookie) };
    let rival = Rival::new(folder.path(), &server.parse()?, &session)?;

    let page = target.check()?;
    let length = page.len();
    // Connections are open and statements prepared before anything counts.
    target.load(Duration::from_secs(2), None, length)?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(rival.rate()?);
        ours.push(target.load(RUN, None, length)?.rate);
    }
    println!("the page is {length} bytes; {CLIENTS} clients, {ROUNDS} alternating runs of {} s", RUN.as_secs());
    println!("server {} requests/s, pgbench {} transactions/s", listed(&ours), listed(&bare));
    let (ours, bare) = (median(ours), median(bare));
    let half = ours / 2.0;
    let mut tails = Vec::new();
    for _ in 0..3 {
        let run = target.load(RUN, Some(half), length)?;
        println!("at {:.0} requests/s: p50 {:.1} ms, p99 {:.1} ms", run.rate, run.quantile(50), run.quantile(99));
        tails.push(run.quantile(99));
    }
    println!("memory after all this: {:.1} MB", program.resident()?);
    let kept = [
        bound("first-page-rate-ratio", ours / bare, true, 0.4, "x"),
        bound("first-page-p99-at-half-load", median(tails), false, 25.0, "ms"),
        bound("idle-memory", idle, false, 60.0, "MB"),
    ];
    Ok(!kept.contains(&false))
}

/// Prints one bound; answers whether it is kept.
fn bound(name: &str, value: f64, at_least: bool, limit: f64, unit: &str) -> bool {
    let kept = if at_least { value >= limit } else { value <= limit };
    let (word, sign) = (if kept { "ok" } else { "FAILED" }, if at_least { ">=" } else { "<=" });
    println!("{name} {value:.2}{unit} {sign}{limit}{unit} {word}");
    kept
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn listed(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.0}")).collect::<Vec<_>>().join(" ")
}

/// An organisation whose one sandbox has all members, and its owner's session. Answers the cookie.
async fn seed(root: &PgPool) -> Fallible<String> {
    let rows = format!(
        "insert into account (id, email, email_typed, name, created_at)
           values ('{ACCOUNT}', 'owner@example.org', 'owner@example.org', 'Owner', now());
         insert into account (id, email, email_typed, name, created_at)
           select md5('account' || n)::uuid, 'm' || n || '@example.org', 'm' || n || '@example.org', 'Member ' || n, now()
           from generate_series(1, {MEMBERS}) n;
         insert into organisation (org_id, name, created_at) values ('{ORGANISATION}', 'Acme', now());
         insert into organisation_member (org_id, id, account_id, role, created_at)
           select '{ORGANISATION}', md5('colleague' || id)::uuid, id,
                  case when id = '{ACCOUNT}' then 'owner' else 'member' end, now() from account;
         insert into sandbox (org_id, id, name, owner_account_id, created_at)
           values ('{ORGANISATION}', '{SANDBOX}', 'Research', '{ACCOUNT}', now());
         insert into sandbox_member (org_id, sandbox_id, id, account_id, role, created_at)
           select '{ORGANISATION}', '{SANDBOX}', md5('member' || n)::uuid, md5('account' || n)::uuid, 'writer',
                  now() - interval '1 second' * n
           from generate_series(1, {MEMBERS}) n;
         insert into sign_in (id, account_id, method, created_at, seen_at, idle_expires_at, expires_at)
           values ('{SIGN_IN}', '{ACCOUNT}', 'passkey', now(), now(), now() + interval '12 hours', now() + interval '7 days')"
    );
    root.execute(AssertSqlSafe(rows)).await?;
    let mut record = Record {
        id: Id::default(),
        data: HashMap::from_iter([
            ("signIn".to_owned(), json!(SignInId::from_uuid(SIGN_IN))),
            ("account".to_owned(), json!(AccountId::from_uuid(ACCOUNT))),
        ]),
        expiry_date: time::OffsetDateTime::now_utc() + time::Duration::days(7),
    };
    PgSessionStore::new(root.clone()).create(&mut record).await?;
    root.execute("vacuum analyze").await?;
    Ok(format!("{COOKIE}={}", record.id))
}

/// The request that every client sends.
fn request(program: &Program, cookie: &str) -> String {
    let (organisation, sandbox) = (OrganisationId::from_uuid(ORGANISATION), SandboxId::from_uuid(SANDBOX));
    format!(
        "GET /api/v1/organisations/{organisation}/sandboxes/{sandbox}/members HTTP/1.1\r\n\
         host: localhost:{}\r\ncookie: {cookie}\r\n\r\n",
        program.address.port()
    )
}
