//! The keys under which people's personal fields lie in records: one for each person and organisation. Deleting a key
//! erases what it sealed and leaves every hash valid.

use sqlx::PgConnection;
use uuid::{Builder, Uuid};

use super::operation::Subject;
pub(crate) use super::record::append;
use super::{Result, Timestamp};
use crate::crypto::keyring::{Key, KeyRing, PersonKey, Purpose};
use crate::crypto::seal::{Place, keyed_hash};
use crate::error::Error;

/// Finds or makes the person's key in this organisation.
///
/// A new key is random in each attempt: one that is undone takes its key and the record that used it along, so a repeated
/// attempt cannot disagree with an earlier one. A key is remembered in the process only when another transaction's commit
/// made it, because this one may still be undone.
///
/// # Errors
/// The database's, or an internal one when the stored key does not open.
pub(super) async fn key_of(
    conn: &mut PgConnection,
    keys: &KeyRing,
    organisation: Uuid,
    subject: &Subject,
    at: Timestamp,
) -> Result<PersonKey> {
    let (stored, cached) = names(keys, organisation, subject);
    if let Some(key) = keys.remembered(organisation, &cached) {
        return Ok(key);
    }
    for _ in 0..2 {
        if let Some((key, own)) = find(conn, keys, organisation, &stored).await? {
            if !own {
                keys.remember(organisation, cached, key.clone());
            }
            return Ok(key);
        }
        let key =
            PersonKey { id: Builder::from_random_bytes(rand::random()).into_uuid(), key: Key::new(rand::random()) };
        let wrapped = keys
            .wrap(&place(organisation, &key.id.simple().to_string()), rand::random(), key.key.as_slice())
            .map_err(Error::internal)?;
        let made = sqlx::query(
            "insert into person_key (org_id, id, subject, wrapped, created_at) values ($1, $2, $3, $4, $5)
             on conflict (org_id, subject) do nothing",
        )
        .bind(organisation)
        .bind(key.id)
        .bind(&stored)
        .bind(&wrapped)
        .bind(at)
        .execute(&mut *conn)
        .await?;
        if made.rows_affected() == 1 {
            return Ok(key);
        }
    }
    Err(Error::internal(anyhow::anyhow!("a person's key can be neither found nor made")))
}

async fn find(
    conn: &mut PgConnection,
    keys: &KeyRing,
    organisation: Uuid,
    subject: &[u8],
) -> Result<Option<(PersonKey, bool)>> {
    let row: Option<(Uuid, Vec<u8>, bool)> = sqlx::query_as(
        "select id, wrapped, xact = pg_current_xact_id() from person_key where org_id = $1 and subject = $2",
    )
    .bind(organisation)
    .bind(subject)
    .fetch_optional(conn)
    .await?;
    row.map(|(id, wrapped, own)| Ok((open(keys, organisation, id, &wrapped)?, own))).transpose()
}

/// Opens a stored key.
///
/// # Errors
/// An internal one when it was sealed elsewhere or under a key that the key file does not hold.
pub(crate) fn open(keys: &KeyRing, organisation: Uuid, id: Uuid, wrapped: &[u8]) -> Result<PersonKey> {
    let plain = keys.unwrap(&place(organisation, &id.simple().to_string()), wrapped).map_err(Error::internal)?;
    let key = <[u8; 32]>::try_from(plain.as_slice()).map_err(Error::internal)?;
    Ok(PersonKey { id, key: Key::new(key) })
}

fn place(organisation: Uuid, row: &str) -> Place<'_> {
    Place { table: "person_key", column: "wrapped", organisation, row, version: 1, purpose: "person" }
}

/// How the subject is stored and how it is cached: an account by its id, an address only as a keyed hash.
fn names(keys: &KeyRing, organisation: Uuid, subject: &Subject) -> (Vec<u8>, [u8; 32]) {
    match subject {
        Subject::Account(account) => {
            let mut cached = [0; 32];
            cached[..16].copy_from_slice(account.uuid().as_bytes());
            (account.uuid().as_bytes().to_vec(), cached)
        }
        Subject::Address(address) => {
            let hash = keyed_hash(&keys.derive(Purpose::Subject), &[organisation.as_bytes(), address.as_bytes()]);
            (hash.to_vec(), hash)
        }
    }
}
