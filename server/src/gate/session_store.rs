//! Cookie sessions in PostgreSQL, and the only code that reads or writes what a session holds.
//!
//! A session names a sign-in and its account and nothing else; the `sign_in` row decides whether they still count. The
//! id in the cookie is a bearer secret, so the table keeps only its SHA-256.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contract::id::{AccountId, SignInId};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use tower_sessions::cookie::SameSite;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};
use tower_sessions::{ExpiredDeletion, Expiry, Session, SessionManagerLayer, SessionStore};

use super::caller::Claim;

/// Name of the cookie. The prefix makes browsers insist on `Secure`, path `/` and no domain.
pub const COOKIE: &str = "__Host-bailiwick";
/// Takes the cookie away. The session layer's own removal lacks `Secure`, which the prefix demands.
pub const REMOVAL: &str = "__Host-bailiwick=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0";

const SIGN_IN: &str = "signIn";
const ACCOUNT: &str = "account";
/// Only a session whose expiry nobody set lives this long; those of a sign-in end with it.
const UNCLAIMED_HOURS: i64 = 1;
/// Ids are 128 random bits: a second collision in a row means that something else is wrong.
const TRIES: u8 = 4;

/// The store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PgSessionStore {
    pool: PgPool,
}

/// The session layer of the whole API.
pub fn layer(pool: PgPool) -> SessionManagerLayer<PgSessionStore> {
    SessionManagerLayer::new(PgSessionStore::new(pool))
        .with_name(COOKIE)
        .with_secure(true)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(time::Duration::hours(UNCLAIMED_HOURS)))
}

/// Makes `session` the session of this sign-in, under a new id, so that an id planted before proves nothing.
///
/// # Errors
/// The store's.
pub async fn open(
    session: &Session,
    account: AccountId,
    sign_in: SignInId,
    expires_at: DateTime<Utc>,
) -> std::result::Result<(), tower_sessions::session::Error> {
    session.cycle_id().await?;
    session.clear().await;
    session.insert(SIGN_IN, sign_in).await?;
    session.insert(ACCOUNT, account).await?;
    let expires_at = time::OffsetDateTime::from_unix_timestamp(expires_at.timestamp())
        .map_err(|error| Error::Encode(error.to_string()))?;
    session.set_expiry(Some(Expiry::AtDateTime(expires_at)));
    Ok(())
}

/// What the request's session claims, if it names a sign-in.
///
/// # Errors
/// The store's.
pub async fn claim(session: &Session) -> std::result::Result<Option<Claim>, tower_sessions::session::Error> {
    // Reading a session that does not exist would only log a warning for each anonymous request.
    if session.id().is_none() {
        return Ok(None);
    }
    let sign_in: Option<SignInId> = session.get(SIGN_IN).await?;
    let account: Option<AccountId> = session.get(ACCOUNT).await?;
    Ok(account.zip(sign_in).map(|(account, sign_in)| Claim::of_session(account, sign_in)))
}

impl PgSessionStore {
    /// A store on the server's pool.
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}

#[async_trait]
impl SessionStore for PgSessionStore {
    async fn create(&self, record: &mut Record) -> Result<()> {
        // Sign-ins are rare, and each clears away what ended before it.
        self.delete_expired().await?;
        for _ in 0..TRIES {
            let inserted = sqlx::query(
                "insert into session (id_hash, data, expires_at) values ($1, $2, $3) on conflict do nothing",
            )
            .bind(hash(&record.id))
            .bind(data(record)?)
            .bind(instant(record)?)
            .execute(&self.pool)
            .await
            .map_err(backend)?;
            if inserted.rows_affected() == 1 {
                return Ok(());
            }
            record.id = Id::default();
        }
        Err(Error::Backend("no free session id".to_owned()))
    }

    /// Never inserts: a request that was under way when its session ended must not bring it back.
    async fn save(&self, record: &Record) -> Result<()> {
        sqlx::query("update session set data = $2, expires_at = $3 where id_hash = $1")
            .bind(hash(&record.id))
            .bind(data(record)?)
            .bind(instant(record)?)
            .execute(&self.pool)
            .await
            .map_err(backend)?;
        Ok(())
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found: Option<(Value, DateTime<Utc>)> =
            sqlx::query_as("select data, expires_at from session where id_hash = $1 and expires_at > now()")
                .bind(hash(id))
                .fetch_optional(&self.pool)
                .await
                .map_err(backend)?;
        let Some((data, expires_at)) = found else {
            return Ok(None);
        };
        let data = serde_json::from_value(data).map_err(|error| Error::Decode(error.to_string()))?;
        let expiry_date = time::OffsetDateTime::from_unix_timestamp(expires_at.timestamp())
            .map_err(|error| Error::Decode(error.to_string()))?;
        Ok(Some(Record { id: *id, data, expiry_date }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        sqlx::query("delete from session where id_hash = $1")
            .bind(hash(id))
            .execute(&self.pool)
            .await
            .map_err(backend)?;
        Ok(())
    }
}

#[async_trait]
impl ExpiredDeletion for PgSessionStore {
    async fn delete_expired(&self) -> Result<()> {
        sqlx::query("delete from session where expires_at <= now()").execute(&self.pool).await.map_err(backend)?;
        Ok(())
    }
}

fn hash(id: &Id) -> Vec<u8> {
    Sha256::digest(id.0.to_le_bytes()).to_vec()
}

fn data(record: &Record) -> Result<Value> {
    serde_json::to_value(&record.data).map_err(|error| Error::Encode(error.to_string()))
}

fn instant(record: &Record) -> Result<DateTime<Utc>> {
    let date = record.expiry_date;
    DateTime::from_timestamp(date.unix_timestamp(), date.nanosecond())
        .ok_or_else(|| Error::Encode("the expiry is out of range".to_owned()))
}

fn backend(error: sqlx::Error) -> Error {
    Error::Backend(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::testing::World;

    #[expect(clippy::disallowed_methods, reason = "what is stored is compared with the database's clock")]
    fn record(id: i128, hours: i64) -> Record {
        let expiry_date = time::OffsetDateTime::now_utc() + time::Duration::hours(hours);
        Record { id: Id(id), data: HashMap::from_iter([("n".to_owned(), id.to_string().into())]), expiry_date }
    }

    #[tokio::test]
    async fn a_request_under_way_does_not_bring_an_ended_session_back() {
        let world = World::new().await;
        let store = PgSessionStore::new(world.app.session_pool());
        let mut kept = record(1, 1);
        store.create(&mut kept).await.unwrap();
        kept.data.insert("more".to_owned(), true.into());
        store.save(&kept).await.unwrap();
        assert_eq!(store.load(&kept.id).await.unwrap().unwrap().data, kept.data);
        store.delete(&kept.id).await.unwrap();
        store.save(&kept).await.unwrap();
        assert_eq!(store.load(&kept.id).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_taken_id_is_left_alone_and_an_id_is_stored_as_its_hash() {
        let world = World::new().await;
        let store = PgSessionStore::new(world.app.session_pool());
        let (mut first, mut second) = (record(1, 1), record(1, 1));
        second.data.clear();
        store.create(&mut first).await.unwrap();
        store.create(&mut second).await.unwrap();
        assert_ne!(first.id, second.id);
        assert_eq!(store.load(&Id(1)).await.unwrap().unwrap().data, first.data);
        let hashes: Vec<Vec<u8>> =
            sqlx::query_scalar("select id_hash from session").fetch_all(&world.admin).await.unwrap();
        assert!(hashes.contains(&Sha256::digest(1_i128.to_le_bytes()).to_vec()));
    }

    #[tokio::test]
    async fn an_expired_session_is_no_session_and_goes_with_the_next() {
        let world = World::new().await;
        let store = PgSessionStore::new(world.app.session_pool());
        store.create(&mut record(1, -1)).await.unwrap();
        assert_eq!(store.load(&Id(1)).await.unwrap(), None);
        store.create(&mut record(2, 1)).await.unwrap();
        let kept: i64 = sqlx::query_scalar("select count(*) from session").fetch_one(&world.admin).await.unwrap();
        assert_eq!(kept, 1);
    }
}
