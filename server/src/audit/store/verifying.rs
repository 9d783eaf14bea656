//! What a verifier reads: everything, in order, in pages, in one snapshot.

use contract::audit::verify::Link;
use contract::audit::{ChainId, Columns, Frontier, Hash};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgPool, Postgres, Row, Transaction};
use uuid::Uuid;

use super::{hash, signed, unsigned};
use crate::gate::Timestamp;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// One snapshot for the whole verification.
pub async fn snapshot(pool: &PgPool) -> Result<Transaction<'static, Postgres>> {
    pool.begin_with("begin isolation level repeatable read read only").await
}

/// A chain's end as the database claims it.
#[derive(Clone, Debug)]
pub struct End {
    pub chain: ChainId,
    pub seq: u64,
    pub link: Hash,
    pub frontier: Option<Frontier>,
    pub epoch: u64,
}

/// The heads of an organisation: its own chain's and its sandboxes'.
pub async fn ends(conn: &mut PgConnection, organisation: Uuid) -> Result<Vec<End>> {
    let rows =
        sqlx::query("select chain_id, seq, link, frontier, epoch from audit_head where org_id = $1 order by chain_id")
            .bind(organisation)
            .fetch_all(conn)
            .await?;
    rows.iter()
        .map(|row| {
            Ok(End {
                chain: row.try_get(0)?,
                seq: unsigned(row.try_get(1)?),
                link: hash(row.try_get(2)?),
                frontier: row.try_get::<Option<&[u8]>, _>(3)?.and_then(Frontier::from_bytes),
                epoch: unsigned(row.try_get(4)?),
            })
        })
        .collect()
}

/// Every organisation that the trail's own tables know of.
pub async fn organisations(conn: &mut PgConnection) -> Result<Vec<Uuid>> {
    sqlx::query_scalar("select org_id from audit_head union select org_id from audit_pending order by 1")
        .fetch_all(conn)
        .await
}

/// Links of an organisation's chain behind a number, with bodies and, for a sandbox's record, the leaf in its home chain.
pub async fn page(conn: &mut PgConnection, chain: ChainId, after: u64, limit: i64) -> Result<Vec<PgRow>> {
    sqlx::query(
        "select l.seq, l.epoch, l.leaf, l.link, l.mac, l.record_id, r.bytes, r.org_id, r.sandbox_id, r.at, r.actor_kind, r.actor_id,
                r.action, r.target_kind, r.target_id, r.decision, r.outcome, r.reason,
                (select h.leaf from audit_link h where h.record_id = l.record_id and h.chain_id = r.sandbox_id) as home
         from audit_link l left join audit_record r on r.org_id = $1 and r.record_id = l.record_id
         where l.chain_id = $1 and l.seq > $2 order by l.seq limit $3",
    )
    .bind(chain)
    .bind(signed(after))
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// Links of a sandbox's chain, with the leaf of the same record in its organisation's chain.
pub async fn home_page(
    conn: &mut PgConnection,
    chain: ChainId,
    organisation: Uuid,
    after: u64,
    limit: i64,
) -> Result<Vec<PgRow>> {
    sqlx::query(
        "select l.seq, l.epoch, l.leaf, l.link, l.mac, l.record_id, o.leaf
         from audit_link l left join audit_link o on o.record_id = l.record_id and o.chain_id = $2
         where l.chain_id = $1 and l.seq > $3 order by l.seq limit $4",
    )
    .bind(chain)
    .bind(organisation)
    .bind(signed(after))
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// The link of a row of either page.
pub fn link(row: &PgRow) -> Result<Link<'_>> {
    Ok(Link {
        seq: unsigned(row.try_get(0)?),
        epoch: unsigned(row.try_get(1)?),
        leaf: row.try_get(2)?,
        link: row.try_get(3)?,
        mac: row.try_get(4)?,
    })
}

/// Id of the record of a row of either page.
pub fn record(row: &PgRow) -> Result<Uuid> {
    row.try_get(5)
}

/// The record's bytes, where they are kept.
pub fn bytes(row: &PgRow) -> Result<Option<&[u8]>> {
    row.try_get(6)
}

/// The other chain's leaf of a row of either page.
pub fn other_leaf(row: &PgRow) -> Result<Option<&[u8]>> {
    row.try_get(row.len() - 1)
}

/// Whether the search columns of a row are what its bytes say.
pub fn derived(row: &PgRow, columns: &Columns<'_>) -> Result<bool> {
    Ok(columns.id == record(row)?
        && columns.organisation == row.try_get::<Uuid, _>(7)?
        && columns.sandbox == row.try_get::<Option<Uuid>, _>(8)?
        && columns.at_micros == row.try_get::<Timestamp, _>(9)?.timestamp_micros()
        && columns.actor_kind == row.try_get::<&str, _>(10)?
        && columns.actor_id.as_deref() == row.try_get::<Option<&str>, _>(11)?
        && columns.action == row.try_get::<&str, _>(12)?
        && columns.target_kind == row.try_get::<&str, _>(13)?
        && columns.target_id == row.try_get::<&str, _>(14)?
        && columns.decision == row.try_get::<&str, _>(15)?
        && columns.outcome == row.try_get::<&str, _>(16)?
        && columns.reason.as_deref() == row.try_get::<Option<&str>, _>(17)?)
}

/// A published checkpoint.
#[derive(Clone, Debug)]
pub struct Published {
    pub epoch: u64,
    pub size: u64,
    pub root: Hash,
    pub note: String,
}

/// Checkpoints whose size lies behind `after` and not beyond `upto`.
pub async fn checkpoints(conn: &mut PgConnection, chain: ChainId, after: u64, upto: u64) -> Result<Vec<Published>> {
    let rows: Vec<(i64, i64, Vec<u8>, String)> = sqlx::query_as(
        "select epoch, size, root, note from audit_checkpoint where chain_id = $1 and size > $2 and size <= $3 order by size limit 20000",
    )
    .bind(chain)
    .bind(signed(after))
    .bind(signed(upto))
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(epoch, size, root, note)| Published {
            epoch: unsigned(epoch),
            size: unsigned(size),
            root: hash(&root),
            note,
        })
        .collect())
}

/// Bodies that are kept and records that wait, counted.
pub async fn counts(conn: &mut PgConnection, organisation: Uuid) -> Result<(u64, u64)> {
    let (bodies, waiting): (i64, i64) = sqlx::query_as(
        "select (select count(*) from audit_record where org_id = $1),
                (select count(*) from audit_pending p where p.org_id = $1
                   and exists (select 1 from audit_record r where r.org_id = $1 and r.record_id = p.record_id and r.at = p.at))",
    )
    .bind(organisation)
    .fetch_one(conn)
    .await?;
    Ok((unsigned(bodies), unsigned(waiting)))
}

/// A record that is in no chain and does not wait for one.
pub async fn unlinked(conn: &mut PgConnection, organisation: Uuid) -> Result<Option<Uuid>> {
    sqlx::query_scalar(
        "select r.record_id from audit_record r where r.org_id = $1
           and not exists (select 1 from audit_link l where l.record_id = r.record_id and l.chain_id = $1)
           and not exists (select 1 from audit_pending p where p.record_id = r.record_id) limit 1",
    )
    .bind(organisation)
    .fetch_optional(conn)
    .await
}
