use axum::http::{Method, StatusCode};
use contract::access::OrganisationRole;
use serde_json::{Value, json};

use crate::testing::World;

fn built_in() -> Value {
    serde_json::to_value(crate::gate::policy_document::PolicyDocument::built_in()).unwrap()
}

#[tokio::test]
async fn a_policy_is_read_previewed_replaced_and_kept_in_versions() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let path = format!("/organisations/{org}/policy");
    let shown = owner.get(&path).await;
    assert_eq!(
        (&shown.json["document"], &shown.json["version"], &shown.json["valid"]),
        (&Value::Null, &json!(0), &json!(true))
    );

    let mut document = built_in();
    document["rules"]
        .as_array_mut()
        .unwrap()
        .push(json!({"action": "area.*", "decision": "deny", "priority": 3, "reason": "frozen"}));
    let preview = owner.post(&format!("{path}/preview"), json!({"document": document})).await;
    assert_eq!(preview.json["valid"], true, "{preview:?}");
    let actions: Vec<&str> =
        preview.json["changes"].as_array().unwrap().iter().map(|change| change["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["area.list", "area.create", "area.rename", "area.delete"]);

    let asked = owner
        .send(
            Method::PUT,
            &path,
            &[("if-match", "\"0\"")],
            Some(serde_json::to_vec(&json!({"document": document})).unwrap()),
        )
        .await;
    let described = asked.json["proposal"]["description"].as_str().unwrap();
    assert!(described.contains("this organisation") && described.contains("area.create: allow → deny"), "{described}");
    assert_eq!(owner.confirm(&asked).await.json["version"], 1);
    let stale = owner
        .send(
            Method::PUT,
            &path,
            &[("if-match", "\"0\"")],
            Some(serde_json::to_vec(&json!({"document": document})).unwrap()),
        )
        .await;
    assert_eq!((stale.status, stale.code()), (StatusCode::PRECONDITION_FAILED, "stale_revision"));
    let versions = owner.get(&format!("{path}/versions")).await;
    assert_eq!(versions.json["items"][0]["by"]["accountId"], json!(owner.account));
    let bytes: String = sqlx::query_scalar(
        "select convert_from(bytes, 'UTF8') from audit_record where action = 'policy.update' and outcome = 'done'",
    )
    .fetch_one(&world.admin)
    .await
    .unwrap();
    assert!(bytes.contains("area.*"), "the difference is on record: {bytes}");

    assert_eq!(crate::policies::reset(&world.app.gate, org).await.unwrap(), 2);
    assert_eq!(owner.get(&path).await.json["document"], built_in());
}

#[tokio::test]
async fn nonsense_is_refused_at_the_rule_and_ignored_whole_when_it_is_stored_by_hand() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let path = format!("/organisations/{org}/policy");
    let refused = owner
        .put(
            &path,
            json!({"document": {"version": 1, "rules": [{"action": "no.such", "decision": "deny", "priority": 0}]}}),
        )
        .await;
    assert_eq!((refused.status, refused.code()), (StatusCode::UNPROCESSABLE_ENTITY, "unknown_action"), "{refused:?}");
    assert_eq!(refused.json["fields"][0]["pointer"], "/document/rules/0/action");
    let unknown = owner.put(&path, json!({"document": {"version": 1, "rules": [], "extra": 1}})).await;
    assert_eq!(unknown.code(), "unknown_field", "{unknown:?}");

    for nonsense in [
        json!(7),
        json!({"version": 1, "rules": [{"action": "*", "decision": "deny", "priority": 0}]}),
        json!({"version": 9, "rules": []}),
    ] {
        sqlx::query("insert into policy_document select $1, $1, coalesce(max(version), 0) + 1, $2, now(), $3 from policy_document")
            .bind(org.uuid())
            .bind(&nonsense)
            .bind(owner.account.uuid())
            .execute(&world.admin)
            .await
            .unwrap();
        let shown = owner.get(&path).await;
        assert_eq!((&shown.json["valid"], &shown.json["effective"]), (&json!(false), &built_in()), "{nonsense}");
        assert_eq!(shown.json["allowed"]["policy.update"]["verdict"], "confirm");
    }
}

#[tokio::test]
async fn a_sandbox_narrows_and_cannot_widen() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let sbx = world.sandbox(org, &owner, "Web").await;
    let path = format!("/organisations/{org}/sandboxes/{sbx}");
    let document = json!({"version": 1, "rules": [{"action": "emergency.read", "decision": "deny", "priority": 0}]});
    let asked = owner.put(&format!("{path}/policy"), json!({"document": document})).await;
    assert_eq!(owner.confirm(&asked).await.status, StatusCode::OK);
    let refused = owner.get(&format!("{path}/emergency")).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::FORBIDDEN, "policy"));
    assert_eq!(owner.get(&format!("/organisations/{org}/emergency")).await.status, StatusCode::OK);
    let back = owner.put(&format!("{path}/policy"), json!({"document": null})).await;
    assert_eq!(owner.confirm(&back).await.json["document"], Value::Null);
    assert_eq!(owner.get(&format!("{path}/emergency")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn only_administrators_change_a_policy_and_strangers_see_none() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let member = world.person("member@example.org").await;
    world.belongs(org, member.account, OrganisationRole::Member).await;
    let path = format!("/organisations/{org}/policy");
    assert_eq!(member.get(&path).await.status, StatusCode::FORBIDDEN);
    assert_eq!(member.put(&path, json!({"document": built_in()})).await.status, StatusCode::FORBIDDEN);
    assert_eq!(world.stranger().get(&path).await.status, StatusCode::UNAUTHORIZED);
    let outsider = world.person("outsider@example.org").await;
    assert_eq!(outsider.get(&path).await.status, StatusCode::NOT_FOUND);
}
