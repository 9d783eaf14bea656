#![expect(clippy::disallowed_methods, reason = "tests tamper as a superuser would, outside the gate")]
use contract::audit::{Columns, Frontier, Record};
use contract::id::RecordId;
use sqlx::Executor;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};
use uuid::Uuid;

use super::command::{Ask, verify_command};
use super::scene::{ORGANISATION, SANDBOX, Scene};
use super::verify::{Verdict, Verification, verify};
use crate::crypto::seal::open_personal;
use crate::crypto::store::{CanaryError, check_canary};
use crate::gate::person::append;
use crate::gate::{Scope, person};

fn broken(found: &Verification) -> Vec<(String, u64, String)> {
    found
        .chains
        .iter()
        .filter_map(|chain| Some((chain.chain[..4].to_owned(), chain.break_at?, chain.kind.clone()?)))
        .collect()
}

fn at(chain: &str, seq: u64, kind: &str) -> (String, u64, String) {
    (chain.to_owned(), seq, kind.to_owned())
}

#[tokio::test]
async fn a_sealed_trail_verifies() {
    let (scene, receipts) = Scene::sealed().await;
    let found = scene.verify().await;
    assert_eq!((found.verdict, found.records, found.uncovered), (Verdict::Verified, 6, 0), "{found:?}");
    let ranges: Vec<(u64, u64)> = found.chains.iter().map(|chain| (chain.from, chain.to)).collect();
    assert_eq!(ranges, [(1, 6), (1, 2)]);
    assert_eq!(scene.count("select count(*) from audit_checkpoint").await, 2);
    // The receipt names the leaf that was sealed.
    for receipt in receipts {
        let leaf: Vec<u8> = sqlx::query_scalar("select leaf from audit_link where record_id = $1 and chain_id = $2")
            .bind(receipt.record_id.uuid())
            .bind(ORGANISATION.uuid())
            .fetch_one(&scene.root)
            .await
            .unwrap();
        assert_eq!(hex::encode(leaf), receipt.leaf);
    }
}

#[tokio::test]
async fn nothing_is_called_verified_without_key_and_outside_checkpoint() {
    let (scene, _) = Scene::sealed().await;
    assert_eq!(scene.verify_with(None).await.verdict, Verdict::NotVerified);
    let found = verify(&scene.sequencer_pool, None, None, ORGANISATION.uuid(), |_| {}).await.unwrap();
    assert_eq!(found.verdict, Verdict::NotVerified);
    scene.record(false).await;
    assert_eq!(scene.verify().await.uncovered, 1);
}

/// What somebody who owns the database may do to the rows, and what the verifier calls it.
#[tokio::test]
#[expect(clippy::type_complexity, reason = "a table of cases")]
async fn every_way_of_tampering_is_found_with_its_kind() {
    let organisation = format!("'{}'", ORGANISATION.uuid());
    let record =
        |seq: u64| format!("(select record_id from audit_link where chain_id = {organisation} and seq = {seq})");
    let cases: Vec<(&str, String, Vec<(String, u64, String)>)> = vec![
        (
            "bytes altered",
            format!("update audit_record set bytes = set_byte(bytes, 30, 65) where record_id = {}", record(3)),
            vec![at("org_", 3, "leaf")],
        ),
        (
            "search column altered",
            format!("update audit_record set actor_id = 'acc_other' where record_id = {}", record(2)),
            vec![at("org_", 2, "columns")],
        ),
        (
            "body deleted",
            format!("delete from audit_record where record_id = {}", record(1)),
            vec![at("org_", 1, "body_missing")],
        ),
        (
            "front cut",
            format!("delete from audit_link where chain_id = {organisation} and seq = 1"),
            vec![at("org_", 1, "sequence")],
        ),
        (
            "middle cut",
            format!("delete from audit_link where chain_id = {organisation} and seq = 3"),
            vec![at("org_", 3, "sequence")],
        ),
        (
            "two records swapped",
            [(4, 100), (5, 4), (100, 5)]
                .map(|(from, to)| format!("update audit_link set seq = {to} where chain_id = {organisation} and seq = {from}"))
                .join(";"),
            vec![at("org_", 4, "link")],
        ),
        (
            "code forged without the key",
            format!("update audit_link set mac = sha256(link) where chain_id = {organisation} and seq = 6"),
            vec![at("org_", 6, "mac")],
        ),
        (
            "epoch altered",
            format!("update audit_link set epoch = 0 where chain_id = {organisation} and seq = 4"),
            vec![at("org_", 4, "epoch")],
        ),
        (
            "tail cut and head rolled back to the first checkpoint",
            format!(
                "delete from audit_record where record_id in (select record_id from audit_link where chain_id = {organisation} and seq > 3);
                 delete from audit_link where record_id not in (select record_id from audit_link where chain_id = {organisation} and seq <= 3);
                 delete from audit_checkpoint where size > 3;
                 update audit_head set seq = 3, epoch = 1 where chain_id = {organisation}"
            ),
            vec![at("org_", 4, "truncated")],
        ),
        (
            "tail of the links cut",
            format!("delete from audit_link where chain_id = {organisation} and seq > 4"),
            vec![at("org_", 5, "truncated")],
        ),
        (
            "head rolled back",
            format!("update audit_head set seq = 3 where chain_id = {organisation}"),
            vec![at("org_", 7, "head")],
        ),
        (
            "first checkpoint removed",
            "delete from audit_checkpoint where size = 3".to_owned(),
            vec![at("org_", 4, "checkpoint_missing")],
        ),
        (
            "last checkpoint removed",
            format!("delete from audit_checkpoint where size = 6; update audit_head set epoch = 1 where chain_id = {organisation}"),
            vec![at("org_", 6, "checkpoint_missing")],
        ),
        (
            "checkpoint's note altered",
            "update audit_checkpoint set note = replace(note, 'at 2', 'at 3') where size = 3".to_owned(),
            vec![at("org_", 3, "checkpoint_missing")],
        ),
        (
            "checkpoint's root altered",
            "update audit_checkpoint set root = sha256(root) where size = 3".to_owned(),
            vec![at("org_", 3, "checkpoint")],
        ),
        (
            "record slipped in",
            format!(
                "insert into audit_record select gen_random_uuid(), org_id, sandbox_id, at, actor_kind, actor_id, action, target_kind,
                 target_id, decision, outcome, reason, bytes from audit_record where record_id = {}",
                record(1)
            ),
            vec![at("org_", 7, "unlinked")],
        ),
        (
            "sandbox's chain cut and its head rolled back",
            format!(
                "delete from audit_link where chain_id = '{0}' and seq = 2; update audit_head h set seq = 1, link = l.link
                 from audit_link l where l.chain_id = '{0}' and l.seq = 1 and h.chain_id = '{0}'",
                SANDBOX.uuid()
            ),
            vec![at("org_", 5, "home")],
        ),
        (
            "everything gone",
            "delete from audit_record; delete from audit_link; delete from audit_checkpoint; delete from audit_head".to_owned(),
            vec![at("org_", 1, "truncated")],
        ),
    ];
    let mut missed = Vec::new();
    for (what, statement, expected) in cases {
        let (scene, _) = Scene::sealed().await;
        for one in statement.split(';') {
            scene.tamper(one).await;
        }
        let found = scene.verify().await;
        let main: Vec<_> = broken(&found).into_iter().filter(|(chain, ..)| chain == "org_").collect();
        if found.verdict != Verdict::Broken || main != expected {
            missed.push((what, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[tokio::test]
async fn a_rollback_is_refused_by_the_signer_too() {
    let (scene, _) = Scene::sealed().await;
    let organisation = ORGANISATION.uuid();
    // A restored backup: the first three records, everything consistent, as it was before the second checkpoint.
    let mut tree = Frontier::default();
    let leaves: Vec<Vec<u8>> =
        sqlx::query_scalar("select leaf from audit_link where chain_id = $1 and seq <= 3 order by seq")
            .bind(organisation)
            .fetch_all(&scene.root)
            .await
            .unwrap();
    leaves.iter().for_each(|leaf| tree.push(leaf.as_slice().try_into().unwrap()));
    for one in [
        "delete from audit_checkpoint where size > 3".to_owned(),
        format!("delete from audit_link where record_id not in (select record_id from audit_link where chain_id = '{organisation}' and seq <= 3)"),
        format!(
            "update audit_head set seq = 3, epoch = 1, checkpoint_size = 3, frontier = '\\x{}',
             link = (select link from audit_link where chain_id = '{organisation}' and seq = 3) where chain_id = '{organisation}'",
            hex::encode(tree.to_bytes())
        ),
        format!("delete from audit_head where chain_id = '{}'", SANDBOX.uuid()),
        format!("delete from audit_link where chain_id = '{}'", SANDBOX.uuid()),
        "update audit_lease set expires_at = 'epoch'".to_owned(),
    ] {
        scene.tamper(&one).await;
    }
    scene.record(false).await;
    let mut sequencer = scene.sequencer();
    assert_eq!(sequencer.turn(Instant::now()).await.unwrap(), 1);
    assert_eq!(scene.count("select max(size) from audit_checkpoint").await, 3);
}

#[tokio::test]
async fn two_sequencers_at_once_do_not_fork() {
    let scene = Scene::new().await;
    let (mut one, mut two) = (scene.sequencer(), scene.sequencer());
    let mut sealed = 0;
    for round in 0..12 {
        scene.records(4).await;
        // Neither waits for the other's lease to expire: the heads alone keep them apart.
        scene.tamper("update audit_lease set expires_at = 'epoch'").await;
        if round % 3 == 0 {
            one.forget();
            two.forget();
        }
        let (first, second) = tokio::join!(one.turn(Instant::now()), two.turn(Instant::now()));
        for (outcome, sequencer) in [(first, &mut one), (second, &mut two)] {
            match outcome {
                Ok(count) => sealed += count,
                Err(_) => sequencer.forget(),
            }
        }
    }
    one.forget();
    scene.tamper("update audit_lease set expires_at = 'epoch'").await;
    sealed += one.turn(Instant::now()).await.unwrap();
    assert_eq!(sealed, 48);
    let found = scene.verify().await;
    assert_eq!((found.verdict, found.records), (Verdict::Verified, 48), "{found:?}");
}

#[tokio::test]
async fn a_late_commit_is_not_skipped() {
    let scene = Scene::new().await;
    let mut sequencer = scene.sequencer();
    let mut late = scene.begin().await;
    let receipt = append(&mut late, &scene.keys, &Scene::entry(Scope::Organisation(ORGANISATION))).await.unwrap();
    late.commit().await.unwrap();
    scene.record(false).await;
    assert_eq!(sequencer.turn(Instant::now()).await.unwrap(), 2);

    let mut late = scene.begin().await;
    let early = append(&mut late, &scene.keys, &Scene::entry(Scope::Organisation(ORGANISATION))).await.unwrap();
    scene.records(2).await;
    assert_eq!(sequencer.turn(Instant::now()).await.unwrap(), 2);
    late.commit().await.unwrap();
    assert_eq!(sequencer.turn(Instant::now()).await.unwrap(), 1);
    let last: Uuid =
        sqlx::query_scalar("select record_id from audit_link where chain_id = $1 order by seq desc limit 1")
            .bind(ORGANISATION.uuid())
            .fetch_one(&scene.root)
            .await
            .unwrap();
    assert_eq!(RecordId::from_uuid(last), early.record_id);
    assert_ne!(early.record_id, receipt.record_id);
}

#[tokio::test]
async fn a_committed_record_that_vanishes_unsealed_raises_the_alarm() {
    let scene = Scene::new().await;
    let (tell, heard) = mpsc::channel(8);
    let mut sequencer = scene.sequencer_hearing(heard);
    let receipt = scene.record(false).await;
    tell.send(receipt).await.unwrap();
    scene.tamper("delete from audit_pending").await;
    sequencer.turn(Instant::now()).await.unwrap();
    assert_eq!(sequencer.alarms(), 0);
    sequencer.turn(Instant::now() + Duration::from_secs(11)).await.unwrap();
    assert_eq!(sequencer.alarms(), 1);
    // Its body is still there, beside every chain.
    assert_eq!(broken(&scene.verify_with(None).await), [at("org_", 1, "unlinked")]);
}

#[tokio::test]
async fn a_record_altered_before_it_is_sealed_raises_the_alarm() {
    let scene = Scene::new().await;
    let (tell, heard) = mpsc::channel(8);
    let mut sequencer = scene.sequencer_hearing(heard);
    tell.send(scene.record(false).await).await.unwrap();
    scene.tamper("update audit_record set bytes = set_byte(bytes, 30, 65)").await;
    sequencer.turn(Instant::now()).await.unwrap();
    assert_eq!(sequencer.alarms(), 1);
}

#[tokio::test]
async fn personal_fields_open_until_their_key_is_destroyed() {
    let scene = Scene::new().await;
    let receipt = scene.record(true).await;
    let bytes: Vec<u8> = sqlx::query_scalar("select bytes from audit_record where record_id = $1")
        .bind(receipt.record_id.uuid())
        .fetch_one(&scene.root)
        .await
        .unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(!text.contains("Ada") && !text.contains("ada@"), "{text}");
    let record = Record::decode(&bytes).unwrap();
    assert_eq!(Columns::of(&bytes).unwrap().sandbox, Some(SANDBOX.uuid()));
    let sealed = record.sealed.iter().find(|sealed| sealed.field == "actor.name").unwrap();
    let mut tx = scene.begin().await;
    let id = Uuid::try_parse(&sealed.key).unwrap();
    let wrapped: Vec<u8> =
        sqlx::query_scalar("select wrapped from person_key where id = $1").bind(id).fetch_one(&mut *tx).await.unwrap();
    let key = person::open(&scene.keys, ORGANISATION.uuid(), id, &wrapped).unwrap();
    assert!(person::open(&scene.keys, Uuid::from_u128(1), id, &wrapped).is_err());
    let nonce = hex::decode(&sealed.nonce).unwrap().try_into().unwrap();
    let ct = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, &sealed.ct).unwrap();
    assert_eq!(open_personal(&key, record.id, "actor.name", nonce, &ct).unwrap(), br#""Ada""#);
    // Every later record of the same person is under the same key.
    scene.records(2).await;
    assert_eq!(scene.count("select count(*) from person_key").await, 1);
    assert_eq!(tx.execute("delete from person_key").await.unwrap().rows_affected(), 1);
}

#[tokio::test]
async fn a_key_made_in_an_undone_transaction_is_not_used_again() {
    let scene = Scene::new().await;
    let mut undone = scene.begin().await;
    append(&mut undone, &scene.keys, &Scene::entry(Scope::Organisation(ORGANISATION))).await.unwrap();
    append(&mut undone, &scene.keys, &Scene::entry(Scope::Organisation(ORGANISATION))).await.unwrap();
    undone.rollback().await.unwrap();
    scene.records(2).await;
    let missing = scene
        .count("select count(*) from audit_record where not exists (
                  select 1 from person_key where position(replace(id::text, '-', '') in convert_from(bytes, 'UTF8')) > 0)")
        .await;
    assert_eq!(missing, 0);
}

#[tokio::test]
async fn what_is_written_cannot_be_changed_by_any_role() {
    let (scene, _) = Scene::sealed().await;
    for pool in [&scene.app, &scene.sequencer_pool, &scene.root] {
        for statement in [
            "update audit_record set action = 'x'",
            "delete from audit_record",
            "truncate audit_record",
            "update audit_link set seq = seq + 100",
            "delete from audit_link",
            "truncate audit_link",
            "update audit_checkpoint set size = 9",
            "delete from audit_checkpoint",
            "delete from audit_head",
            "truncate audit_pending",
        ] {
            let mut tx = pool.begin().await.unwrap();
            tx.execute(sqlx::AssertSqlSafe(format!("set local app.org = '{}'", ORGANISATION.uuid()))).await.unwrap();
            let refused = tx.execute(statement).await.unwrap_err();
            let code = refused.as_database_error().unwrap().code().unwrap().into_owned();
            assert!(["BW003", "42501"].contains(&code.as_str()), "{statement}: {refused}");
        }
    }
}

#[tokio::test]
async fn a_tenant_sees_its_own_trail_only() {
    let (scene, _) = Scene::sealed().await;
    for (organisation, expected) in [(ORGANISATION.uuid(), 6), (Uuid::from_u128(1), 0)] {
        for table in ["audit_record", "audit_link", "audit_checkpoint", "audit_head", "person_key"] {
            let mut tx = scene.app.begin().await.unwrap();
            tx.execute(sqlx::AssertSqlSafe(format!("set local app.org = '{organisation}'"))).await.unwrap();
            let seen: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select count(*) from {table}")))
                .fetch_one(&mut *tx)
                .await
                .unwrap();
            assert_eq!(seen > 0, expected > 0, "{table}");
            let foreign = "insert into audit_pending (record_id, org_id, at) values (gen_random_uuid(), gen_random_uuid(), now())";
            assert!(tx.execute(foreign).await.is_err());
        }
    }
}

#[tokio::test]
async fn the_command_says_the_worst_verdict() {
    let (scene, _) = Scene::sealed().await;
    let path = scene.path();
    let run = async |keys: bool, organisation| {
        let keys = keys.then_some(&*scene.keys);
        let ask = Ask { pool: &scene.sequencer_pool, keys, data_directory: &path, organisation, json: true };
        let mut out = Vec::new();
        let verdict = verify_command(&ask, &mut out).await.unwrap();
        (verdict.exit_code(), String::from_utf8(out).unwrap())
    };
    let (code, text) = run(true, None).await;
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(r#""verdict":"verified""#) && text.lines().count() == 1);
    assert_eq!(run(false, Some(ORGANISATION)).await.0, 2);
    // A chain that only the file remembers is found although the database knows nothing of it.
    for table in ["audit_record", "audit_link", "audit_checkpoint", "audit_head", "audit_pending"] {
        scene.tamper(&format!("delete from {table}")).await;
    }
    assert_eq!(run(true, None).await.0, 1);
}

#[tokio::test]
async fn a_wrong_key_file_is_refused_at_start() {
    let scene = Scene::new().await;
    let mut conn = scene.app.acquire().await.unwrap();
    check_canary(&mut conn, &scene.keys, [1; 24]).await.unwrap();
    check_canary(&mut conn, &scene.keys, [2; 24]).await.unwrap();
    let other = crate::crypto::keyring::KeyRing::from_key(std::array::from_fn(|index| (index * 31 + 7) as u8));
    let refused = check_canary(&mut conn, &other, [3; 24]).await.unwrap_err();
    assert!(
        matches!(&refused, CanaryError::WrongKey { needed, given } if needed == scene.keys.active() && given == other.active())
    );
    scene.tamper("delete from key_canary").await;
    scene.record(false).await;
    assert!(matches!(check_canary(&mut conn, &other, [3; 24]).await, Err(CanaryError::Removed)));
}
