//! Through HTTP: naming parts of a workspace.

use axum::http::Method;
use contract::id::SandboxId;
use serde_json::{Value, json};

use crate::organisations::stage::{Stage, expect, expect_field, revised, text};

#[tokio::test]
async fn an_area_has_a_name_of_its_own() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    let areas = format!("{sandbox}/areas");
    stage.areas(&sandbox, &["web"]).await;
    expect(&stage.owner.post(&areas, json!({"name": " web "})).await, 409, "name_taken");
    expect_field(&stage.owner.post(&areas, json!({"name": "  "})).await, "/name", "required");
    expect_field(&stage.owner.post(&areas, json!({"name": "x".repeat(61)})).await, "/name", "too_long");
    stage.areas(&sandbox, &["docs"]).await;
    let list = stage.owner.get(&areas).await;
    let docs = text(&list.json["items"][0], "id");
    expect(&stage.owner.patch(&format!("{areas}/{docs}"), json!({"name": "web"})).await, 409, "name_taken");
    let stale = revised(&stage.owner, Method::PATCH, &format!("{areas}/{docs}"), "\"7\"", json!({"name": "a"})).await;
    expect(&stale, 412, "stale_revision");
}

#[tokio::test]
async fn renaming_an_area_renames_it_in_every_row_that_names_it() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    stage.areas(&sandbox, &["web", "docs"]).await;
    let fenced = stage.join("fenced@example.org", "member").await;
    let other = stage.join("other@example.org", "member").await;
    let row = json!({"email": "fenced@example.org", "role": "writer", "areas": ["docs", "web"], "edit": ["web"]});
    stage.grant(&sandbox, row).await;
    stage.grant(&sandbox, json!({"email": "other@example.org", "role": "viewer", "areas": ["docs"]})).await;
    let web = text(&stage.owner.get(&format!("{sandbox}/areas?")).await.json["items"][1], "id");
    let renamed = stage.owner.patch(&format!("{sandbox}/areas/{web}"), json!({"name": "site"})).await;
    assert_eq!(renamed.status, 200, "{}", renamed.json);
    let standing = fenced.get(&format!("{sandbox}/members/self")).await.json;
    assert_eq!((&standing["areas"], &standing["edit"]), (&json!(["docs", "site"]), &json!(["site"])));
    assert_eq!(other.get(&format!("{sandbox}/members/self")).await.json["areas"], json!(["docs"]));
}

#[tokio::test]
async fn an_area_that_a_row_names_stays() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    stage.areas(&sandbox, &["web"]).await;
    stage.join("writer@example.org", "member").await;
    let path =
        format!("{sandbox}/areas/{}", text(&stage.owner.get(&format!("{sandbox}/areas")).await.json["items"][0], "id"));
    stage.grant(&sandbox, json!({"email": "writer@example.org", "role": "writer", "edit": ["web"]})).await;
    expect(&stage.owner.delete(&path).await, 409, "area_in_use");
    stage.grant(&sandbox, json!({"email": "writer@example.org", "role": "viewer"})).await;
    assert_eq!(stage.owner.delete(&path).await.status, 204);
    expect(&stage.owner.delete(&path).await, 404, "not_found");
}

#[tokio::test]
async fn an_area_that_an_open_invitation_names_stays_and_is_renamed_there() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    stage.areas(&sandbox, &["web"]).await;
    let path =
        format!("{sandbox}/areas/{}", text(&stage.owner.get(&format!("{sandbox}/areas")).await.json["items"][0], "id"));
    let sandbox: SandboxId = sandbox.rsplit('/').next().unwrap().parse().unwrap();
    sqlx::query(
        "insert into invitation (org_id, id, sandbox_id, email, role, areas, edit, token_hash, invited_by, created_at, expires_at)
         values ($1, $1, $2, 'new@example.org', 'writer', '{web}', '[\"web\"]', 'x', $1, now(), now() + interval '1 day')",
    )
    .bind(stage.organisation.uuid())
    .bind(sandbox.uuid())
    .execute(&stage.world.admin)
    .await
    .unwrap();
    expect(&stage.owner.delete(&path).await, 409, "area_in_use");
    assert_eq!(stage.owner.patch(&path, json!({"name": "site"})).await.status, 200);
    let row: (Vec<String>, Value) = sqlx::query_as("select areas, edit from invitation where org_id = $1")
        .bind(stage.organisation.uuid())
        .fetch_one(&stage.world.admin)
        .await
        .unwrap();
    assert_eq!(row, (vec!["site".to_owned()], json!(["site"])));
    sqlx::query("update invitation set expires_at = created_at where org_id = $1")
        .bind(stage.organisation.uuid())
        .execute(&stage.world.admin)
        .await
        .unwrap();
    assert_eq!(stage.owner.delete(&path).await.status, 204, "an expired invitation holds nothing");
}

#[tokio::test]
async fn a_fenced_member_sees_their_areas_and_names_none() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    stage.areas(&sandbox, &["web", "docs"]).await;
    let guest = stage.join("guest@example.org", "member").await;
    stage.grant(&sandbox, json!({"email": "guest@example.org", "role": "guest", "areas": ["web"]})).await;
    let list = guest.get(&format!("{sandbox}/areas")).await;
    let names: Vec<String> = list.json["items"].as_array().unwrap().iter().map(|area| text(area, "name")).collect();
    assert_eq!(names, ["web"]);
    expect(&guest.post(&format!("{sandbox}/areas"), json!({"name": "x"})).await, 403, "insufficient_access");
}
