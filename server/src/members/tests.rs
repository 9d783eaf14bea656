//! Through HTTP: who may do what in a sandbox, and every refusal of a grant.

use std::time::{Duration, Instant};

use axum::http::Method;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::organisations::stage::{Stage, delete_addressed, expect, expect_field, revised, text};
use crate::testing::Persona;

/// A sandbox with the areas `web`, `docs` and `finance`, and `anna` in its organisation.
async fn ready() -> (Stage, String) {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    stage.areas(&sandbox, &["web", "docs", "finance"]).await;
    (stage, sandbox)
}

#[tokio::test]
async fn every_refusal_of_a_grant_names_its_field_and_reason() {
    let (stage, sandbox) = ready().await;
    stage.join("anna@example.org", "member").await;
    let members = format!("{sandbox}/members");
    let many: Vec<String> = (0..21).map(|n| format!("a{n}")).collect();
    let cases = [
        (json!({"role": "writer"}), "/role", "role_mismatch"),
        (json!({"role": "collaborator", "agents": "off"}), "/role", "role_mismatch"),
        (json!({"role": "viewer", "edit": []}), "/role", "role_mismatch"),
        (json!({"role": "writer", "edit": []}), "/edit", "access_refused"),
        (json!({"role": "guest"}), "/areas", "access_refused"),
        (json!({"role": "guest", "areas": []}), "/areas", "access_refused"),
        (json!({"role": "writer", "areas": ["web"], "edit": "all"}), "/edit", "access_refused"),
        (json!({"role": "writer", "areas": ["web"], "edit": ["finance"]}), "/edit", "access_refused"),
        (json!({"role": "viewer", "areas": ["web", "nowhere"]}), "/areas", "areas_unknown"),
        (json!({"role": "writer", "edit": ["nowhere"]}), "/edit", "areas_unknown"),
        (json!({"role": "viewer", "areas": many}), "/areas", "too_large"),
        (json!({"role": "viewer", "areas": [" "]}), "/areas", "required"),
        (json!({"role": "viewer", "credentials": "all"}), "/credentials", "reach_unavailable"),
        (
            json!({"role": "viewer", "credentials": {"capabilities": [], "secrets": []}}),
            "/credentials",
            "reach_unavailable",
        ),
        (json!({"role": "owner"}), "/role", "invalid_field"),
        (json!({}), "/role", "required"),
        (json!({"role": "viewer", "colour": "red"}), "/colour", "unknown_field"),
    ];
    for (grant, pointer, code) in cases {
        let mut body = grant.clone();
        body["email"] = json!("anna@example.org");
        let reply = stage.owner.post(&members, body).await;
        println!("{grant}");
        expect_field(&reply, pointer, code);
    }
    let unseen = json!({"email": "anna@example.org", "role": "writer", "areas": ["web"], "edit": ["web", "finance"]});
    let reply = stage.owner.post(&members, unseen).await;
    assert!(text(&reply.json["fields"][0], "message").contains("finance"), "{}", reply.json);
    let unknown = json!({"email": "anna@example.org", "role": "viewer", "areas": ["web", "nowhere"]});
    let message = text(&stage.owner.post(&members, unknown).await.json["fields"][0], "message");
    assert!(message.contains("nowhere") && !message.contains("web"), "{message}");
    assert_eq!(stage.owner.get(&members).await.json["members"], json!([]));
}

#[tokio::test]
async fn only_somebody_of_the_organisation_who_does_not_own_the_sandbox_is_granted() {
    let (stage, sandbox) = ready().await;
    let members = format!("{sandbox}/members");
    stage.world.person("outside@example.org").await;
    for email in ["outside@example.org", "nobody@example.org"] {
        let reply = stage.owner.post(&members, json!({"email": email, "role": "viewer"})).await;
        expect_field(&reply, "/email", "not_a_member");
    }
    expect_field(
        &stage.owner.post(&members, json!({"email": "rubbish", "role": "viewer"})).await,
        "/email",
        "invalid_text",
    );
    let own = json!({"email": stage.owner.email, "role": "viewer"});
    expect(&stage.owner.post(&members, own).await, 403, "owner_row");
    expect(&delete_addressed(&stage.owner, &members, json!({"email": stage.owner.email})).await, 403, "owner_row");
    expect(&stage.owner.delete(&format!("{members}/self")).await, 403, "owner_row");
}

#[tokio::test]
async fn a_grant_resolves_and_a_second_one_writes_over_it() {
    let (stage, sandbox) = ready().await;
    let anna = stage.join("anna@example.org", "member").await;
    let grant =
        json!({"email": " ANNA@Example.org", "role": "writer", "areas": ["web"], "agents": "off", "emailSignIn": true});
    let reply = stage.owner.post(&format!("{sandbox}/members"), grant).await;
    assert_eq!(reply.status, 201, "{}", reply.json);
    let first = reply.json;
    assert_eq!(first["access"], json!({"manage": false, "agents": "off", "see": ["web"], "edit": ["web"]}));
    assert_eq!(first["emailSignIn"], json!(true));
    let reply =
        stage.owner.post(&format!("{sandbox}/members"), json!({"email": "anna@example.org", "role": "viewer"})).await;
    assert_eq!(reply.status, 200, "{}", reply.json);
    let second = reply.json;
    assert_eq!(second["id"], first["id"]);
    assert_eq!(second["revision"], json!(2));
    assert_eq!(second["access"], json!({"manage": false, "agents": "off", "see": null, "edit": "none"}));
    assert_eq!((&second["areas"], &second["agents"], &second["edit"]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(second["emailSignIn"], json!(true), "absent keeps what the row says");
    let standing = anna.get(&format!("{sandbox}/members/self")).await.json;
    assert_eq!(standing, json!({"role": "viewer", "agents": "off", "edit": "none"}));
    let owner = stage.owner.get(&format!("{sandbox}/members/self")).await.json;
    assert_eq!(owner, json!({"role": "owner", "agents": "run", "edit": "all"}));
}

#[tokio::test]
async fn two_grants_at_the_same_instant_make_one_row() {
    let (stage, sandbox) = ready().await;
    stage.join("anna@example.org", "member").await;
    let members = format!("{sandbox}/members");
    let grants = (0..6).map(|_| stage.owner.post(&members, json!({"email": "anna@example.org", "role": "viewer"})));
    for reply in join_all(grants).await {
        assert!(reply.status == 200 || reply.status == 201, "{}", reply.json);
    }
    let roster = stage.owner.get(&members).await;
    assert_eq!(roster.json["members"].as_array().map(Vec::len), Some(1), "{}", roster.json);
}

#[tokio::test]
async fn a_change_minds_the_revision_and_the_same_rules() {
    let (stage, sandbox) = ready().await;
    stage.join("anna@example.org", "member").await;
    let row = stage.grant(&sandbox, json!({"email": "anna@example.org", "role": "viewer"})).await;
    let path = format!("{sandbox}/members/{}", text(&row, "id"));
    let stale = revised(&stage.owner, Method::PUT, &path, "\"4\"", json!({"role": "collaborator"})).await;
    expect(&stale, 412, "stale_revision");
    let changed = revised(&stage.owner, Method::PUT, &path, "\"1\"", json!({"role": "collaborator"})).await;
    assert_eq!(changed.status, 200, "{}", changed.json);
    assert_eq!(text(&changed.json, "role"), "collaborator", "{}", changed.json);
    expect_field(&stage.owner.put(&path, json!({"role": "writer"})).await, "/role", "role_mismatch");
    expect_field(&stage.owner.put(&path, json!({"role": "viewer", "areas": ["x"]})).await, "/areas", "areas_unknown");
    expect_field(
        &stage.owner.put(&path, json!({"role": "viewer", "credentials": "all"})).await,
        "/credentials",
        "reach_unavailable",
    );
    assert_eq!(text(&stage.owner.get(&path).await.json, "role"), "collaborator");
}

#[tokio::test]
async fn managing_is_given_with_presence_and_a_maintainer_grants_others() {
    let (stage, sandbox) = ready().await;
    let mary = stage.join("mary@example.org", "member").await;
    stage.join("anna@example.org", "member").await;
    let members = format!("{sandbox}/members");
    let asked = stage.owner.post(&members, json!({"email": "mary@example.org", "role": "maintainer"})).await;
    expect(&asked, 403, "confirmation_required");
    assert_eq!(stage.owner.get(&members).await.json["members"], json!([]));
    let done = stage.owner.confirm(&asked).await;
    assert_eq!(text(&done.json, "role"), "maintainer", "{}", done.json);
    let granted = mary.post(&members, json!({"email": "anna@example.org", "role": "viewer"})).await;
    assert_eq!(granted.status, 201, "{}", granted.json);
    let path = format!("{members}/{}", text(&granted.json, "id"));
    expect(&mary.put(&path, json!({"role": "maintainer"})).await, 403, "confirmation_required");
}

#[tokio::test]
async fn what_each_tier_may_do_with_the_roster() {
    let (stage, sandbox) = ready().await;
    let members = format!("{sandbox}/members");
    let grants = [
        json!({"role": "guest", "areas": ["web"]}),
        json!({"role": "viewer"}),
        json!({"role": "collaborator"}),
        json!({"role": "writer", "edit": "all"}),
    ];
    for grant in grants {
        let email = format!("{}@example.org", text(&grant, "role"));
        let person = stage.join(&email, "member").await;
        let mut body = grant.clone();
        body["email"] = json!(email);
        let row = text(&stage.grant(&sandbox, body).await, "id");
        expect(&person.get(&members).await, 403, "insufficient_access");
        expect(&person.get(&format!("{members}/{row}")).await, 403, "insufficient_access");
        expect(&person.post(&members, json!({"email": email, "role": "viewer"})).await, 403, "insufficient_access");
        expect(&person.put(&format!("{members}/{row}"), json!({"role": "viewer"})).await, 403, "insufficient_access");
        expect(&person.delete(&format!("{members}/{row}")).await, 403, "insufficient_access");
        assert_eq!(text(&person.get(&format!("{members}/self")).await.json, "role"), text(&grant, "role"));
        assert_eq!(person.delete(&format!("{members}/self")).await.status, 204);
        expect(&person.get(&sandbox).await, 404, "not_found");
    }
    let auditor = stage.join("auditor@example.org", "auditor").await;
    assert_eq!(auditor.get(&members).await.status, 200);
    expect(
        &auditor.post(&members, json!({"email": "viewer@example.org", "role": "viewer"})).await,
        403,
        "insufficient_access",
    );
    let admin = stage.join("admin@example.org", "admin").await;
    assert_eq!(admin.post(&members, json!({"email": "viewer@example.org", "role": "viewer"})).await.status, 201);
    expect(&admin.delete(&format!("{members}/self")).await, 403, "not_a_member");
}

#[tokio::test]
async fn somebody_removed_is_out_at_the_next_request() {
    let (stage, sandbox) = ready().await;
    let members = format!("{sandbox}/members");
    let anna = stage.join("anna@example.org", "member").await;
    let row = text(&stage.grant(&sandbox, json!({"email": "anna@example.org", "role": "viewer"})).await, "id");
    assert_eq!(anna.get(&sandbox).await.status, 200);
    let asked = stage.owner.delete(&format!("{members}/{row}")).await;
    expect(&asked, 403, "confirmation_required");
    assert_eq!(anna.get(&sandbox).await.status, 200);
    stage.owner.confirm(&asked).await;
    expect(&anna.get(&sandbox).await, 404, "not_found");
    expect(&stage.owner.delete(&format!("{members}/{row}")).await, 404, "not_found");
    stage.grant(&sandbox, json!({"email": "anna@example.org", "role": "viewer"})).await;
    let asked = delete_addressed(&stage.owner, &members, json!({"email": "Anna@Example.ORG"})).await;
    expect(&asked, 403, "confirmation_required");
    stage.owner.confirm(&asked).await;
    expect(&anna.get(&sandbox).await, 404, "not_found");
}

/// Waits for `who`'s open stream to end while `end` happens, and answers how long after it that was.
async fn closed_after(who: &Persona, watch: &str, end: impl Future<Output = ()>) -> Duration {
    let watching = async {
        let reply = who.get(watch).await;
        assert_eq!(reply.status, 200, "{}", reply.json);
        Instant::now()
    };
    let ending = async {
        end.await;
        Instant::now()
    };
    let both = tokio::time::timeout(Duration::from_secs(20), join(watching, ending));
    let (closed, ended) = both.await.expect("the stream stays open");
    closed.saturating_duration_since(ended)
}

#[tokio::test]
async fn what_somebody_has_open_ends_within_a_second_of_their_access() {
    let (stage, sandbox) = ready().await;
    let (members, watch) = (format!("{sandbox}/members"), format!("{sandbox}/watch"));
    let anna = stage.join("anna@example.org", "member").await;
    let grant = json!({"email": "anna@example.org", "role": "viewer"});
    let row = text(&stage.grant(&sandbox, grant.clone()).await, "id");
    let removed = async {
        let asked = stage.owner.delete(&format!("{members}/{row}")).await;
        stage.owner.confirm(&asked).await;
    };
    assert!(closed_after(&anna, &watch, removed).await < Duration::from_secs(1));
    stage.grant(&sandbox, grant.clone()).await;
    let left = async {
        // The stream has to be open before its end can be told.
        assert_eq!(anna.get(&sandbox).await.status, 200);
        assert_eq!(anna.delete(&format!("{members}/self")).await.status, 204);
    };
    assert!(closed_after(&anna, &watch, left).await < Duration::from_secs(1));
    stage.grant(&sandbox, grant).await;
    let membership = stage.path(&format!("/members/{}", stage.membership("anna@").await));
    let revoked = async {
        assert_eq!(anna.get(&sandbox).await.status, 200);
        assert_eq!(stage.owner.delete(&membership).await.status, 204);
    };
    assert!(closed_after(&anna, &stage.path("/watch"), revoked).await < Duration::from_secs(1));
}

#[tokio::test]
async fn a_roster_is_paged_and_searched() {
    let (stage, sandbox) = ready().await;
    let members = format!("{sandbox}/members");
    for n in 0..5 {
        stage.join(&format!("p{n}@example.org"), "member").await;
        stage.grant(&sandbox, json!({"email": format!("p{n}@example.org"), "role": "viewer"})).await;
    }
    let first = stage.owner.get(&format!("{members}?limit=3")).await.json;
    assert_eq!(first["members"].as_array().map(Vec::len), Some(3));
    assert_eq!(first["owner"]["email"].as_str(), Some(stage.owner.email.as_str()));
    let rest = stage.owner.get(&format!("{members}?limit=3&cursor={}", text(&first, "nextCursor"))).await.json;
    let emails: Vec<String> = rest["members"].as_array().unwrap().iter().map(|row| text(row, "email")).collect();
    assert_eq!(emails, ["p3@example.org", "p4@example.org"]);
    assert_eq!((&rest["nextCursor"], &rest["owner"]), (&Value::Null, &Value::Null));
    let found = stage.owner.get(&format!("{members}?search=P4%40")).await.json;
    assert_eq!(found["members"].as_array().map(Vec::len), Some(1), "{found}");
}
