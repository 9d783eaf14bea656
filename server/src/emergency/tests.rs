use crate::testing::World;
use axum::http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn a_stop_denies_what_is_not_exempt_and_only_a_confirmed_reset_releases_it() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let path = format!("/organisations/{org}/emergency");
    assert_eq!(owner.get(&path).await.json["engaged"], false);

    let engaged = owner.post(&format!("{path}/engage"), json!({"reason": "drill"})).await;
    assert_eq!(engaged.status, StatusCode::OK, "{engaged:?}");
    assert_eq!(engaged.json["engaged"], true);
    assert!(engaged.headers.contains_key("audit-receipt"));

    let again = owner.post(&format!("{path}/engage"), json!({"reason": "drill"})).await;
    assert_eq!((again.status, again.code()), (StatusCode::FORBIDDEN, "emergency_stop"));
    assert_eq!(owner.get(&path).await.json["allowed"]["emergency.engage"]["reason"], "emergency_stop");

    let asked = owner.post(&format!("{path}/reset"), json!({})).await;
    let released = owner.confirm(&asked).await;
    assert_eq!(released.status, StatusCode::OK, "{released:?}");
    assert_eq!(released.json["stopped"], false);
    assert_eq!(owner.post(&format!("{path}/engage"), json!({"reason": "drill"})).await.status, StatusCode::OK);

    assert_eq!(world.records("emergency.engage", "done").await, 2);
    assert_eq!(world.records("emergency.engage", "denied").await, 1);
    assert_eq!(world.records("emergency.reset", "done").await, 1);
}

#[tokio::test]
async fn a_corrupted_state_counts_as_engaged_and_can_be_released() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    sqlx::query("insert into emergency (org_id, scope_id, state) values ($1, $1, '\"nonsense\"')")
        .bind(org.uuid())
        .execute(&world.admin)
        .await
        .unwrap();
    let shown = owner.get(&format!("/organisations/{org}/emergency")).await;
    assert_eq!((&shown.json["engaged"], &shown.json["readable"]), (&json!(true), &json!(false)));
    let asked = owner.post(&format!("/organisations/{org}/emergency/reset"), json!({})).await;
    assert_eq!(owner.confirm(&asked).await.status, StatusCode::OK);
    assert_eq!(owner.get(&format!("/organisations/{org}/emergency")).await.json["engaged"], false);
}
