//! SQL on invitations, and on the memberships that an accepted one makes.

use contract::access::{OrganisationRole, Row};
use contract::id::{AccountId, InvitationId, MemberId, OrganisationId, OrganisationMemberId, SandboxId};
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::rules::{Offer, State};
use crate::error::Error;
use crate::gate::{Result, Timestamp};

/// An invitation as stored.
#[derive(Debug, Clone, FromRow)]
pub struct StoredInvitation {
    pub id: Uuid,
    pub sandbox_id: Option<Uuid>,
    pub email: String,
    role: String,
    areas: Option<Vec<String>>,
    agents: Option<String>,
    edit: Option<Value>,
    email_sign_in: bool,
    pub invited_by: Uuid,
    pub invited_by_name: Option<String>,
    state: String,
    pub revision: i64,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

impl StoredInvitation {
    pub fn id(&self) -> InvitationId {
        InvitationId::from_uuid(self.id)
    }

    pub fn state(&self) -> State {
        match self.state.as_str() {
            "open" => State::Open,
            "revoked" => State::Revoked,
            _ => State::Answered,
        }
    }

    pub fn offer(&self) -> Result<Offer> {
        let unreadable = |error: &dyn std::fmt::Display| {
            Error::internal(anyhow::anyhow!("invitation {} cannot be read: {error}", self.id()))
        };
        if self.sandbox_id.is_none() {
            let role = self.role.parse::<OrganisationRole>().map_err(|error| unreadable(&error))?;
            return Ok(Offer::Organisation { role });
        }
        let row = Row::stored(&self.role, self.areas.clone(), self.agents.as_deref(), self.edit.as_ref())
            .map_err(|error| unreadable(&error))?;
        Ok(Offer::Sandbox { row, email_sign_in: self.email_sign_in })
    }
}

/// What of an invitation is new.
pub struct NewInvitation<'a> {
    pub id: InvitationId,
    pub organisation: OrganisationId,
    pub sandbox: Option<SandboxId>,
    pub email: &'a str,
    pub offer: &'a Offer,
    pub token_hash: &'a [u8],
    pub invited_by: AccountId,
    pub expires_at: Timestamp,
}

/// The columns of [`StoredInvitation`] with the name of whoever invited.
macro_rules! invitation_where {
    ($condition:literal) => {
        concat!(
            "select i.id, i.sandbox_id, i.email, i.role, i.areas, i.agents, i.edit, i.email_sign_in, i.invited_by,
                    a.name as invited_by_name, i.state, i.revision, i.created_at, i.expires_at
             from invitation i left join account a on a.id = i.invited_by
             where i.org_id = $1 and i.sandbox_id is not distinct from $2 and ",
            $condition
        )
    };
}

pub async fn find(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
    id: InvitationId,
) -> Result<Option<StoredInvitation>> {
    Ok(sqlx::query_as(invitation_where!("i.id = $3"))
        .bind(organisation.uuid())
        .bind(sandbox.map(SandboxId::uuid))
        .bind(id.uuid())
        .fetch_optional(conn)
        .await?)
}

pub async fn by_token(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
    token_hash: &[u8],
) -> Result<Option<StoredInvitation>> {
    Ok(sqlx::query_as(invitation_where!("i.token_hash = $3"))
        .bind(organisation.uuid())
        .bind(sandbox.map(SandboxId::uuid))
        .bind(token_hash)
        .fetch_optional(conn)
        .await?)
}

/// Open invitations, oldest first, after this one.
pub async fn list(
    conn: &mut PgConnection,
    (organisation, sandbox): (OrganisationId, Option<SandboxId>),
    after: Option<(Timestamp, Uuid)>,
    limit: i64,
    pattern: Option<String>,
) -> Result<Vec<StoredInvitation>> {
    Ok(sqlx::query_as(invitation_where!(
        "i.state = 'open' and ($3::timestamptz is null or (i.created_at, i.id) > ($3, $4)) and ($6::text is null or i.email ilike $6)
         order by i.created_at, i.id limit $5"
    ))
    .bind(organisation.uuid())
    .bind(sandbox.map(SandboxId::uuid))
    .bind(after.map(|(at, _)| at))
    .bind(after.map(|(_, id)| id))
    .bind(limit)
    .bind(pattern)
    .fetch_all(conn)
    .await?)
}

pub async fn insert(conn: &mut PgConnection, new: &NewInvitation<'_>, at: Timestamp) -> Result<()> {
    let row = new.offer.row();
    let edit = row.and_then(|row| row.edit.as_ref()).map(serde_json::to_value).transpose().map_err(Error::internal)?;
    sqlx::query(
        "insert into invitation (org_id, id, sandbox_id, email, role, areas, agents, edit, email_sign_in, token_hash,
                                 invited_by, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(new.organisation.uuid())
    .bind(new.id.uuid())
    .bind(new.sandbox.map(SandboxId::uuid))
    .bind(new.email)
    .bind(new.offer.role())
    .bind(row.and_then(|row| row.areas.clone()))
    .bind(row.and_then(|row| row.agents).map(contract::access::Agents::as_str))
    .bind(edit)
    .bind(new.offer.email_sign_in())
    .bind(new.token_hash)
    .bind(new.invited_by.uuid())
    .bind(at)
    .bind(new.expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends one open invitation; whether it was open.
pub async fn end(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: InvitationId,
    state: &'static str,
    at: Timestamp,
) -> Result<bool> {
    let ended = sqlx::query(
        "update invitation set state = $3, ended_at = $4, revision = revision + 1
         where org_id = $1 and id = $2 and state = 'open'",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .bind(state)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(ended.rows_affected() == 1)
}

/// Takes back the open invitations of this scope to an address; how many.
pub async fn revoke_of_address(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
    email: &str,
    at: Timestamp,
) -> Result<u64> {
    let ended = sqlx::query(
        "update invitation set state = 'revoked', ended_at = $4, revision = revision + 1
         where org_id = $1 and coalesce(sandbox_id, org_id) = $2 and email = $3 and state = 'open'",
    )
    .bind(organisation.uuid())
    .bind(sandbox.map_or(organisation.uuid(), SandboxId::uuid))
    .bind(email)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(ended.rows_affected())
}

/// Takes back the open invitation into this sandbox to an account's address; how many.
pub async fn revoke_of_account(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: SandboxId,
    account: AccountId,
    at: Timestamp,
) -> Result<u64> {
    let ended = sqlx::query(
        "update invitation i set state = 'revoked', ended_at = $4, revision = revision + 1
         where org_id = $1 and coalesce(sandbox_id, org_id) = $2 and state = 'open'
           and email = (select a.email from account a where a.id = $3)",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(account.uuid())
    .bind(at)
    .execute(conn)
    .await?;
    Ok(ended.rows_affected())
}

/// Takes back every open invitation in the organisation that concerns a person: to their address, or sent by them.
pub async fn revoke_concerning(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    account: AccountId,
    at: Timestamp,
) -> Result<u64> {
    let ended = sqlx::query(
        "update invitation i set state = 'revoked', ended_at = $3, revision = revision + 1
         where org_id = $1 and state = 'open'
           and (invited_by = $2 or email = (select a.email from account a where a.id = $2))",
    )
    .bind(organisation.uuid())
    .bind(account.uuid())
    .bind(at)
    .execute(conn)
    .await?;
    Ok(ended.rows_affected())
}

/// Names of the organisation and, if the scope is one, of the sandbox.
pub async fn names(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
) -> Result<Option<(String, Option<String>)>> {
    Ok(sqlx::query_as(
        "select o.name, s.name from organisation o left join sandbox s on s.org_id = o.org_id and s.id = $2
         where o.org_id = $1",
    )
    .bind(organisation.uuid())
    .bind(sandbox.map(SandboxId::uuid))
    .fetch_optional(conn)
    .await?)
}

/// Which of these areas the sandbox has.
pub async fn existing_areas(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: SandboxId,
    names: &[String],
) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar("select name from area where org_id = $1 and sandbox_id = $2 and name = any($3)")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(names)
        .fetch_all(conn)
        .await?)
}

/// The person's row in the organisation.
pub async fn organisation_member(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    account: AccountId,
) -> Result<Option<(OrganisationMemberId, OrganisationRole)>> {
    let found: Option<(Uuid, String)> =
        sqlx::query_as("select id, role from organisation_member where org_id = $1 and account_id = $2")
            .bind(organisation.uuid())
            .bind(account.uuid())
            .fetch_optional(conn)
            .await?;
    found
        .map(|(id, role)| {
            let role = role.parse().map_err(|_| Error::internal(anyhow::anyhow!("unknown role {role}")))?;
            Ok((OrganisationMemberId::from_uuid(id), role))
        })
        .transpose()
}

/// Whether the person owns the sandbox or has a row in it.
pub async fn is_in_sandbox(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: SandboxId,
    account: AccountId,
) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "select exists (select 1 from sandbox where org_id = $1 and id = $2 and owner_account_id = $3)
             or exists (select 1 from sandbox_member where org_id = $1 and sandbox_id = $2 and account_id = $3)",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(account.uuid())
    .fetch_one(conn)
    .await?)
}

pub async fn insert_organisation_member(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: OrganisationMemberId,
    account: AccountId,
    role: OrganisationRole,
    at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "insert into organisation_member (org_id, id, account_id, role, created_at) values ($1, $2, $3, $4, $5)",
    )
    .bind(organisation.uuid())
    .bind(id.uuid())
    .bind(account.uuid())
    .bind(role.as_str())
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn raise_organisation_member(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    id: OrganisationMemberId,
    role: OrganisationRole,
) -> Result<()> {
    sqlx::query("update organisation_member set role = $3, revision = revision + 1 where org_id = $1 and id = $2")
        .bind(organisation.uuid())
        .bind(id.uuid())
        .bind(role.as_str())
        .execute(conn)
        .await?;
    Ok(())
}

/// The new row of a sandbox.
pub struct NewMember<'a> {
    pub organisation: OrganisationId,
    pub sandbox: SandboxId,
    pub id: MemberId,
    pub account: AccountId,
    pub row: &'a Row,
    pub email_sign_in: bool,
}

pub async fn insert_sandbox_member(conn: &mut PgConnection, new: &NewMember<'_>, at: Timestamp) -> Result<()> {
    let edit = new.row.edit.as_ref().map(serde_json::to_value).transpose().map_err(Error::internal)?;
    sqlx::query(
        "insert into sandbox_member (org_id, sandbox_id, id, account_id, role, areas, agents, edit, email_sign_in, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(new.organisation.uuid())
    .bind(new.sandbox.uuid())
    .bind(new.id.uuid())
    .bind(new.account.uuid())
    .bind(new.row.role.as_str())
    .bind(&new.row.areas)
    .bind(new.row.agents.map(contract::access::Agents::as_str))
    .bind(edit)
    .bind(new.email_sign_in)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}
