//! Through HTTP: who sees and changes a sandbox.

use axum::http::Method;
use serde_json::{Value, json};

use crate::organisations::stage::{Stage, expect, expect_field, revised, text};
use crate::testing::Persona;

impl Stage {
    /// Path of a new sandbox that `owner` creates.
    pub(crate) async fn sandbox(&self, owner: &Persona, name: &str) -> String {
        let reply = owner.post(&self.path("/sandboxes"), json!({"name": name})).await;
        assert_eq!(reply.status, 201, "{}", reply.json);
        self.path(&format!("/sandboxes/{}", text(&reply.json, "id")))
    }

    /// Gives access by the organisation's owner, who confirms where asked, and answers the row.
    pub(crate) async fn grant(&self, sandbox: &str, grant: Value) -> Value {
        let reply = self.owner.post(&format!("{sandbox}/members"), grant).await;
        let reply = if reply.status == 403 { self.owner.confirm(&reply).await } else { reply };
        assert!(reply.status == 200 || reply.status == 201, "{}", reply.json);
        reply.json
    }

    /// Names areas of a sandbox.
    pub(crate) async fn areas(&self, sandbox: &str, names: &[&str]) {
        for name in names {
            let reply = self.owner.post(&format!("{sandbox}/areas"), json!({"name": name})).await;
            assert_eq!(reply.status, 201, "{}", reply.json);
        }
    }
}

#[tokio::test]
async fn who_governs_creates_and_everybody_lists_what_they_have_access_to() {
    let stage = Stage::new().await;
    let admin = stage.join("admin@example.org", "admin").await;
    let auditor = stage.join("auditor@example.org", "auditor").await;
    let member = stage.join("member@example.org", "member").await;
    for person in [&auditor, &member] {
        expect(&person.post(&stage.path("/sandboxes"), json!({"name": "No"})).await, 403, "insufficient_access");
    }
    let one = stage.sandbox(&admin, "One").await;
    let two = stage.sandbox(&stage.owner, "Two").await;
    stage.areas(&two, &["web"]).await;
    stage.grant(&two, json!({"email": "member@example.org", "role": "guest", "areas": ["web"]})).await;
    let list = async |who: &Persona| {
        let reply = who.get(&stage.path("/sandboxes")).await;
        let items = reply.json["items"].as_array().unwrap().clone();
        items.iter().map(|item| (text(item, "name"), text(item, "role"))).collect::<Vec<_>>()
    };
    let row = |name: &str, role: &str| (name.to_owned(), role.to_owned());
    assert_eq!(list(&stage.owner).await, [row("One", "maintainer"), row("Two", "owner")]);
    assert_eq!(list(&admin).await, [row("One", "owner"), row("Two", "maintainer")]);
    assert_eq!(list(&auditor).await, [row("One", "viewer"), row("Two", "viewer")]);
    assert_eq!(list(&member).await, [row("Two", "guest")]);
    expect(&member.get(&one).await, 404, "not_found");
    let seen = member.get(&two).await;
    assert_eq!(seen.status, 200, "{}", seen.json);
    assert_eq!(seen.json["ownerEmail"], Value::Null);
    let found = stage.owner.get(&stage.path("/sandboxes?search=tW")).await;
    assert_eq!(found.json["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_stranger_learns_nothing_of_a_sandbox() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "Hidden").await;
    let stranger = stage.world.person("stranger@example.org").await;
    let colleague = stage.join("colleague@example.org", "member").await;
    for person in [&stranger, &colleague] {
        for path in ["", "/areas", "/members", "/members/self"] {
            expect(&person.get(&format!("{sandbox}{path}")).await, 404, "not_found");
        }
        expect(&person.patch(&sandbox, json!({"name": "Mine"})).await, 404, "not_found");
        expect(&person.delete(&sandbox).await, 404, "not_found");
        expect(&person.post(&format!("{sandbox}/areas"), json!({"name": "web"})).await, 404, "not_found");
        let grant = json!({"email": person.email, "role": "maintainer"});
        expect(&person.post(&format!("{sandbox}/members"), grant).await, 404, "not_found");
        expect(&person.delete(&format!("{sandbox}/members/self")).await, 404, "not_found");
    }
}

#[tokio::test]
async fn a_sandbox_of_another_organisation_is_not_reached_through_ones_own() {
    let stage = Stage::new().await;
    let other = stage.world.organisation(&stage.owner, "Other").await.to_string();
    let sandbox = stage.sandbox(&stage.owner, "Acme's").await;
    let id = sandbox.rsplit('/').next().unwrap();
    expect(&stage.owner.get(&format!("/organisations/{other}/sandboxes/{id}")).await, 404, "not_found");
}

#[tokio::test]
async fn renaming_is_for_who_manages_and_minds_the_revision() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "Old").await;
    let viewer = stage.join("viewer@example.org", "member").await;
    stage.grant(&sandbox, json!({"email": "viewer@example.org", "role": "viewer"})).await;
    expect(&viewer.patch(&sandbox, json!({"name": "New"})).await, 403, "insufficient_access");
    let stale = revised(&stage.owner, Method::PATCH, &sandbox, "\"9\"", json!({"name": "New"})).await;
    expect(&stale, 412, "stale_revision");
    let renamed = revised(&stage.owner, Method::PATCH, &sandbox, "\"1\"", json!({"name": "New"})).await;
    assert_eq!(renamed.status, 200, "{}", renamed.json);
    assert_eq!(text(&renamed.json, "name"), "New");
}

#[tokio::test]
async fn a_transfer_is_confirmed_and_the_owner_until_then_maintains() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "Given").await;
    let anna = stage.join("anna@example.org", "member").await;
    let member = text(&stage.grant(&sandbox, json!({"email": "anna@example.org", "role": "viewer"})).await, "id");
    let path = format!("{sandbox}/owner");
    expect(&anna.post(&path, json!({"memberId": member})).await, 403, "insufficient_access");
    let nobody = "mbr_00000000000000000000000000000001";
    expect_field(&stage.owner.post(&path, json!({"memberId": nobody})).await, "/memberId", "not_a_member");
    let asked = stage.owner.post(&path, json!({"memberId": member})).await;
    expect(&asked, 403, "confirmation_required");
    let done = stage.owner.confirm(&asked).await;
    assert_eq!(done.status, 200, "{}", done.json);
    let roster = anna.get(&format!("{sandbox}/members")).await;
    assert_eq!(roster.json["owner"]["email"], json!("anna@example.org"));
    let rows = roster.json["members"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{}", roster.json);
    assert_eq!((text(&rows[0], "email"), text(&rows[0], "role")), (stage.owner.email.clone(), "maintainer".into()));
    assert_eq!(text(&anna.get(&sandbox).await.json, "role"), "owner");
}

#[tokio::test]
async fn deleting_is_confirmed_and_then_nothing_new_happens() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "Going").await;
    let maintainer = stage.join("m@example.org", "member").await;
    stage.grant(&sandbox, json!({"email": "m@example.org", "role": "maintainer"})).await;
    expect(&maintainer.delete(&sandbox).await, 403, "insufficient_access");
    let asked = stage.owner.delete(&sandbox).await;
    expect(&asked, 403, "confirmation_required");
    let done = stage.owner.confirm(&asked).await;
    assert_eq!(text(&done.json, "status"), "terminating", "{}", done.json);
    let grant = json!({"email": "m@example.org", "role": "viewer"});
    expect(&stage.owner.post(&format!("{sandbox}/members"), grant).await, 403, "terminating");
    expect(&stage.owner.post(&format!("{sandbox}/areas"), json!({"name": "web"})).await, 403, "terminating");
    assert_eq!(stage.owner.get(&sandbox).await.status, 200);
}
