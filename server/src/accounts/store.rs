//! SQL on accounts, passkeys, sign-ins, ceremonies and the first owner's link.

use contract::id::{AccountId, OrganisationId, PasskeyId, SandboxId, SignInId};
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::{NewAccount, NewPasskey, NewSignIn};
use crate::crypto::passkey::Credential;
use crate::error::Error;
use crate::gate::{Result, Timestamp};

/// A registered passkey.
pub struct StoredPasskey {
    pub id: PasskeyId,
    pub account: AccountId,
    pub credential: Credential,
}

/// A link for the first owner.
#[derive(FromRow)]
pub struct StoredLink {
    pub expires_at: Timestamp,
    pub used_at: Option<Timestamp>,
}

/// An organisation that the account belongs to.
#[derive(FromRow)]
pub struct MyOrganisation {
    pub id: Uuid,
    pub name: String,
    pub role: String,
}

/// A sandbox that the account owns or is a member of.
#[derive(FromRow)]
pub struct MySandbox {
    pub organisation_id: Uuid,
    pub organisation_name: String,
    pub id: Uuid,
    pub name: String,
    pub owner: bool,
    pub role: Option<String>,
    pub areas: Option<Vec<String>>,
    pub agents: Option<String>,
    pub edit: Option<Value>,
}

impl MyOrganisation {
    pub fn id(&self) -> OrganisationId {
        OrganisationId::from_uuid(self.id)
    }
}

impl MySandbox {
    pub fn id(&self) -> SandboxId {
        SandboxId::from_uuid(self.id)
    }
}

pub async fn insert_ceremony(
    conn: &mut PgConnection,
    id: Uuid,
    kind: &str,
    state: &Value,
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<()> {
    // Nobody else removes what was begun and never finished.
    sqlx::query("delete from ceremony where expires_at <= $1").bind(at).execute(&mut *conn).await?;
    sqlx::query("insert into ceremony (id, kind, state, expires_at) values ($1, $2, $3, $4)")
        .bind(id)
        .bind(kind)
        .bind(state)
        .bind(expires_at)
        .execute(conn)
        .await?;
    Ok(())
}

/// The state of a ceremony that is still open.
pub async fn ceremony(conn: &mut PgConnection, id: Uuid, kind: &str, at: Timestamp) -> Result<Option<Value>> {
    Ok(sqlx::query_scalar("select state from ceremony where id = $1 and kind = $2 and expires_at > $3")
        .bind(id)
        .bind(kind)
        .bind(at)
        .fetch_optional(conn)
        .await?)
}

/// Whether the ceremony was still there to be removed.
pub async fn delete_ceremony(conn: &mut PgConnection, id: Uuid) -> Result<bool> {
    let deleted = sqlx::query("delete from ceremony where id = $1").bind(id).execute(conn).await?;
    Ok(deleted.rows_affected() == 1)
}

pub async fn any_account(conn: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar("select exists (select 1 from account)").fetch_one(conn).await?)
}

pub async fn account_of_email(conn: &mut PgConnection, email: &str) -> Result<Option<AccountId>> {
    let found: Option<Uuid> =
        sqlx::query_scalar("select id from account where email = $1").bind(email).fetch_optional(conn).await?;
    Ok(found.map(AccountId::from_uuid))
}

pub async fn insert_account(conn: &mut PgConnection, new: &NewAccount, at: Timestamp) -> Result<()> {
    sqlx::query(
        "insert into account (id, email, email_typed, name, operator, created_at) values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(new.id.uuid())
    .bind(&new.email.address)
    .bind(&new.email.typed)
    .bind(&new.name)
    .bind(new.operator)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn insert_passkey(conn: &mut PgConnection, new: &NewPasskey, at: Timestamp) -> Result<()> {
    sqlx::query(
        "insert into passkey (id, account_id, credential_id, credential, name, created_at, last_used_at)
         values ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(new.id.uuid())
    .bind(new.account.uuid())
    .bind(new.credential.id())
    .bind(serde_json::to_value(&new.credential).map_err(Error::internal)?)
    .bind(&new.name)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn passkey_of_credential(conn: &mut PgConnection, credential_id: &[u8]) -> Result<Option<StoredPasskey>> {
    let found: Option<(Uuid, Uuid, Value)> =
        sqlx::query_as("select id, account_id, credential from passkey where credential_id = $1")
            .bind(credential_id)
            .fetch_optional(conn)
            .await?;
    found
        .map(|(id, account, credential)| {
            Ok(StoredPasskey {
                id: PasskeyId::from_uuid(id),
                account: AccountId::from_uuid(account),
                credential: serde_json::from_value(credential).map_err(Error::internal)?,
            })
        })
        .transpose()
}

pub async fn update_passkey(
    conn: &mut PgConnection,
    id: PasskeyId,
    credential: &Credential,
    at: Timestamp,
) -> Result<()> {
    sqlx::query("update passkey set credential = $2, last_used_at = $3 where id = $1")
        .bind(id.uuid())
        .bind(serde_json::to_value(credential).map_err(Error::internal)?)
        .bind(at)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn insert_sign_in(conn: &mut PgConnection, new: &NewSignIn, at: Timestamp) -> Result<()> {
    sqlx::query(
        "insert into sign_in (id, account_id, method, network_address, created_at, seen_at, idle_expires_at, expires_at)
         values ($1, $2, $3, $4, $5, $5, $6, $7)",
    )
    .bind(new.id.uuid())
    .bind(new.account.uuid())
    .bind(new.method)
    .bind(&new.address)
    .bind(at)
    .bind(new.idle_expires_at)
    .bind(new.expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end_sign_in(conn: &mut PgConnection, id: SignInId, reason: &str, at: Timestamp) -> Result<()> {
    sqlx::query("update sign_in set ended_at = $2, ended_reason = $3 where id = $1 and ended_at is null")
        .bind(id.uuid())
        .bind(at)
        .bind(reason)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn touch_sign_in(
    conn: &mut PgConnection,
    id: SignInId,
    at: Timestamp,
    idle_expires_at: Timestamp,
) -> Result<()> {
    sqlx::query(
        "update sign_in set seen_at = $2, idle_expires_at = $3 where id = $1 and ended_at is null and seen_at < $2",
    )
    .bind(id.uuid())
    .bind(at)
    .bind(idle_expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn replace_first_owner_link(
    conn: &mut PgConnection,
    id: Uuid,
    token_hash: &[u8],
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<()> {
    end_first_owner_links(conn, at).await?;
    sqlx::query("insert into first_owner_link (id, token_hash, created_at, expires_at) values ($1, $2, $3, $4)")
        .bind(id)
        .bind(token_hash)
        .bind(at)
        .bind(expires_at)
        .execute(conn)
        .await?;
    Ok(())
}

/// Every link that still works stops working.
pub async fn end_first_owner_links(conn: &mut PgConnection, at: Timestamp) -> Result<()> {
    sqlx::query("update first_owner_link set expires_at = $1 where used_at is null and expires_at > $1")
        .bind(at)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn first_owner_link(conn: &mut PgConnection, token_hash: &[u8]) -> Result<Option<StoredLink>> {
    Ok(sqlx::query_as("select expires_at, used_at from first_owner_link where token_hash = $1")
        .bind(token_hash)
        .fetch_optional(conn)
        .await?)
}

pub async fn use_first_owner_link(conn: &mut PgConnection, token_hash: &[u8], at: Timestamp) -> Result<()> {
    sqlx::query("update first_owner_link set used_at = $2 where token_hash = $1")
        .bind(token_hash)
        .bind(at)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn my_organisations(conn: &mut PgConnection, account: AccountId) -> Result<Vec<MyOrganisation>> {
    Ok(sqlx::query_as(
        "select o.org_id as id, o.name, m.role from organisation_member m join organisation o on o.org_id = m.org_id
         where m.account_id = $1 order by o.name, o.org_id",
    )
    .bind(account.uuid())
    .fetch_all(conn)
    .await?)
}

pub async fn my_sandboxes(conn: &mut PgConnection, account: AccountId) -> Result<Vec<MySandbox>> {
    Ok(sqlx::query_as(
        "select s.org_id as organisation_id, o.name as organisation_name, s.id, s.name,
                s.owner_account_id = $1 as owner, m.role, m.areas, m.agents, m.edit
         from sandbox s
         join organisation o on o.org_id = s.org_id
         left join sandbox_member m on m.org_id = s.org_id and m.sandbox_id = s.id and m.account_id = $1
         where s.owner_account_id = $1 or m.account_id = $1
         order by o.name, s.name, s.id",
    )
    .bind(account.uuid())
    .fetch_all(conn)
    .await?)
}
