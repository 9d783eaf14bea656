//! What the explorer reads, as the application's role behind its fence.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use contract::audit::Record;
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use super::super::operations::Filters;
use crate::gate::Timestamp;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Rows that a follower is given at once.
const FOLLOWED: i64 = 200;

/// A record as its columns say, with its number in the organisation's chain once it is sealed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub record: Uuid,
    pub at: Timestamp,
    pub sandbox: Option<Uuid>,
    pub actor_kind: String,
    pub actor_id: Option<String>,
    pub action: String,
    pub target_kind: String,
    pub target_id: String,
    pub decision: String,
    pub outcome: String,
    pub reason: Option<String>,
    pub seq: Option<i64>,
    /// The record's bytes in base64.
    pub bytes: String,
}

impl Row {
    /// The bytes as they were hashed.
    pub fn raw(&self) -> Vec<u8> {
        BASE64.decode(&self.bytes).unwrap_or_default()
    }

    fn read(row: &PgRow) -> Result<Self> {
        Ok(Self {
            record: row.try_get(0)?,
            at: row.try_get(1)?,
            sandbox: row.try_get(2)?,
            actor_kind: row.try_get(3)?,
            actor_id: row.try_get(4)?,
            action: row.try_get(5)?,
            target_kind: row.try_get(6)?,
            target_id: row.try_get(7)?,
            decision: row.try_get(8)?,
            outcome: row.try_get(9)?,
            reason: row.try_get(10)?,
            seq: row.try_get(11)?,
            bytes: BASE64.encode(row.try_get::<&[u8], _>(12)?),
        })
    }
}

/// A person's key as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WrappedKey {
    pub id: Uuid,
    pub wrapped: Vec<u8>,
}

/// A record's place in one chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Place {
    pub chain: Uuid,
    pub seq: i64,
    pub link: Vec<u8>,
    pub previous: Option<Vec<u8>>,
    pub mac: Vec<u8>,
}

/// One record with everything that proves it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FullRecord {
    pub row: Row,
    pub places: Vec<Place>,
    pub keys: Vec<WrappedKey>,
}

/// The newest checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpointed {
    pub note: String,
    pub size: i64,
    pub root: Vec<u8>,
    pub at: Timestamp,
}

/// A page, newest ids first. Ids begin with their time, so their order is the order of time within a millisecond.
pub async fn page(
    conn: &mut PgConnection,
    organisation: Uuid,
    sandbox: Option<Uuid>,
    filters: &Filters,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Row>> {
    let rows = sqlx::query(
        "select r.record_id, r.at, r.sandbox_id, r.actor_kind, r.actor_id, r.action, r.target_kind, r.target_id, r.decision, r.outcome,
                r.reason, l.seq, r.bytes
         from (
           select * from audit_record
           where org_id = $1
             and ($2::uuid is null or sandbox_id = $2)
             and ($3::uuid is null or record_id < $3)
             and ($4::text is null or actor_id = $4)
             and ($5::text is null or action = $5)
             and ($6::text is null or starts_with(action, $6))
             and ($7::text is null or target_id = $7 or target_kind = $7)
             and ($8::text is null or outcome = $8)
             and ($9::text is null or decision = $9)
             and ($10::timestamptz is null or at >= $10)
             and ($11::timestamptz is null or at < $11)
             and ($12::text is null
                  or position(lower($12) in lower(concat_ws(' ', action, actor_id, target_kind, target_id, reason))) > 0)
           order by record_id desc limit $13) r
         left join audit_link l on l.record_id = r.record_id and l.chain_id = $1
         order by r.record_id desc",
    )
    .bind(organisation)
    .bind(sandbox)
    .bind(before)
    .bind(&filters.actor)
    .bind(&filters.action)
    .bind(&filters.action_prefix)
    .bind(&filters.target)
    .bind(&filters.outcome)
    .bind(&filters.decision)
    .bind(filters.from)
    .bind(filters.to)
    .bind(&filters.search)
    .bind(limit)
    // Which filters are given decides the plan, so none is kept for all of them.
    .persistent(false)
    .fetch_all(conn)
    .await?;
    rows.iter().map(Row::read).collect()
}

/// The number of the last sealed record of a chain.
pub async fn end(conn: &mut PgConnection, chain: Uuid) -> Result<i64> {
    let seq: Option<i64> =
        sqlx::query_scalar("select seq from audit_head where chain_id = $1").bind(chain).fetch_optional(conn).await?;
    Ok(seq.unwrap_or_default())
}

/// Records sealed into a chain after a number, in its order, and the position behind them.
pub async fn sealed_after(
    conn: &mut PgConnection,
    organisation: Uuid,
    chain: Uuid,
    after: i64,
    actor: Option<&str>,
) -> Result<(i64, Vec<Row>)> {
    let rows = sqlx::query(
        "select r.record_id, r.at, r.sandbox_id, r.actor_kind, r.actor_id, r.action, r.target_kind, r.target_id, r.decision, r.outcome,
                r.reason, o.seq, r.bytes, l.seq
         from (select * from audit_link where chain_id = $1 and seq > $2 order by seq limit $4) l
         join audit_record r on r.org_id = $3 and r.record_id = l.record_id
         left join audit_link o on o.record_id = l.record_id and o.chain_id = $3
         order by l.seq",
    )
    .bind(chain)
    .bind(after)
    .bind(organisation)
    .bind(FOLLOWED)
    .fetch_all(conn)
    .await?;
    let mut position = after;
    let mut found = Vec::new();
    for row in &rows {
        position = row.try_get(13)?;
        let read = Row::read(row)?;
        if actor.is_none_or(|actor| read.actor_id.as_deref() == Some(actor)) {
            found.push(read);
        }
    }
    Ok((position, found))
}

/// Keys of the people whose names these rows carry, where they still exist.
pub async fn keys(conn: &mut PgConnection, organisation: Uuid, rows: &[Row]) -> Result<Vec<WrappedKey>> {
    let mut ids: Vec<Uuid> = rows
        .iter()
        .filter_map(|row| Record::decode(&row.raw()).ok())
        .flat_map(|record| record.sealed)
        .filter_map(|sealed| Uuid::try_parse(&sealed.key).ok())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let found: Vec<(Uuid, Vec<u8>)> =
        sqlx::query_as("select id, wrapped from person_key where org_id = $1 and id = any($2)")
            .bind(organisation)
            .bind(ids)
            .fetch_all(conn)
            .await?;
    Ok(found.into_iter().map(|(id, wrapped)| WrappedKey { id, wrapped }).collect())
}

/// One record with its places and keys.
#[expect(clippy::type_complexity, reason = "columns of one statement, read where they are named")]
pub async fn full(conn: &mut PgConnection, organisation: Uuid, record: Uuid) -> Result<Option<FullRecord>> {
    let row = sqlx::query(
        "select r.record_id, r.at, r.sandbox_id, r.actor_kind, r.actor_id, r.action, r.target_kind, r.target_id, r.decision, r.outcome,
                r.reason, l.seq, r.bytes
         from audit_record r left join audit_link l on l.record_id = r.record_id and l.chain_id = r.org_id
         where r.org_id = $1 and r.record_id = $2",
    )
    .bind(organisation)
    .bind(record)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row.as_ref().map(Row::read).transpose()? else { return Ok(None) };
    let places: Vec<(Uuid, i64, Vec<u8>, Option<Vec<u8>>, Vec<u8>)> = sqlx::query_as(
        "select l.chain_id, l.seq, l.link, p.link, l.mac from audit_link l
         left join audit_link p on p.chain_id = l.chain_id and p.seq = l.seq - 1
         where l.record_id = $1 order by l.chain_id = $2",
    )
    .bind(record)
    .bind(organisation)
    .fetch_all(&mut *conn)
    .await?;
    let places =
        places.into_iter().map(|(chain, seq, link, previous, mac)| Place { chain, seq, link, previous, mac }).collect();
    let keys = keys(conn, organisation, std::slice::from_ref(&row)).await?;
    Ok(Some(FullRecord { row, places, keys }))
}

/// The newest checkpoint of a chain.
pub async fn checkpoint(conn: &mut PgConnection, chain: Uuid) -> Result<Option<Checkpointed>> {
    let row: Option<(String, i64, Vec<u8>, Timestamp)> = sqlx::query_as(
        "select note, size, root, signed_at from audit_checkpoint where chain_id = $1 order by epoch desc limit 1",
    )
    .bind(chain)
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|(note, size, root, at)| Checkpointed { note, size, root, at }))
}
