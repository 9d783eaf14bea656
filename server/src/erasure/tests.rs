//! That erasing forgets no table, goes on until nothing is left, and touches nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use contract::id::SandboxId;
use serde_json::{Value, json};

use super::erase_due;
use super::operations::EraseOrganisation;
use super::store::{LEFT, STEPS};
use crate::gate::Call;
use crate::organisations::stage::{Stage, expect};

/// Tables with a tenant's rows, as the migrations create them.
fn tenant_tables() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let mut tables = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for block in text.split("\ncreate table ").skip(1) {
            let name = block.split([' ', '(']).next().unwrap();
            let columns = block.split("\n)").next().unwrap();
            if columns.lines().any(|line| line.trim_start().starts_with("org_id ")) {
                tables.insert(name.to_owned());
            }
        }
    }
    tables
}

#[test]
fn every_table_with_a_tenants_rows_is_erased_or_left_for_a_reason() {
    let erased = STEPS.iter().map(|step| step.table);
    let left = LEFT.iter().map(|(table, _)| *table);
    let named: BTreeSet<String> = erased.chain(left).map(str::to_owned).collect();
    assert_eq!(tenant_tables(), named);
}

async fn rows(stage: &Stage, statement: &'static str) -> i64 {
    sqlx::query_scalar(statement).bind(stage.organisation.uuid()).fetch_one(&stage.world.admin).await.unwrap()
}

async fn receipt(stage: &Stage, kind: &str) -> Value {
    sqlx::query_scalar("select counts from deletion_receipt where org_id = $1 and kind = $2")
        .bind(stage.organisation.uuid())
        .bind(kind)
        .fetch_one(&stage.world.admin)
        .await
        .unwrap()
}

/// Adds members to a sandbox, past what one transaction removes.
async fn crowd(stage: &Stage, sandbox: &str, count: i64) {
    let sandbox: SandboxId = sandbox.rsplit('/').next().unwrap().parse().unwrap();
    for statement in [
        "insert into account (id, email, email_typed, name, created_at)
         select md5('a' || n)::uuid, 'c' || n || '@example.org', 'c' || n || '@example.org', 'C', now()
         from generate_series(1, $3) n where $1 <> $2",
        "insert into organisation_member (org_id, id, account_id, role, created_at)
         select $1, md5('m' || n)::uuid, md5('a' || n)::uuid, 'member', now() from generate_series(1, $3) n where $1 <> $2",
        "insert into sandbox_member (org_id, sandbox_id, id, account_id, role, created_at)
         select $1, $2, md5('s' || n)::uuid, md5('a' || n)::uuid, 'viewer', now() from generate_series(1, $3) n",
    ] {
        sqlx::query(statement)
            .bind(stage.organisation.uuid())
            .bind(sandbox.uuid())
            .bind(count)
            .execute(&stage.world.admin)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_deleted_sandbox_goes_in_batches_and_its_neighbour_stays() {
    let stage = Stage::new().await;
    let (going, staying) = (stage.sandbox(&stage.owner, "Going").await, stage.sandbox(&stage.owner, "Staying").await);
    for sandbox in [&going, &staying] {
        stage.areas(sandbox, &["web"]).await;
    }
    crowd(&stage, &going, 2_500).await;
    erase_due(&stage.world.app.gate).await.unwrap();
    assert_eq!(stage.owner.get(&going).await.status, 200, "what is in use is left alone");
    stage.owner.confirm(&stage.owner.delete(&going).await).await;
    erase_due(&stage.world.app.gate).await.unwrap();
    expect(&stage.owner.get(&going).await, 404, "not_found");
    assert_eq!(stage.owner.get(&staying).await.status, 200);
    assert_eq!(rows(&stage, "select count(*) from sandbox_member where org_id = $1").await, 0);
    assert_eq!(rows(&stage, "select count(*) from area where org_id = $1").await, 1);
    let counts = receipt(&stage, "sandbox").await;
    assert_eq!((&counts["sandbox_member"], &counts["area"], &counts["sandbox"]), (&json!(2_500), &json!(1), &json!(1)));
    assert_eq!(stage.world.records("sandbox.erase", "done").await, 3);
    erase_due(&stage.world.app.gate).await.unwrap();
    assert_eq!(stage.world.records("sandbox.erase", "done").await, 3, "nothing is due any more");
}

#[tokio::test]
async fn a_deleted_organisation_leaves_its_trail_and_a_receipt() {
    let stage = Stage::new().await;
    let other = stage.world.organisation(&stage.owner, "Other").await;
    let sandbox = stage.sandbox(&stage.owner, "S").await;
    stage.areas(&sandbox, &["web"]).await;
    stage.join("anna@example.org", "member").await;
    stage.grant(&sandbox, json!({"email": "anna@example.org", "role": "viewer"})).await;
    let done = stage.owner.confirm(&stage.owner.delete(&stage.path("")).await).await;
    assert!(done.status.is_success(), "{}", done.json);
    let before = rows(&stage, "select count(*) from audit_record where org_id = $1").await;
    erase_due(&stage.world.app.gate).await.unwrap();
    expect(&stage.owner.get(&stage.path("")).await, 404, "not_found");
    assert_eq!(stage.owner.get(&format!("/organisations/{other}")).await.status, 200);
    for step in STEPS {
        let statement = format!("select count(*) from {} where org_id = $1", step.table);
        let left: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(statement))
            .bind(stage.organisation.uuid())
            .fetch_one(&stage.world.admin)
            .await
            .unwrap();
        assert_eq!(left, 0, "{}", step.table);
    }
    assert!(rows(&stage, "select count(*) from audit_record where org_id = $1").await > before);
    let counts = receipt(&stage, "organisation").await;
    assert_eq!((&counts["organisation_member"], &counts["organisation"]), (&json!(2), &json!(1)), "{counts}");
}

#[tokio::test]
async fn nobody_else_erases() {
    let stage = Stage::new().await;
    let organisation = stage.organisation;
    let gate = &stage.world.app.gate;
    // Not even the job, while the organisation is in use.
    let refused = gate.perform(Call::job("erasure"), EraseOrganisation { organisation }).await;
    assert_eq!(refused.map(|done| done.output).unwrap_err().code(), contract::Code::Conflict);
    assert_eq!(stage.owner.get(&stage.path("")).await.status, 200);
}
