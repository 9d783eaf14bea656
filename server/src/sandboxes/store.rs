//! All SQL on sandboxes. The caller's row and the owner's address are read beside them.

use contract::access::{Access, Row};
use contract::id::{AccountId, OrganisationId, SandboxId};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::Error;
use crate::gate::emergency::Stop;
use crate::gate::{Result, Timestamp, Tx, Write};
use crate::organisations::Life;

/// A stored sandbox with its owner's address.
pub(crate) struct SandboxRow {
    pub(super) id: SandboxId,
    pub(super) name: String,
    pub(super) status: Life,
    pub(super) owner: AccountId,
    pub(super) owner_email: Option<String>,
    pub(super) revision: i64,
    pub(super) created_at: Timestamp,
}

/// A sandbox in a list, with what the reader has there.
pub(crate) struct ListedRow {
    pub(super) sandbox: SandboxRow,
    /// By a row of their own.
    pub(super) granted: Option<Access>,
    /// An emergency stop of this sandbox alone.
    pub(super) stopped: bool,
}

/// Where a page begins: after this row.
pub(crate) type After = (Timestamp, Uuid);

/// What a page of sandboxes is asked for.
pub(super) struct Wanted<'a> {
    pub(super) organisation: OrganisationId,
    pub(super) reader: AccountId,
    /// The reader sees all sandboxes, not only those that they own or have a row in.
    pub(super) all: bool,
    pub(super) after: After,
    pub(super) search: Option<&'a str>,
    pub(super) limit: i64,
}

#[derive(FromRow)]
struct Found {
    id: Uuid,
    name: String,
    status: String,
    owner_account_id: Uuid,
    owner_email: Option<String>,
    revision: i64,
    created_at: Timestamp,
}

impl From<Found> for SandboxRow {
    fn from(found: Found) -> Self {
        Self {
            id: SandboxId::from_uuid(found.id),
            name: found.name,
            status: Life::stored(&found.status),
            owner: AccountId::from_uuid(found.owner_account_id),
            owner_email: found.owner_email,
            revision: found.revision,
            created_at: found.created_at,
        }
    }
}

#[derive(FromRow)]
struct FoundListed {
    #[sqlx(flatten)]
    sandbox: Found,
    role: Option<String>,
    areas: Option<Vec<String>>,
    agents: Option<String>,
    edit: Option<Value>,
    stop: Option<Value>,
}

impl TryFrom<FoundListed> for ListedRow {
    type Error = Error;

    fn try_from(found: FoundListed) -> Result<Self> {
        let granted = match &found.role {
            Some(role) => Some(
                Row::stored(role, found.areas, found.agents.as_deref(), found.edit.as_ref())
                    .map_err(|_| Error::internal(anyhow::anyhow!("a stored member row cannot be read")))?
                    .resolve(),
            ),
            None => None,
        };
        let stopped = Stop::read(found.stop.as_ref()).engaged();
        Ok(Self { sandbox: found.sandbox.into(), granted, stopped })
    }
}

pub(super) async fn page<M>(tx: &mut Tx<M>, wanted: Wanted<'_>) -> Result<Vec<ListedRow>> {
    let found: Vec<FoundListed> = sqlx::query_as(
        "select s.id, s.name, s.status, s.owner_account_id, o.email_typed as owner_email, s.revision, s.created_at,
                m.role, m.areas, m.agents, m.edit, e.state as stop
         from sandbox s
         left join account o on o.id = s.owner_account_id
         left join sandbox_member m on m.org_id = s.org_id and m.sandbox_id = s.id and m.account_id = $2
         left join emergency e on e.org_id = s.org_id and e.scope_id = s.id
         where s.org_id = $1 and (s.created_at, s.id) > ($4, $5)
           and ($3 or s.owner_account_id = $2 or m.id is not null)
           and ($6::text is null or s.name ilike $6)
         order by s.created_at, s.id limit $7",
    )
    .bind(wanted.organisation.uuid())
    .bind(wanted.reader.uuid())
    .bind(wanted.all)
    .bind(wanted.after.0)
    .bind(wanted.after.1)
    .bind(wanted.search)
    .bind(wanted.limit)
    .fetch_all(tx.conn())
    .await?;
    found.into_iter().map(TryInto::try_into).collect()
}

pub(super) async fn find<M>(tx: &mut Tx<M>, organisation: OrganisationId, sandbox: SandboxId) -> Result<SandboxRow> {
    let found: Option<Found> = sqlx::query_as(
        "select s.id, s.name, s.status, s.owner_account_id, a.email_typed as owner_email, s.revision, s.created_at
         from sandbox s left join account a on a.id = s.owner_account_id where s.org_id = $1 and s.id = $2",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .fetch_optional(tx.conn())
    .await?;
    found.map(Into::into).ok_or(Error::NotFound)
}

pub(super) async fn create(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    name: &str,
    owner: AccountId,
    at: Timestamp,
) -> Result<()> {
    sqlx::query("insert into sandbox (org_id, id, name, owner_account_id, created_at) values ($1, $2, $3, $4, $5)")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(name)
        .bind(owner.uuid())
        .bind(at)
        .execute(tx.conn())
        .await?;
    Ok(())
}

pub(super) async fn rename(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    name: &str,
) -> Result<()> {
    sqlx::query("update sandbox set name = $3, revision = revision + 1 where org_id = $1 and id = $2")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(name)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Ends a sandbox's life; false where it has been ended before.
pub(super) async fn terminate(tx: &mut Tx<Write>, organisation: OrganisationId, sandbox: SandboxId) -> Result<bool> {
    let done = sqlx::query(
        "update sandbox set status = 'terminating', revision = revision + 1
         where org_id = $1 and id = $2 and status = 'active'",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn set_owner(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    owner: AccountId,
) -> Result<()> {
    sqlx::query("update sandbox set owner_account_id = $3, revision = revision + 1 where org_id = $1 and id = $2")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(owner.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Passes every sandbox that `from` owns in the organisation to `to`, and answers which those were.
///
/// # Errors
/// The database's.
pub(crate) async fn hand_over(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    from: AccountId,
    to: AccountId,
) -> Result<Vec<SandboxId>> {
    let passed: Vec<Uuid> = sqlx::query_scalar(
        "update sandbox set owner_account_id = $3, revision = revision + 1
         where org_id = $1 and owner_account_id = $2 returning id",
    )
    .bind(organisation.uuid())
    .bind(from.uuid())
    .bind(to.uuid())
    .fetch_all(tx.conn())
    .await?;
    Ok(passed.into_iter().map(SandboxId::from_uuid).collect())
}
