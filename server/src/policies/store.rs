//! All SQL on policy documents.

use chrono::{DateTime, Utc};
use contract::id::{AccountId, OrganisationId};
use serde_json::Value;
use uuid::Uuid;

use crate::gate::{Result, Scope, Timestamp, Tx, Write};

fn organisation(scope: Scope) -> Option<Uuid> {
    scope.organisation().map(OrganisationId::uuid)
}

/// The newest version of a scope's document and its number.
pub(super) async fn newest<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Option<(i64, Value)>> {
    Ok(sqlx::query_as(
        "select version, document from policy_document where org_id = $1 and scope_id = $2 order by version desc limit 1",
    )
    .bind(organisation(scope))
    .bind(scope.key())
    .fetch_optional(tx.conn())
    .await?)
}

pub(super) async fn insert(
    tx: &mut Tx<Write>,
    scope: Scope,
    version: i64,
    document: &Value,
    by: Option<AccountId>,
    at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "insert into policy_document (org_id, scope_id, version, document, created_at, created_by) values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(organisation(scope))
    .bind(scope.key())
    .bind(version)
    .bind(document)
    .bind(at)
    .bind(by.map_or(Uuid::nil(), AccountId::uuid))
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// One stored version.
#[derive(sqlx::FromRow)]
pub struct Version {
    pub(super) version: i64,
    pub(super) document: Value,
    pub(super) created_at: DateTime<Utc>,
    pub(super) created_by: Uuid,
    pub(super) name: Option<String>,
}

/// The newest 100 versions, newest first.
pub(super) async fn versions<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Vec<Version>> {
    Ok(sqlx::query_as(
        "select p.version, p.document, p.created_at, p.created_by, a.name from policy_document p
         left join account a on a.id = p.created_by
         where p.org_id = $1 and p.scope_id = $2 order by p.version desc limit 100",
    )
    .bind(organisation(scope))
    .bind(scope.key())
    .fetch_all(tx.conn())
    .await?)
}
