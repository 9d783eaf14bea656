//! Through HTTP: who reads which records, paging, filters, one record in full, verifying and following.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use contract::access::OrganisationRole;
use contract::id::{OrganisationId, SandboxId};
use futures_util::StreamExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::testing::{Persona, World};

struct Stage {
    world: World,
    owner: Persona,
    member: Persona,
    auditor: Persona,
    manager: Persona,
    organisation: OrganisationId,
    sandbox: SandboxId,
    _sealing: Option<DropGuard>,
}

impl Stage {
    /// An organisation with a member, an auditor, and somebody who manages its sandbox and is a mere member otherwise.
    async fn new() -> Self {
        let world = World::new().await;
        let owner = world.founder().await;
        let organisation = world.organisation(&owner, "Acme").await;
        let (member, auditor) = (world.person("m@example.org").await, world.person("a@example.org").await);
        let manager = world.person("g@example.org").await;
        world.belongs(organisation, member.account, OrganisationRole::Member).await;
        world.belongs(organisation, auditor.account, OrganisationRole::Auditor).await;
        world.belongs(organisation, manager.account, OrganisationRole::Member).await;
        let sandbox = world.sandbox(organisation, &owner, "S").await;
        world.granted(organisation, sandbox, manager.account, "maintainer").await;
        Self { world, owner, member, auditor, manager, organisation, sandbox, _sealing: None }
    }

    /// The same, with the sequencer at work.
    async fn sealing() -> Self {
        let mut stage = Self::new().await;
        let stop = CancellationToken::new();
        let (trail, clock, ended) = (stage.world.app.trail.clone(), Arc::clone(&stage.world.clock), stop.clone());
        #[expect(clippy::disallowed_methods, reason = "the sequencer of this test")]
        tokio::spawn(async move { trail.seal(clock, tokio::sync::mpsc::channel(1).1, ended).await });
        stage._sealing = Some(stop.drop_guard());
        stage
    }

    fn path(&self, rest: &str) -> String {
        format!("/organisations/{}/audit{rest}", self.organisation)
    }

    async fn area(&self, by: &Persona, name: &str) -> Value {
        let path = format!("/organisations/{}/sandboxes/{}/areas", self.organisation, self.sandbox);
        let reply = by.post(&path, json!({ "name": name })).await;
        assert_eq!(reply.status, StatusCode::CREATED, "{reply:?}");
        serde_json::from_slice(reply.headers["audit-receipt"].as_bytes()).unwrap()
    }

    async fn items(&self, by: &Persona, query: &str) -> Vec<Value> {
        let reply = by.get(&self.path(query)).await;
        assert_eq!(reply.status, StatusCode::OK, "{query} {reply:?}");
        reply.json["items"].as_array().unwrap().clone()
    }

    async fn until_sealed(&self) {
        for _ in 0..500 {
            let waiting: i64 = sqlx::query_scalar(
                "select (select count(*) from audit_pending)
                      + (select count(*) from audit_head where chain_id = org_id and seq > checkpoint_size)",
            )
            .fetch_one(&self.world.admin)
            .await
            .unwrap();
            if waiting == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("nothing was sealed");
    }
}

fn actions(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["action"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn everybody_reads_their_own_and_overseers_read_all() {
    let stage = Stage::new().await;
    stage.area(&stage.owner, "one").await;
    stage.area(&stage.manager, "two").await;
    let denied = stage.member.patch(&format!("/organisations/{}", stage.organisation), json!({ "name": "Mine" })).await;
    assert_eq!(denied.status, StatusCode::FORBIDDEN, "{denied:?}");
    for overseer in [&stage.owner, &stage.auditor] {
        let items = stage.items(overseer, "?action=area.*").await;
        assert_eq!(actions(&items), ["area.create", "area.create"]);
        assert_eq!(items[0]["actor"]["name"], "g", "{items:?}");
        assert_eq!(stage.items(overseer, "?outcome=denied").await[0]["reason"], "insufficient_access");
    }
    let own = stage.items(&stage.member, "").await;
    assert!(!own.is_empty() && own.iter().all(|item| item["actor"]["id"] == stage.member.account.to_string()));
    let other = format!("?actor={}", stage.owner.account);
    assert_eq!(stage.member.get(&stage.path(&other)).await.code(), "insufficient_access");
    // Managing a sandbox opens its records and no others.
    let sandbox = format!("?sandbox={}", stage.sandbox);
    assert_eq!(actions(&stage.items(&stage.manager, &sandbox).await), ["area.create", "area.create"]);
    assert!(
        stage
            .items(&stage.manager, "")
            .await
            .iter()
            .all(|item| item["actor"]["id"] == stage.manager.account.to_string())
    );
    assert_eq!(stage.member.get(&stage.path(&sandbox)).await.status, StatusCode::NOT_FOUND);
    let outsider = stage.world.person("o@example.org").await;
    assert_eq!(outsider.get(&stage.path("")).await.status, StatusCode::NOT_FOUND);
    assert_eq!(stage.world.stranger().get(&stage.path("")).await.status, StatusCode::UNAUTHORIZED);
    for closed in [&stage.member, &stage.manager] {
        assert_eq!(closed.get(&stage.path("/checkpoint")).await.status, StatusCode::FORBIDDEN);
        assert_eq!(closed.post(&stage.path("/verify"), json!({})).await.status, StatusCode::FORBIDDEN);
    }
}

#[tokio::test]
async fn pages_hold_every_record_once_and_filters_narrow() {
    let stage = Stage::new().await;
    for index in 0..7 {
        stage.area(&stage.owner, &format!("area {index}")).await;
    }
    let all = stage.items(&stage.owner, "").await;
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let reply = stage.owner.get(&stage.path(&format!("?limit=2{cursor}"))).await;
        let items = reply.json["items"].as_array().unwrap();
        assert!(!items.is_empty(), "a cursor never leads to an empty page");
        seen.extend(items.iter().cloned());
        match reply.json["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let first = &all[all.len() - 1];
    let at = all[2]["at"].as_str().unwrap();
    for (query, expected) in [
        ("?action=area.create".to_owned(), 7),
        ("?action=area.delete".to_owned(), 0),
        ("?action=area.*&limit=3".to_owned(), 3),
        (format!("?target={}", all[0]["target"]["id"].as_str().unwrap()), 1),
        ("?target=area".to_owned(), 7),
        ("?decision=deny".to_owned(), 0),
        ("?decision=allow&outcome=done&action=area.*".to_owned(), 7),
        (format!("?from={at}"), 3),
        (format!("?to={at}"), all.len() - 3),
        ("?search=AREA.cre".to_owned(), 7),
        ("?actor=self".to_owned(), all.len()),
        (format!("?search={}", first["target"]["id"].as_str().unwrap()), 1),
    ] {
        assert_eq!(stage.items(&stage.owner, &query).await.len(), expected, "{query}");
    }
    for (query, field) in [
        ("?outcome=maybe", "?outcome"),
        ("?decision=x", "?decision"),
        ("?action=mem*", "?action"),
        ("?limit=0", "?limit"),
        ("?cursor=AAAA", "?cursor"),
    ] {
        let reply = stage.owner.get(&stage.path(query)).await;
        assert_eq!(reply.json["fields"][0]["pointer"], field, "{query} {reply:?}");
    }
    assert_eq!(stage.owner.get(&stage.path("?colour=red")).await.code(), "unknown_field");
}

#[tokio::test]
async fn one_record_in_full_proves_itself() {
    let stage = Stage::sealing().await;
    let receipt = stage.area(&stage.manager, "secret plans").await;
    let id = receipt["recordId"].as_str().unwrap();
    assert_eq!(stage.world.records("area.create", "done").await, 1);
    stage.until_sealed().await;
    let reply = stage.owner.get(&stage.path(&format!("/{id}"))).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let full = &reply.json;
    let bytes =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, full["bytes"].as_str().unwrap()).unwrap();
    assert_eq!(full["leaf"], receipt["leaf"]);
    assert_eq!(full["leaf"], hex::encode(Sha256::new().chain_update([0]).chain_update(&bytes).finalize()));
    assert_eq!(full["body"]["personal"]["actor.email"], "g@example.org");
    assert!(!String::from_utf8(bytes).unwrap().contains("g@example.org"));
    let chains: Vec<&str> =
        full["links"].as_array().unwrap().iter().map(|link| link["chain"].as_str().unwrap()).collect();
    assert_eq!(chains, [stage.sandbox.to_string(), stage.organisation.to_string()]);
    assert_eq!((&full["record"]["sealed"], full["record"]["seq"].is_i64()), (&json!(true), true));
    // Its author and whoever manages the sandbox see it; others cannot tell that it exists.
    assert_eq!(stage.manager.get(&stage.path(&format!("/{id}"))).await.status, StatusCode::OK);
    assert_eq!(stage.member.get(&stage.path(&format!("/{id}"))).await.status, StatusCode::NOT_FOUND);
    let other = stage.area(&stage.owner, "more").await;
    let path = stage.path(&format!("/{}", other["recordId"].as_str().unwrap()));
    assert_eq!(stage.manager.get(&path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(stage.manager.get(&format!("{path}?sandbox={}", stage.sandbox)).await.status, StatusCode::OK);
    assert_eq!(
        stage.owner.get(&stage.path("/rec_00000000000000000000000000000000")).await.status,
        StatusCode::NOT_FOUND
    );
    // An erased person's fields stay named, without a value.
    sqlx::query("delete from person_key where subject = $1")
        .bind(stage.manager.account.uuid().as_bytes().as_slice())
        .execute(&stage.world.admin)
        .await
        .unwrap();
    let erased = stage.owner.get(&stage.path(&format!("/{id}"))).await.json;
    assert_eq!((&erased["body"]["personal"]["actor.email"], &erased["leaf"]), (&Value::Null, &receipt["leaf"]));
    assert!(erased["body"]["personal"].as_object().unwrap().contains_key("actor.email"));
}

#[tokio::test]
async fn an_overseer_has_the_trail_verified() {
    let stage = Stage::sealing().await;
    for index in 0..5 {
        stage.area(&stage.owner, &format!("area {index}")).await;
    }
    stage.until_sealed().await;
    let checkpoint = stage.auditor.get(&stage.path("/checkpoint")).await;
    assert_eq!(checkpoint.status, StatusCode::OK, "{checkpoint:?}");
    assert!(checkpoint.json["note"].as_str().unwrap().starts_with("bailiwick/audit/"));
    // Entering the organisation is on record too.
    stage.until_sealed().await;
    let response = stage.auditor.open(Method::POST, &stage.path("/verify"), &[], None).await;
    assert_eq!(response.status(), StatusCode::OK);
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8(body.to_vec()).unwrap();
    let result = text.split("event: result\ndata: ").nth(1).unwrap().lines().next().unwrap();
    let result: Value = serde_json::from_str(result).unwrap();
    assert_eq!((&result["verdict"], &result["uncovered"]), (&json!("verified"), &json!(0)), "{text}");
    let told = text.rfind("event: progress").unwrap();
    assert!(told < text.find("event: result").unwrap(), "{text}");
}

#[tokio::test]
async fn a_follower_sees_records_as_they_are_sealed_until_access_ends() {
    let stage = Stage::sealing().await;
    stage.area(&stage.owner, "before").await;
    stage.until_sealed().await;
    let response = stage.auditor.open(Method::GET, &stage.path("/tail"), &[], None).await;
    assert_eq!(response.status(), StatusCode::OK);
    let mut events = response.into_body().into_data_stream();
    let receipt = stage.area(&stage.manager, "after").await;
    let mut text = String::new();
    while !text.contains(receipt["recordId"].as_str().unwrap()) {
        let chunk = tokio::time::timeout(Duration::from_secs(10), events.next()).await.unwrap().unwrap().unwrap();
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!(text.contains("event: record"), "{text}");
    sqlx::query("delete from organisation_member where account_id = $1")
        .bind(stage.auditor.account.uuid())
        .execute(&stage.world.admin)
        .await
        .unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(2), async {
        let mut rest = String::new();
        while let Some(chunk) = events.next().await {
            rest.push_str(std::str::from_utf8(&chunk.unwrap()).unwrap());
        }
        rest
    });
    assert!(ended.await.unwrap().contains("event: revoked"));
}
