//! All SQL on organisations and their rosters. Names and addresses of people are read beside the rosters.

use contract::access::OrganisationRole;
use contract::id::{AccountId, OrganisationId, OrganisationMemberId};
use sqlx::FromRow;
use uuid::Uuid;

use super::model::Life;
use crate::error::Error;
use crate::gate::{Result, Timestamp, Tx, Write};

/// A stored organisation.
pub(crate) struct OrganisationRow {
    pub(super) id: OrganisationId,
    pub(super) name: String,
    pub(super) status: Life,
    pub(super) revision: i64,
    pub(super) created_at: Timestamp,
}

/// A stored membership with its person.
pub(crate) struct MemberRow {
    pub(super) id: OrganisationMemberId,
    pub(super) account: AccountId,
    pub(super) email: String,
    pub(super) name: String,
    pub(super) role: OrganisationRole,
    pub(super) revision: i64,
    pub(super) created_at: Timestamp,
}

/// Where a page begins: after this row. The start of everything is before any row.
pub(crate) type After = (Timestamp, Uuid);

#[derive(FromRow)]
struct FoundOrganisation {
    org_id: Uuid,
    name: String,
    status: String,
    revision: i64,
    created_at: Timestamp,
}

impl From<FoundOrganisation> for OrganisationRow {
    fn from(found: FoundOrganisation) -> Self {
        Self {
            id: OrganisationId::from_uuid(found.org_id),
            name: found.name,
            status: Life::stored(&found.status),
            revision: found.revision,
            created_at: found.created_at,
        }
    }
}

#[derive(FromRow)]
struct FoundMember {
    id: Uuid,
    account_id: Uuid,
    email_typed: String,
    name: String,
    role: String,
    revision: i64,
    created_at: Timestamp,
}

impl TryFrom<FoundMember> for MemberRow {
    type Error = Error;

    fn try_from(found: FoundMember) -> Result<Self> {
        Ok(Self {
            id: OrganisationMemberId::from_uuid(found.id),
            account: AccountId::from_uuid(found.account_id),
            email: found.email_typed,
            name: found.name,
            role: role(&found.role)?,
            revision: found.revision,
            created_at: found.created_at,
        })
    }
}

fn role(word: &str) -> Result<OrganisationRole> {
    word.parse().map_err(|_| Error::internal(anyhow::anyhow!("an organisation member's stored role cannot be read")))
}

pub(super) async fn find<M>(tx: &mut Tx<M>, organisation: OrganisationId) -> Result<OrganisationRow> {
    let found: Option<FoundOrganisation> =
        sqlx::query_as("select org_id, name, status, revision, created_at from organisation where org_id = $1")
            .bind(organisation.uuid())
            .fetch_optional(tx.conn())
            .await?;
    found.map(Into::into).ok_or(Error::NotFound)
}

/// The organisations that a person belongs to, each with their role, oldest membership first.
pub(super) async fn of_account<M>(
    tx: &mut Tx<M>,
    account: AccountId,
) -> Result<Vec<(OrganisationRow, OrganisationRole)>> {
    #[derive(FromRow)]
    struct Found {
        #[sqlx(flatten)]
        organisation: FoundOrganisation,
        role: String,
    }
    let found: Vec<Found> = sqlx::query_as(
        "select o.org_id, o.name, o.status, o.revision, o.created_at, m.role
         from organisation_member m join organisation o on o.org_id = m.org_id
         where m.account_id = $1 order by m.created_at, m.id",
    )
    .bind(account.uuid())
    .fetch_all(tx.conn())
    .await?;
    found.into_iter().map(|found| Ok((found.organisation.into(), role(&found.role)?))).collect()
}

pub(super) async fn create(
    tx: &mut Tx<Write>,
    id: OrganisationId,
    name: &str,
    at: Timestamp,
) -> Result<OrganisationRow> {
    let found: FoundOrganisation = sqlx::query_as(
        "insert into organisation (org_id, name, created_at) values ($1, $2, $3)
         returning org_id, name, status, revision, created_at",
    )
    .bind(id.uuid())
    .bind(name)
    .bind(at)
    .fetch_one(tx.conn())
    .await?;
    Ok(found.into())
}

pub(super) async fn rename(tx: &mut Tx<Write>, organisation: OrganisationId, name: &str) -> Result<OrganisationRow> {
    let found: FoundOrganisation = sqlx::query_as(
        "update organisation set name = $2, revision = revision + 1 where org_id = $1
         returning org_id, name, status, revision, created_at",
    )
    .bind(organisation.uuid())
    .bind(name)
    .fetch_one(tx.conn())
    .await?;
    Ok(found.into())
}

/// Ends an organisation's life; none where it has been ended before.
pub(super) async fn terminate(tx: &mut Tx<Write>, organisation: OrganisationId) -> Result<Option<OrganisationRow>> {
    let found: Option<FoundOrganisation> = sqlx::query_as(
        "update organisation set status = 'terminating', revision = revision + 1 where org_id = $1 and status = 'active'
         returning org_id, name, status, revision, created_at",
    )
    .bind(organisation.uuid())
    .fetch_optional(tx.conn())
    .await?;
    Ok(found.map(Into::into))
}

pub(super) async fn add_member(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    member: OrganisationMemberId,
    account: AccountId,
    role: OrganisationRole,
    at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "insert into organisation_member (org_id, id, account_id, role, created_at) values ($1, $2, $3, $4, $5)",
    )
    .bind(organisation.uuid())
    .bind(member.uuid())
    .bind(account.uuid())
    .bind(role.as_str())
    .bind(at)
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub(super) async fn page<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    after: After,
    search: Option<&str>,
    limit: i64,
) -> Result<Vec<MemberRow>> {
    let found: Vec<FoundMember> = sqlx::query_as(
        "select m.id, m.account_id, a.email_typed, a.name, m.role, m.revision, m.created_at
         from organisation_member m join account a on a.id = m.account_id
         where m.org_id = $1 and (m.created_at, m.id) > ($2, $3)
           and ($4::text is null or a.name ilike $4 or a.email ilike $4 or a.email_typed ilike $4)
         order by m.created_at, m.id limit $5",
    )
    .bind(organisation.uuid())
    .bind(after.0)
    .bind(after.1)
    .bind(search)
    .bind(limit)
    .fetch_all(tx.conn())
    .await?;
    found.into_iter().map(TryInto::try_into).collect()
}

pub(super) async fn member<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    member: OrganisationMemberId,
) -> Result<MemberRow> {
    let found: Option<FoundMember> = sqlx::query_as(
        "select m.id, m.account_id, a.email_typed, a.name, m.role, m.revision, m.created_at
         from organisation_member m join account a on a.id = m.account_id
         where m.org_id = $1 and m.id = $2",
    )
    .bind(organisation.uuid())
    .bind(member.uuid())
    .fetch_optional(tx.conn())
    .await?;
    found.ok_or(Error::NotFound)?.try_into()
}

pub(super) async fn member_of_account<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    account: AccountId,
) -> Result<MemberRow> {
    let found: Option<FoundMember> = sqlx::query_as(
        "select m.id, m.account_id, a.email_typed, a.name, m.role, m.revision, m.created_at
         from organisation_member m join account a on a.id = m.account_id
         where m.org_id = $1 and m.account_id = $2",
    )
    .bind(organisation.uuid())
    .bind(account.uuid())
    .fetch_optional(tx.conn())
    .await?;
    found.ok_or(Error::NotFound)?.try_into()
}

pub(super) async fn count_owners<M>(tx: &mut Tx<M>, organisation: OrganisationId) -> Result<i64> {
    Ok(sqlx::query_scalar("select count(*) from organisation_member where org_id = $1 and role = 'owner'")
        .bind(organisation.uuid())
        .fetch_one(tx.conn())
        .await?)
}

/// Who takes over from somebody who goes: the earliest other owner.
pub(super) async fn heir<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    from: AccountId,
) -> Result<Option<AccountId>> {
    let found: Option<Uuid> = sqlx::query_scalar(
        "select account_id from organisation_member where org_id = $1 and role = 'owner' and account_id <> $2
         order by created_at, id limit 1",
    )
    .bind(organisation.uuid())
    .bind(from.uuid())
    .fetch_optional(tx.conn())
    .await?;
    Ok(found.map(AccountId::from_uuid))
}

/// Sets the role and answers the new revision.
pub(super) async fn set_role(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    member: OrganisationMemberId,
    role: OrganisationRole,
) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "update organisation_member set role = $3, revision = revision + 1 where org_id = $1 and id = $2 returning revision",
    )
    .bind(organisation.uuid())
    .bind(member.uuid())
    .bind(role.as_str())
    .fetch_one(tx.conn())
    .await?)
}

pub(super) async fn remove_member(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    member: OrganisationMemberId,
) -> Result<()> {
    sqlx::query("delete from organisation_member where org_id = $1 and id = $2")
        .bind(organisation.uuid())
        .bind(member.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}
