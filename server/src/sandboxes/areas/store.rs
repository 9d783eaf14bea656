//! All SQL on areas.

use contract::code::Code;
use contract::id::{AreaId, OrganisationId, SandboxId};
use sqlx::FromRow;
use uuid::Uuid;

use super::model::Area;
use crate::error::Error;
use crate::gate::{Result, Timestamp, Tx, Write};

#[derive(FromRow)]
struct Found {
    id: Uuid,
    name: String,
    revision: i64,
    created_at: Timestamp,
}

impl From<Found> for Area {
    fn from(found: Found) -> Self {
        let Found { id, name, revision, created_at } = found;
        Self { id: AreaId::from_uuid(id), name, revision, created_at }
    }
}

/// Two areas of a sandbox never have one name.
fn taken(error: sqlx::Error) -> Error {
    if error.as_database_error().is_some_and(|error| error.is_unique_violation()) {
        return Error::conflict(Code::NameTaken, "Another area of this sandbox has that name.");
    }
    error.into()
}

pub(super) async fn list<M>(tx: &mut Tx<M>, organisation: OrganisationId, sandbox: SandboxId) -> Result<Vec<Area>> {
    let found: Vec<Found> = sqlx::query_as(
        "select id, name, revision, created_at from area where org_id = $1 and sandbox_id = $2 order by name",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .fetch_all(tx.conn())
    .await?;
    Ok(found.into_iter().map(Into::into).collect())
}

pub(super) async fn count<M>(tx: &mut Tx<M>, organisation: OrganisationId, sandbox: SandboxId) -> Result<i64> {
    Ok(sqlx::query_scalar("select count(*) from area where org_id = $1 and sandbox_id = $2")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .fetch_one(tx.conn())
        .await?)
}

pub(super) async fn find<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    area: AreaId,
) -> Result<Area> {
    let found: Option<Found> = sqlx::query_as(
        "select id, name, revision, created_at from area where org_id = $1 and sandbox_id = $2 and id = $3",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(area.uuid())
    .fetch_optional(tx.conn())
    .await?;
    found.map(Into::into).ok_or(Error::NotFound)
}

pub(super) async fn create(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    area: AreaId,
    name: &str,
    at: Timestamp,
) -> Result<Area> {
    let found: Found = sqlx::query_as(
        "insert into area (org_id, sandbox_id, id, name, created_at) values ($1, $2, $3, $4, $5)
         returning id, name, revision, created_at",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(area.uuid())
    .bind(name)
    .bind(at)
    .fetch_one(tx.conn())
    .await
    .map_err(taken)?;
    Ok(found.into())
}

pub(super) async fn rename(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    area: AreaId,
    name: &str,
) -> Result<Area> {
    let found: Found = sqlx::query_as(
        "update area set name = $4, revision = revision + 1 where org_id = $1 and sandbox_id = $2 and id = $3
         returning id, name, revision, created_at",
    )
    .bind(organisation.uuid())
    .bind(sandbox.uuid())
    .bind(area.uuid())
    .bind(name)
    .fetch_one(tx.conn())
    .await
    .map_err(taken)?;
    Ok(found.into())
}

pub(super) async fn delete(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    area: AreaId,
) -> Result<()> {
    sqlx::query("delete from area where org_id = $1 and sandbox_id = $2 and id = $3")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(area.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Those of `names` that the sandbox has no area of, in their order.
///
/// # Errors
/// The database's.
pub(crate) async fn unknown<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    names: &[String],
) -> Result<Vec<String>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known: Vec<String> =
        sqlx::query_scalar("select name from area where org_id = $1 and sandbox_id = $2 and name = any($3)")
            .bind(organisation.uuid())
            .bind(sandbox.uuid())
            .bind(names)
            .fetch_all(tx.conn())
            .await?;
    Ok(names.iter().filter(|name| !known.contains(name)).cloned().collect())
}
