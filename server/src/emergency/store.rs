//! All SQL on emergency states and their targets.

use contract::id::{OrganisationId, SandboxId};
use serde_json::Value;
use uuid::Uuid;

use super::operations::{Target, TargetState};
use crate::error::Error;
use crate::gate::{Result, Scope, Tx, Write};

fn organisation(scope: Scope) -> Option<Uuid> {
    scope.organisation().map(OrganisationId::uuid)
}

pub(super) async fn state<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Option<(Value, i64)>> {
    Ok(sqlx::query_as("select state, revision from emergency where org_id = $1 and scope_id = $2")
        .bind(organisation(scope))
        .bind(scope.key())
        .fetch_optional(tx.conn())
        .await?)
}

pub(super) async fn put_state(tx: &mut Tx<Write>, scope: Scope, state: &Value) -> Result<()> {
    sqlx::query(
        "insert into emergency (org_id, scope_id, state) values ($1, $2, $3)
         on conflict (org_id, scope_id) do update set state = excluded.state, revision = emergency.revision + 1",
    )
    .bind(organisation(scope))
    .bind(scope.key())
    .bind(state)
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub(super) async fn targets<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Vec<Target>> {
    let rows: Vec<(String, Uuid, String, String)> = sqlx::query_as(
        "select kind, target_id, label, state from emergency_target where org_id = $1 and scope_id = $2
         order by kind, label, target_id",
    )
    .bind(organisation(scope))
    .bind(scope.key())
    .fetch_all(tx.conn())
    .await?;
    rows.into_iter()
        .map(|(kind, id, label, state)| {
            let state =
                TargetState::parse(&state).ok_or_else(|| Error::internal(anyhow::anyhow!("unknown state {state}")))?;
            Ok(Target { id: crate::emergency::operations::wire_id(&kind, id), kind, label, state })
        })
        .collect()
}

pub(super) async fn clear_targets(tx: &mut Tx<Write>, scope: Scope) -> Result<()> {
    sqlx::query("delete from emergency_target where org_id = $1 and scope_id = $2")
        .bind(organisation(scope))
        .bind(scope.key())
        .execute(tx.conn())
        .await?;
    Ok(())
}

pub(super) async fn put_target(
    tx: &mut Tx<Write>,
    scope: Scope,
    kind: &str,
    id: Uuid,
    label: &str,
    state: TargetState,
) -> Result<()> {
    sqlx::query(
        "insert into emergency_target (org_id, scope_id, kind, target_id, label, state) values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(organisation(scope))
    .bind(scope.key())
    .bind(kind)
    .bind(id)
    .bind(label)
    .bind(state.as_str())
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The sandboxes that a stop of this scope covers.
pub(super) async fn sandboxes<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Vec<(SandboxId, String)>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "select id, name from sandbox where org_id = $1 and ($2::uuid is null or id = $2) and status = 'active' order by created_at, id",
    )
    .bind(organisation(scope))
    .bind(scope.sandbox().map(SandboxId::uuid))
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|(id, name)| (SandboxId::from_uuid(id), name)).collect())
}

/// Display name of a colleague.
pub(super) async fn name_of<M>(tx: &mut Tx<M>, account: Uuid) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("select name from account where id = $1").bind(account).fetch_optional(tx.conn()).await?)
}
