//! All SQL on the rosters of sandboxes. Names and addresses of people are read beside them. An open invitation carries a
//! row that is not yet anybody's, so what keeps area names right covers both.

use contract::access::Row;
use contract::id::{AccountId, MemberId, OrganisationId, SandboxId};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use super::model::SandboxOwner;
use crate::error::Error;
use crate::gate::{Result, Timestamp, Tx, Write};

/// A stored row with its person.
pub(crate) struct MemberRow {
    pub(super) id: MemberId,
    pub(super) person: Person,
    pub(super) row: Row,
    pub(super) email_sign_in: bool,
    pub(super) revision: i64,
    pub(super) created_at: Timestamp,
}

/// Somebody who belongs to the organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    /// Their account.
    pub account: AccountId,
    /// Their address, as they typed it.
    pub email: String,
    /// Their display name.
    pub name: String,
}

/// Where a page begins: after this row.
pub(crate) type After = (Timestamp, Uuid);

/// What a grant writes.
pub(super) struct Written<'a> {
    pub(super) organisation: OrganisationId,
    pub(super) sandbox: SandboxId,
    /// Identity of the row, if there is none yet.
    pub(super) member: MemberId,
    pub(super) account: AccountId,
    pub(super) row: &'a Row,
    /// Absent keeps what the row says.
    pub(super) email_sign_in: Option<bool>,
    pub(super) at: Timestamp,
}

#[derive(FromRow)]
struct FoundPerson {
    account_id: Uuid,
    email_typed: String,
    name: String,
}

impl From<FoundPerson> for Person {
    fn from(found: FoundPerson) -> Self {
        Self { account: AccountId::from_uuid(found.account_id), email: found.email_typed, name: found.name }
    }
}

#[derive(FromRow)]
struct Found {
    id: Uuid,
    #[sqlx(flatten)]
    person: FoundPerson,
    role: String,
    areas: Option<Vec<String>>,
    agents: Option<String>,
    edit: Option<Value>,
    email_sign_in: bool,
    revision: i64,
    created_at: Timestamp,
}

impl TryFrom<Found> for MemberRow {
    type Error = Error;

    fn try_from(found: Found) -> Result<Self> {
        let row = Row::stored(&found.role, found.areas, found.agents.as_deref(), found.edit.as_ref())
            .map_err(|_| Error::internal(anyhow::anyhow!("a stored member row cannot be read")))?;
        Ok(Self {
            id: MemberId::from_uuid(found.id),
            person: found.person.into(),
            row,
            email_sign_in: found.email_sign_in,
            revision: found.revision,
            created_at: found.created_at,
        })
    }
}

pub(super) async fn page<M>(
    tx: &mut Tx<M>,
    (organisation, sandbox): (OrganisationId, SandboxId),
    after: After,
    search: Option<&str>,
    limit: i64,
) -> Result<Vec<MemberRow>> {
    let found: Vec<Found> = sqlx::query_as(
        "select m.id, m.account_id, a.email_typed, a.name, m.role, m.areas, m.agents, m.edit, m.email_sign_in, m.revision,
                m.created_at
         from sandbox_member m join account a on a.id = m.account_id
         where m.org_id = $1 and m.sandbox_id = $2 and (m.created_at, m.id) > ($3, $4)
           and ($5::text is null or a.name ilike $5 or a.email ilike $5 or a.email_typed ilike $5)
         order by m.created_at, m.id limit $6",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(after.0)
    .bind(after.1)
    .bind(search)
    .bind(limit)
    .fetch_all(tx.conn())
    .await?;
    found.into_iter().map(TryInto::try_into).collect()
}

pub(super) async fn owner<M>(tx: &mut Tx<M>, owner: AccountId) -> Result<Option<SandboxOwner>> {
    let found: Option<FoundPerson> =
        sqlx::query_as("select id as account_id, email_typed, name from account where id = $1")
            .bind(owner.uuid())
            .fetch_optional(tx.conn())
            .await?;
    Ok(found.map(|found| SandboxOwner { account_id: owner, email: found.email_typed, name: found.name }))
}

pub(super) async fn find<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    member: MemberId,
) -> Result<Option<MemberRow>> {
    let found: Option<Found> = sqlx::query_as(
        "select m.id, m.account_id, a.email_typed, a.name, m.role, m.areas, m.agents, m.edit, m.email_sign_in, m.revision,
                m.created_at
         from sandbox_member m join account a on a.id = m.account_id
         where m.org_id = $1 and m.sandbox_id = $2 and m.id = $3",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(member.uuid())
    .fetch_optional(tx.conn())
    .await?;
    found.map(TryInto::try_into).transpose()
}

pub(super) async fn of_account<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    account: AccountId,
) -> Result<Option<MemberRow>> {
    let found: Option<Found> = sqlx::query_as(
        "select m.id, m.account_id, a.email_typed, a.name, m.role, m.areas, m.agents, m.edit, m.email_sign_in, m.revision,
                m.created_at
         from sandbox_member m join account a on a.id = m.account_id
         where m.org_id = $1 and m.sandbox_id = $2 and m.account_id = $3",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(account.uuid())
    .fetch_optional(tx.conn())
    .await?;
    found.map(TryInto::try_into).transpose()
}

/// Whoever belongs to the organisation under this normalised address.
pub(super) async fn addressed<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    address: &str,
) -> Result<Option<Person>> {
    let found: Option<FoundPerson> = sqlx::query_as(
        "select m.account_id, a.email_typed, a.name
         from account a join organisation_member m on m.org_id = $1 and m.account_id = a.id where a.email = $2",
    )
    .bind(organisation.uuid())
    .bind(address)
    .fetch_optional(tx.conn())
    .await?;
    Ok(found.map(Into::into))
}

/// The person behind a row of this roster.
///
/// # Errors
/// The database's.
pub(crate) async fn person<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    member: MemberId,
) -> Result<Option<Person>> {
    Ok(find(tx, organisation, sandbox, member).await?.map(|row| row.person))
}

fn edit_column(row: &Row) -> Result<Option<Value>> {
    row.edit.as_ref().map(serde_json::to_value).transpose().map_err(Error::internal)
}

/// Writes a row, or writes over the one that the person has. There is never a second one.
pub(super) async fn write(tx: &mut Tx<Write>, written: Written<'_>) -> Result<()> {
    let row = written.row;
    sqlx::query(
        "insert into sandbox_member as m
           (org_id, sandbox_id, id, account_id, role, areas, agents, edit, email_sign_in, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, false), $10)
         on conflict (org_id, sandbox_id, account_id) do update
         set role = excluded.role, areas = excluded.areas, agents = excluded.agents, edit = excluded.edit,
             email_sign_in = coalesce($9, m.email_sign_in), revision = m.revision + 1",
    )
    .bind(written.organisation.uuid())
    .bind(written.sandbox.uuid())
    .bind(written.member.uuid())
    .bind(written.account.uuid())
    .bind(row.role.as_str())
    .bind(row.areas.as_deref())
    .bind(row.agents.map(|agents| agents.as_str()))
    .bind(edit_column(row)?)
    .bind(written.email_sign_in)
    .bind(written.at)
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub(super) async fn remove(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    member: MemberId,
) -> Result<()> {
    sqlx::query("delete from sandbox_member where org_id = $1 and sandbox_id = $2 and id = $3")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(member.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Gives somebody without a row one that manages the sandbox.
///
/// # Errors
/// The database's.
pub(crate) async fn add_maintainer(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    member: MemberId,
    account: AccountId,
    at: Timestamp,
) -> Result<()> {
    let row = Row { role: contract::access::Tier::Maintainer, areas: None, agents: None, edit: None };
    write(tx, Written { organisation, sandbox, member, account, row: &row, email_sign_in: None, at }).await
}

/// Removes a person's rows from these sandboxes' rosters.
///
/// # Errors
/// The database's.
pub(crate) async fn leave_rosters(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandboxes: &[SandboxId],
    account: AccountId,
) -> Result<()> {
    let sandboxes: Vec<Uuid> = sandboxes.iter().map(|sandbox| sandbox.uuid()).collect();
    sqlx::query("delete from sandbox_member where org_id = $1 and sandbox_id = any($2) and account_id = $3")
        .bind(organisation.uuid())
        .bind(sandboxes)
        .bind(account.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Removes a person's rows from every roster of the organisation.
///
/// # Errors
/// The database's.
pub(crate) async fn leave_all_rosters(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    account: AccountId,
) -> Result<()> {
    sqlx::query("delete from sandbox_member where org_id = $1 and account_id = $2")
        .bind(organisation.uuid())
        .bind(account.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Lets every row and every open invitation that names the area `from` name `to` instead.
///
/// # Errors
/// The database's.
pub(crate) async fn rename_area(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    from: &str,
    to: &str,
) -> Result<()> {
    for statement in [
        "update sandbox_member set areas = array_replace(areas, $3, $4), revision = revision + 1,
           edit = case when jsonb_typeof(edit) = 'array' and edit @> jsonb_build_array($3::text)
             then (edit - $3) || jsonb_build_array($4::text) else edit end
         where org_id = $1 and sandbox_id = $2
           and ($3 = any(areas) or (jsonb_typeof(edit) = 'array' and edit @> jsonb_build_array($3::text)))",
        "update invitation set areas = array_replace(areas, $3, $4), revision = revision + 1,
           edit = case when jsonb_typeof(edit) = 'array' and edit @> jsonb_build_array($3::text)
             then (edit - $3) || jsonb_build_array($4::text) else edit end
         where org_id = $1 and sandbox_id = $2 and state = 'open'
           and ($3 = any(areas) or (jsonb_typeof(edit) = 'array' and edit @> jsonb_build_array($3::text)))",
    ] {
        sqlx::query(statement)
            .bind(organisation.uuid())
            .bind(sandbox.uuid())
            .bind(from)
            .bind(to)
            .execute(tx.conn())
            .await?;
    }
    Ok(())
}

/// Whether a row, or an invitation that can still be accepted, names the area.
///
/// # Errors
/// The database's.
pub(crate) async fn is_area_named<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    area: &str,
    at: Timestamp,
) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "select exists (select 1 from sandbox_member where org_id = $1 and sandbox_id = $2
             and ($3 = any(areas) or (jsonb_typeof(edit) = 'array' and edit @> jsonb_build_array($3::text))))
           or exists (select 1 from invitation where org_id = $1 and sandbox_id = $2 and state = 'open' and expires_at > $4
             and ($3 = any(areas) or (jsonb_typeof(edit) = 'array' and edit @> jsonb_build_array($3::text))))",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(area)
    .bind(at)
    .fetch_one(tx.conn())
    .await?)
}
