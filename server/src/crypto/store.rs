//! The canary: a row that only the right key file opens, so that a server with the wrong one never starts to write.

use sqlx::PgConnection;
use uuid::Uuid;

use super::keyring::KeyRing;
use super::seal::{Place, SealError};

const PLAIN: &[u8] = b"bailiwick canary v1";

/// Why a key file does not belong to a database.
#[derive(Debug, thiserror::Error)]
pub enum CanaryError {
    /// Sealed under keys that the file does not hold.
    #[error(
        "the key file holds root key {given}, but this database was written with {needed}; mount the right key file"
    )]
    WrongKey {
        /// Fingerprints that the database knows.
        needed: String,
        /// Fingerprints of the file.
        given: String,
    },
    /// The fingerprint fits and the value does not open.
    #[error("the database's check value does not open: {0}")]
    Rejected(#[from] SealError),
    /// Keys were wrapped here before and the canary is gone.
    #[error("the database holds wrapped keys but no check value: restore it completely before you start the server")]
    Removed,
    /// The database does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Checks that the ring fits this database and plants the canary of a root key that has none. `nonce` is random.
///
/// # Errors
/// [`CanaryError`]; the server must not start then.
pub async fn check_canary(conn: &mut PgConnection, ring: &KeyRing, nonce: [u8; 24]) -> Result<(), CanaryError> {
    let known = canaries(conn).await?;
    if known.is_empty() {
        let wrapped: bool = sqlx::query_scalar("select keys_are_wrapped()").fetch_one(&mut *conn).await?;
        if wrapped {
            return Err(CanaryError::Removed);
        }
    }
    let mut opened = 0;
    for (id, sealed) in &known {
        if ring.ids().any(|held| held == id) {
            let value = ring.unwrap(&place(id), sealed)?;
            if value.as_slice() != PLAIN {
                return Err(SealError::Damaged.into());
            }
            opened += 1;
        }
    }
    if opened == 0 && !known.is_empty() {
        let needed = known.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join(", ");
        return Err(CanaryError::WrongKey { needed, given: ring.ids().collect::<Vec<_>>().join(", ") });
    }
    let active = ring.active();
    if !known.iter().any(|(id, _)| id == active) {
        let sealed = ring.wrap(&place(active), nonce, PLAIN)?;
        sqlx::query("insert into key_canary (root_id, sealed) values ($1, $2) on conflict do nothing")
            .bind(active)
            .bind(sealed)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}

async fn canaries(conn: &mut PgConnection) -> Result<Vec<(String, Vec<u8>)>, sqlx::Error> {
    sqlx::query_as("select root_id, sealed from key_canary order by root_id").fetch_all(conn).await
}

fn place(id: &str) -> Place<'_> {
    Place { table: "key_canary", column: "sealed", organisation: Uuid::nil(), row: id, version: 1, purpose: "canary" }
}
