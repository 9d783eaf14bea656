//! All SQL on proposals and the answers to them.

use std::str::FromStr;

use contract::code::Code;
use contract::id::{AccountId, OrganisationId, ProposalId, SandboxId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Open, Row};
use crate::crypto::passkey::Credential;
use crate::error::Error;
use crate::gate::policy::Action;
use crate::gate::{Result, Scope, Timestamp, Tx, Write};

pub(super) async fn passkeys(conn: &mut PgConnection, account: AccountId) -> Result<Vec<(Uuid, Credential)>> {
    let rows: Vec<(Uuid, Value)> =
        sqlx::query_as("select id, credential from passkey where account_id = $1 order by created_at")
            .bind(account.uuid())
            .fetch_all(conn)
            .await?;
    rows.into_iter().map(|(id, value)| Ok((id, serde_json::from_value(value).map_err(Error::internal)?))).collect()
}

pub(super) async fn load(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: ProposalId,
) -> Result<Option<Open>> {
    let row: Option<Row> = sqlx::query_as(
        "select action, version, operation, sandbox_id, description, digest, nonce, policy_version, target_revision, requires,
                proposed_by, state, expires_at, frozen_at
         from proposal where org_id = $1 and id = $2",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        let action =
            Action::from_str(&row.action).map_err(|code| Error::internal(anyhow::anyhow!("{code}: {}", row.action)))?;
        Ok(Open { id, organisation, action, row })
    })
    .transpose()
}

pub(super) async fn insert(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: ProposalId,
    row: &Row,
    at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "insert into proposal (org_id, id, action, version, operation, sandbox_id, description, digest, nonce, policy_version,
                               target_revision, requires, proposed_by, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .bind(&row.action)
    .bind(row.version)
    .bind(&row.operation)
    .bind(row.sandbox_id)
    .bind(&row.description)
    .bind(&row.digest)
    .bind(&row.nonce)
    .bind(&row.policy_version)
    .bind(row.target_revision)
    .bind(row.requires)
    .bind(row.proposed_by)
    .bind(at)
    .bind(row.expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes the person's answer, uses the ceremony up, and tells who has answered so far.
pub(super) async fn approve(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: ProposalId,
    account: AccountId,
    at: Timestamp,
) -> Result<Vec<AccountId>> {
    sqlx::query(
        "update proposal_approval set approved_at = coalesce(approved_at, $4), ceremony = null
         where org_id = $1 and proposal_id = $2 and account_id = $3",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .bind(account.uuid())
    .bind(at)
    .execute(&mut *conn)
    .await?;
    let approved: Vec<Uuid> = sqlx::query_scalar(
        "select account_id from proposal_approval
         where org_id = $1 and proposal_id = $2 and approved_at is not null order by approved_at",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .fetch_all(conn)
    .await?;
    Ok(approved.into_iter().map(AccountId::from_uuid).collect())
}

pub(super) async fn park(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: ProposalId,
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "update proposal set parked_at = $3, expires_at = $4, revision = revision + 1 where org_id = $1 and id = $2",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .bind(at)
    .bind(expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn finish(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: ProposalId,
    state: &str,
    reason: Option<Code>,
    at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "update proposal set state = $3, reason = $4, ended_at = $5, revision = revision + 1
         where org_id = $1 and id = $2 and state = 'open'",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .bind(state)
    .bind(reason.map(Code::as_str))
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

impl Tx<Write> {
    /// Stops the clocks of a scope's open proposals while an emergency stop is engaged. Answers how many.
    ///
    /// # Errors
    /// The database's.
    pub async fn freeze_proposals(&mut self, scope: Scope, at: Timestamp) -> Result<Vec<(ProposalId, String)>> {
        let rows: Vec<(Uuid, String)> = sqlx::query_as(
            "update proposal set frozen_at = $3 where org_id = $1 and ($2::uuid is null or sandbox_id = $2) and state = 'open'
             and frozen_at is null and expires_at > $3 returning id, action",
        )
        .bind(scope.organisation().map(OrganisationId::uuid))
        .bind(scope.sandbox().map(SandboxId::uuid))
        .bind(at)
        .fetch_all(self.conn())
        .await?;
        Ok(rows.into_iter().map(|(id, action)| (ProposalId::from_uuid(id), action)).collect())
    }

    /// Lets the clocks run on from where they stood.
    ///
    /// # Errors
    /// The database's.
    pub async fn thaw_proposals(&mut self, scope: Scope, at: Timestamp) -> Result<()> {
        sqlx::query(
            "update proposal set expires_at = expires_at + ($3 - frozen_at), frozen_at = null
             where org_id = $1 and ($2::uuid is null or sandbox_id = $2) and state = 'open' and frozen_at is not null",
        )
        .bind(scope.organisation().map(OrganisationId::uuid))
        .bind(scope.sandbox().map(SandboxId::uuid))
        .bind(at)
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
