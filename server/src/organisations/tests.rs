//! Through HTTP: who sees and changes an organisation and its roster.

use axum::http::Method;
use serde_json::{Value, json};

use super::stage::{Stage, expect, expect_field, revised, text};
use crate::testing::Persona;

#[tokio::test]
async fn an_operator_creates_an_organisation_and_owns_it() {
    let stage = Stage::new().await;
    let reply = stage.owner.post("/organisations", json!({"name": "  Zoe\u{301} & Co "})).await;
    assert_eq!(reply.status, 201, "{}", reply.json);
    assert_eq!((text(&reply.json, "name"), text(&reply.json, "role")), ("Zoé & Co".into(), "owner".into()));
    let anna = stage.world.person("anna@example.org").await;
    expect(&anna.post("/organisations", json!({"name": "Mine"})).await, 403, "insufficient_access");
    assert_eq!(anna.get("/organisations").await.json["items"], json!([]));
    let list = stage.owner.get("/organisations").await;
    assert_eq!(list.json["items"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_stranger_learns_nothing_of_an_organisation() {
    let stage = Stage::new().await;
    let stranger = stage.world.person("stranger@example.org").await;
    let member = stage.membership("").await;
    expect(&stranger.get(&stage.path("")).await, 404, "not_found");
    expect(&stranger.get(&stage.path("/members")).await, 404, "not_found");
    expect(&stranger.patch(&stage.path(""), json!({"name": "Mine"})).await, 404, "not_found");
    expect(&stranger.delete(&stage.path("")).await, 404, "not_found");
    let row = stage.path(&format!("/members/{member}"));
    expect(&stranger.patch(&row, json!({"role": "member"})).await, 404, "not_found");
    expect(&stranger.delete(&row).await, 404, "not_found");
    expect(&stranger.delete(&stage.path("/members/self")).await, 404, "not_found");
}

#[tokio::test]
async fn a_name_is_checked_and_a_stale_revision_refused() {
    let stage = Stage::new().await;
    let path = stage.path("");
    for (name, code) in
        [("", "required"), (" \u{200b}", "required"), ("a\nb", "invalid_text"), ("a\u{202e}b", "invalid_text")]
    {
        expect_field(&stage.owner.patch(&path, json!({"name": name})).await, "/name", code);
    }
    expect_field(&stage.owner.patch(&path, json!({"name": "x".repeat(101)})).await, "/name", "too_long");
    expect_field(&stage.owner.patch(&path, json!({"name": "A", "colour": 1})).await, "/colour", "unknown_field");
    let before = stage.owner.get(&path).await.json["revision"].as_i64().unwrap();
    let renamed = revised(&stage.owner, Method::PATCH, &path, &format!("\"{before}\""), json!({"name": "Bcme"})).await;
    assert_eq!(renamed.status, 200, "{}", renamed.json);
    assert_eq!(renamed.json["revision"].as_i64(), Some(before + 1));
    let stale = revised(&stage.owner, Method::PATCH, &path, &format!("\"{before}\""), json!({"name": "Ccme"})).await;
    expect(&stale, 412, "stale_revision");
    assert_eq!(text(&stage.owner.get(&path).await.json, "name"), "Bcme");
}

#[tokio::test]
async fn deleting_is_confirmed_and_then_nothing_new_happens() {
    let stage = Stage::new().await;
    let admin = stage.join("admin@example.org", "admin").await;
    expect(&admin.delete(&stage.path("")).await, 403, "insufficient_access");
    let asked = stage.owner.delete(&stage.path("")).await;
    expect(&asked, 403, "confirmation_required");
    assert_eq!(text(&stage.owner.get(&stage.path("")).await.json, "status"), "active");
    let done = stage.owner.confirm(&asked).await;
    assert_eq!(text(&done.json, "status"), "terminating", "{}", done.json);
    expect(&stage.owner.post(&stage.path("/sandboxes"), json!({"name": "S"})).await, 403, "terminating");
    expect(&stage.owner.patch(&stage.path(""), json!({"name": "B"})).await, 403, "terminating");
    let read = stage.owner.get(&stage.path("")).await;
    assert_eq!(read.json["allowed"]["sandbox.create"], json!({"verdict": "deny", "reason": "terminating"}));
}

#[tokio::test]
async fn nobody_gives_or_takes_more_than_they_have() {
    let stage = Stage::new().await;
    let owner = stage.membership(&stage.owner.email).await;
    let second = stage.join("second@example.org", "owner").await;
    let admin = stage.join("admin@example.org", "admin").await;
    let auditor = stage.join("auditor@example.org", "auditor").await;
    let member = stage.join("member@example.org", "member").await;
    let (members, auditors) = (stage.membership("member@").await, stage.membership("auditor@").await);
    let change = async |who: &Persona, whom: &str, role: &str| {
        who.patch(&stage.path(&format!("/members/{whom}")), json!({"role": role})).await
    };
    expect(&change(&member, &members, "owner").await, 403, "insufficient_access");
    expect(&change(&auditor, &members, "auditor").await, 403, "insufficient_access");
    expect(&change(&admin, &members, "owner").await, 403, "outranked");
    expect(&change(&admin, &owner, "member").await, 403, "outranked");
    expect(&admin.delete(&stage.path(&format!("/members/{owner}"))).await, 403, "outranked");
    expect(&change(&admin, &members, "admin").await, 403, "confirmation_required");
    let granted = change(&admin, &members, "auditor").await;
    assert_eq!(granted.status, 200, "{}", granted.json);
    assert_eq!(text(&granted.json, "role"), "auditor", "{}", granted.json);
    let asked = change(&second, &auditors, "admin").await;
    expect(&asked, 403, "confirmation_required");
    let granted = second.confirm(&asked).await;
    assert_eq!(text(&granted.json, "role"), "admin", "{}", granted.json);
    assert_eq!(auditor.patch(&stage.path(""), json!({"name": "Renamed"})).await.status, 200);
}

#[tokio::test]
async fn the_last_owner_stays() {
    let stage = Stage::new().await;
    let only = stage.path(&format!("/members/{}", stage.membership(&stage.owner.email).await));
    expect(&stage.owner.patch(&only, json!({"role": "admin"})).await, 409, "last_owner");
    expect(&stage.owner.patch(&only, json!({"role": "member"})).await, 409, "last_owner");
    expect(&stage.owner.delete(&only).await, 409, "last_owner");
    expect(&stage.owner.delete(&stage.path("/members/self")).await, 409, "last_owner");
    let row = stage.owner.get(&stage.path("/members")).await.json["items"][0].clone();
    assert_eq!(row["allowed"]["organisation.leave"], json!({"verdict": "deny", "reason": "last_owner"}));
    let second = stage.join("second@example.org", "owner").await;
    assert_eq!(stage.owner.delete(&stage.path("/members/self")).await.status, 204);
    expect(&second.delete(&stage.path("/members/self")).await, 409, "last_owner");
}

/// An open invitation, put straight into the database.
async fn invite(stage: &Stage, id: u128, to: &str, by: &Persona) {
    sqlx::query(
        "insert into invitation (org_id, id, email, role, token_hash, invited_by, created_at, expires_at)
         values ($1, $2, $3, 'member', $3::bytea, $4, now(), now() + interval '1 day')",
    )
    .bind(stage.organisation.uuid())
    .bind(uuid::Uuid::from_u128(id))
    .bind(to)
    .bind(by.account.uuid())
    .execute(&stage.world.admin)
    .await
    .unwrap();
}

#[tokio::test]
async fn somebody_removed_is_out_of_every_sandbox_and_theirs_pass_to_the_earliest_owner() {
    let stage = Stage::new().await;
    let admin = stage.join("admin@example.org", "admin").await;
    let sandbox = text(&admin.post(&stage.path("/sandboxes"), json!({"name": "Theirs"})).await.json, "id");
    let other = text(&stage.owner.post(&stage.path("/sandboxes"), json!({"name": "Other"})).await.json, "id");
    let grant = json!({"email": "admin@example.org", "role": "viewer"});
    assert_eq!(stage.owner.post(&stage.path(&format!("/sandboxes/{other}/members")), grant).await.status, 201);
    // The heir has a row where they are about to own.
    let heirs = json!({"email": stage.owner.email, "role": "viewer"});
    assert_eq!(admin.post(&stage.path(&format!("/sandboxes/{sandbox}/members")), heirs).await.status, 201);
    for (id, to, by) in [
        (1_u128, "friend@example.org", &admin),
        (2, "admin@example.org", &stage.owner),
        (3, "third@example.org", &stage.owner),
    ] {
        invite(&stage, id, to, by).await;
    }
    let asked = stage.owner.delete(&stage.path(&format!("/members/{}", stage.membership("admin@").await))).await;
    expect(&asked, 403, "confirmation_required");
    let done = stage.owner.confirm(&asked).await;
    assert!(done.status == 204 || done.status == 200, "{}", done.json);
    expect(&admin.get(&stage.path("")).await, 404, "not_found");
    let open: Vec<String> = sqlx::query_scalar("select email from invitation where org_id = $1 and state = 'open'")
        .bind(stage.organisation.uuid())
        .fetch_all(&stage.world.admin)
        .await
        .unwrap();
    assert_eq!(open, ["third@example.org"], "what they sent and what could let them back in has ended");
    let recorded: Vec<u8> =
        sqlx::query_scalar("select bytes from audit_record where action = 'organisation.revoke' and outcome = 'done'")
            .fetch_one(&stage.world.admin)
            .await
            .unwrap();
    let recorded: Value = serde_json::from_slice(&recorded).unwrap();
    let told = recorded.to_string();
    assert!(told.contains(&admin.account.to_string()) && told.contains("\"role\":\"admin\""), "{told}");
    assert!(!told.contains("admin@example.org"), "addresses are sealed: {told}");
    for one in [&sandbox, &other] {
        expect(&admin.get(&stage.path(&format!("/sandboxes/{one}"))).await, 404, "not_found");
        let roster = stage.owner.get(&stage.path(&format!("/sandboxes/{one}/members"))).await;
        assert_eq!(roster.json["members"], json!([]));
        assert_eq!(roster.json["owner"]["email"].as_str(), Some(stage.owner.email.as_str()));
    }
}

#[tokio::test]
async fn a_roster_is_paged_and_searched_by_those_who_oversee() {
    let stage = Stage::new().await;
    for n in 0..5 {
        stage.join(&format!("p_{n}@example.org"), "member").await;
    }
    let auditor = stage.join("auditor@example.org", "auditor").await;
    let member = stage.join("plain@example.org", "member").await;
    expect(&member.get(&stage.path("/members")).await, 403, "insufficient_access");
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let from = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = auditor.get(&stage.path(&format!("/members?limit=3{from}"))).await;
        let items = page.json["items"].as_array().unwrap();
        assert!(items.len() <= 3);
        seen.extend(items.iter().map(|item| text(item, "id")));
        cursor = page.json["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 8);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 8);
    let found = auditor.get(&stage.path("/members?search=p_3")).await;
    assert_eq!(found.json["items"].as_array().map(Vec::len), Some(1), "{}", found.json);
    // An underscore is itself and not any character.
    let none = auditor.get(&stage.path("/members?search=p_ain")).await;
    assert_eq!(none.json["items"], json!([]));
    expect_field(&auditor.get(&stage.path("/members?limit=0")).await, "?limit", "invalid_field");
    expect_field(&auditor.get(&stage.path("/members?cursor=AAAA")).await, "?cursor", "invalid_field");
}
