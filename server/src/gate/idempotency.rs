//! A repeated mutation gets its first answer. Kept beside the change, in its transaction, for 24 hours and per account.

use chrono::TimeDelta;
use contract::code::Code;
use contract::id::AccountId;
use serde_json::Value;
use sqlx::PgConnection;

use super::caller::Call;
use super::record::Receipt;
use super::{Result, Timestamp};
use crate::error::Error;

const KEPT: TimeDelta = TimeDelta::hours(24);

/// The answer of an earlier request with this key.
///
/// # Errors
/// A conflict where the key was used for another request.
pub(super) async fn earlier(conn: &mut PgConnection, call: &Call, at: Timestamp) -> Result<Option<(Value, Receipt)>> {
    let (Some(key), Some(account)) = (&call.idempotency, call.account()) else {
        return Ok(None);
    };
    let found: Option<(Vec<u8>, Value, Value)> = sqlx::query_as(
        "select request_digest, output, receipt from idempotency where account_id = $1 and key_hash = $2 and created_at > $3",
    )
    .bind(account.uuid())
    .bind(key.key_hash.as_slice())
    .bind(at - KEPT)
    .fetch_optional(conn)
    .await?;
    match found {
        None => Ok(None),
        Some((digest, output, receipt)) if digest == key.request_digest => {
            Ok(Some((output, serde_json::from_value(receipt).map_err(Error::internal)?)))
        }
        Some(_) => Err(Error::conflict(
            Code::IdempotencyReused,
            "This Idempotency-Key was used for another request. Choose a new one.",
        )),
    }
}

/// Keeps an answer. An expired one with the same key gives way.
pub(super) async fn keep(
    conn: &mut PgConnection,
    call: &Call,
    output: &Value,
    receipt: &Receipt,
    at: Timestamp,
) -> Result<()> {
    let (Some(key), Some(account)) = (&call.idempotency, call.account().map(AccountId::uuid)) else {
        return Ok(());
    };
    sqlx::query("delete from idempotency where account_id = $1 and created_at <= $2")
        .bind(account)
        .bind(at - KEPT)
        .execute(&mut *conn)
        .await?;
    sqlx::query(
        "insert into idempotency (account_id, key_hash, request_digest, output, receipt, created_at) values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(account)
    .bind(key.key_hash.as_slice())
    .bind(key.request_digest.as_slice())
    .bind(output)
    .bind(serde_json::to_value(receipt).map_err(Error::internal)?)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}
