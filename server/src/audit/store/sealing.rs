//! What the sequencer reads and writes, as the role that touches audit tables only.

use std::collections::{HashMap, HashSet};

use contract::audit::{ChainId, Frontier, Hash, leaf};
use sqlx::{PgConnection, Row};
use uuid::Uuid;

use super::super::chain::{Head, Linked, Waiting};
use super::{hash, signed, unsigned};
use crate::gate::Timestamp;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Shards that a sequencer may hold.
pub const SHARDS: i16 = 8;

/// Takes or renews leases for `seconds`; answers the fence of each shard that is held.
pub async fn lease(conn: &mut PgConnection, holder: Uuid, seconds: f64) -> Result<HashMap<i16, i64>> {
    let rows: Vec<(i16, i64)> = sqlx::query_as(
        "insert into audit_lease as l (shard, holder, fence, expires_at)
         select shard, $1, 1, clock_timestamp() + make_interval(secs => $2) from generate_series(0, $3::int - 1) shard
         order by shard
         on conflict (shard) do update
           set holder = excluded.holder, expires_at = excluded.expires_at,
               fence = case when l.holder = excluded.holder then l.fence else l.fence + 1 end
           where l.holder = excluded.holder or l.expires_at < clock_timestamp()
         returning shard, fence",
    )
    .bind(holder)
    .bind(seconds)
    .bind(i32::from(SHARDS))
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().collect())
}

/// Gives leases up, so that another process need not wait for them to expire.
pub async fn release(conn: &mut PgConnection, holder: Uuid) -> Result<()> {
    sqlx::query("update audit_lease set expires_at = clock_timestamp() - interval '1 second' where holder = $1")
        .bind(holder)
        .execute(conn)
        .await?;
    Ok(())
}

/// Visible records that wait, oldest ids first, and those whose body is gone.
pub async fn waiting(
    conn: &mut PgConnection,
    shards: &[i16],
    orphans: &[Uuid],
    limit: i64,
) -> Result<(Vec<Waiting>, Vec<Uuid>)> {
    let rows = sqlx::query(
        "select p.record_id, p.org_id, p.sandbox_id, p.at, r.bytes
         from (select * from audit_pending where shard = any($1) and not (record_id = any($2)) order by record_id limit $3) p
         left join audit_record r on r.org_id = p.org_id and r.record_id = p.record_id and r.at = p.at
         order by p.record_id",
    )
    .bind(shards)
    .bind(orphans)
    .bind(limit)
    .fetch_all(conn)
    .await?;
    let (mut found, mut gone) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let record: Uuid = row.try_get(0)?;
        match row.try_get::<Option<&[u8]>, _>(4)? {
            Some(bytes) => found.push(Waiting {
                record,
                organisation: row.try_get(1)?,
                sandbox: row.try_get(2)?,
                at: row.try_get(3)?,
                leaf: leaf(bytes),
            }),
            None => gone.push(record),
        }
    }
    Ok((found, gone))
}

/// The heads of these chains that exist.
pub async fn heads(conn: &mut PgConnection, chains: &[ChainId]) -> Result<HashMap<ChainId, Head>> {
    let rows = sqlx::query(
        "select chain_id, org_id, seq, link, frontier, epoch, org_epoch, checkpoint_size from audit_head where chain_id = any($1)",
    )
    .bind(chains)
    .fetch_all(conn)
    .await?;
    let mut heads = HashMap::with_capacity(rows.len());
    for row in rows {
        let chain: Uuid = row.try_get(0)?;
        let frontier = row.try_get::<Option<&[u8]>, _>(4)?.map(|bytes| Frontier::from_bytes(bytes).unwrap_or_default());
        let head = Head {
            organisation: row.try_get(1)?,
            seq: unsigned(row.try_get(2)?),
            link: hash(row.try_get(3)?),
            frontier,
            epoch: unsigned(row.try_get(5)?),
            organisation_epoch: unsigned(row.try_get(6)?),
            checkpoint_size: unsigned(row.try_get(7)?),
        };
        heads.insert(chain, head);
    }
    Ok(heads)
}

/// Writes links. A record or number that is already there refuses the whole batch.
pub async fn insert_links(conn: &mut PgConnection, links: &[Linked]) -> Result<()> {
    let column = |pick: fn(&Linked) -> Hash| links.iter().map(|link| pick(link).to_vec()).collect::<Vec<_>>();
    sqlx::query(
        "insert into audit_link (chain_id, record_id, seq, epoch, leaf, link, mac)
         select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[], $7::bytea[])",
    )
    .bind(links.iter().map(|link| link.chain).collect::<Vec<_>>())
    .bind(links.iter().map(|link| link.record).collect::<Vec<_>>())
    .bind(links.iter().map(|link| signed(link.seq)).collect::<Vec<_>>())
    .bind(links.iter().map(|link| signed(link.epoch)).collect::<Vec<_>>())
    .bind(column(|link| link.leaf))
    .bind(column(|link| link.link))
    .bind(column(|link| link.mac))
    .execute(conn)
    .await?;
    Ok(())
}

/// A head's move: from the number it was read at to its new state.
#[derive(Debug)]
pub struct Move<'a> {
    pub chain: ChainId,
    pub from: u64,
    pub fence: i64,
    pub head: &'a Head,
}

/// Moves heads by compare-and-swap; answers how many moved. Fewer than asked means that somebody else was here.
pub async fn move_heads(conn: &mut PgConnection, moves: &[Move<'_>]) -> Result<usize> {
    let (fresh, known): (Vec<&Move<'_>>, Vec<&Move<'_>>) = moves.iter().partition(|step| step.from == 0);
    let mut moved = 0;
    for (statement, steps) in [(INSERT_HEADS, fresh), (UPDATE_HEADS, known)] {
        if steps.is_empty() {
            continue;
        }
        let done = sqlx::query(statement)
            .bind(steps.iter().map(|step| step.chain).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| step.head.organisation).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| signed(step.head.seq)).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| step.head.link.to_vec()).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| step.head.frontier.as_ref().map(Frontier::to_bytes)).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| signed(step.head.epoch)).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| signed(step.head.organisation_epoch)).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| step.fence).collect::<Vec<_>>())
            .bind(steps.iter().map(|step| signed(step.from)).collect::<Vec<_>>())
            .execute(&mut *conn)
            .await?;
        moved += usize::try_from(done.rows_affected()).unwrap_or_default();
    }
    Ok(moved)
}

const INSERT_HEADS: &str = "
    insert into audit_head (chain_id, org_id, seq, link, frontier, epoch, org_epoch, fence)
    select chain_id, org_id, seq, link, frontier, epoch, org_epoch, fence
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
      as step (chain_id, org_id, seq, link, frontier, epoch, org_epoch, fence, from_seq)
    order by chain_id
    on conflict do nothing";

const UPDATE_HEADS: &str = "
    update audit_head h
    set seq = step.seq, link = step.link, frontier = step.frontier, epoch = step.epoch, org_epoch = step.org_epoch, fence = step.fence
    from (select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
      as step (chain_id, org_id, seq, link, frontier, epoch, org_epoch, fence, from_seq) order by chain_id) step
    where h.chain_id = step.chain_id and h.org_id = step.org_id and h.seq = step.from_seq and h.fence <= step.fence";

/// Takes sealed records out of the queue; answers how many were still in it.
pub async fn delete_pending(conn: &mut PgConnection, records: &[Uuid]) -> Result<usize> {
    let done = sqlx::query("delete from audit_pending where record_id = any($1)").bind(records).execute(conn).await?;
    Ok(usize::try_from(done.rows_affected()).unwrap_or_default())
}

/// Tells whoever follows the trail; carries nothing.
pub async fn notify(conn: &mut PgConnection) -> Result<()> {
    sqlx::query("select pg_notify('bailiwick_audit', '')").execute(conn).await?;
    Ok(())
}

/// How many records wait.
pub async fn backlog(conn: &mut PgConnection) -> Result<i64> {
    sqlx::query_scalar("select count(*) from audit_pending").fetch_one(conn).await
}

/// Of these records, those that still wait and those that were sealed, with the leaf.
pub async fn whereabouts(conn: &mut PgConnection, records: &[Uuid]) -> Result<HashMap<Uuid, Option<Hash>>> {
    let rows: Vec<(Uuid, Option<Vec<u8>>)> = sqlx::query_as(
        "select record_id, null::bytea from audit_pending where record_id = any($1)
         union all
         select record_id, leaf from audit_link where record_id = any($1)",
    )
    .bind(records)
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|(record, leaf)| (record, leaf.map(|leaf| hash(&leaf)))).collect())
}

/// Chains with records that no checkpoint covers.
pub async fn uncovered(conn: &mut PgConnection) -> Result<Vec<ChainId>> {
    sqlx::query_scalar("select chain_id from audit_head where chain_id = org_id and seq > checkpoint_size")
        .fetch_all(conn)
        .await
}

/// Leaves of these chains behind the sizes given, in order.
pub async fn leaves_after(conn: &mut PgConnection, from: &[(ChainId, u64)]) -> Result<HashMap<ChainId, Vec<Hash>>> {
    let rows: Vec<(Uuid, Vec<u8>)> = sqlx::query_as(
        "select l.chain_id, l.leaf from unnest($1::uuid[], $2::bigint[]) as f (chain_id, size)
         join audit_link l on l.chain_id = f.chain_id and l.seq > f.size order by l.chain_id, l.seq",
    )
    .bind(from.iter().map(|(chain, _)| *chain).collect::<Vec<_>>())
    .bind(from.iter().map(|(_, size)| signed(*size)).collect::<Vec<_>>())
    .fetch_all(conn)
    .await?;
    let mut leaves: HashMap<ChainId, Vec<Hash>> = HashMap::new();
    for (chain, leaf) in rows {
        leaves.entry(chain).or_default().push(hash(&leaf));
    }
    Ok(leaves)
}

/// A signed state of a chain on its way into the database.
#[derive(Debug)]
pub struct Publication {
    pub chain: ChainId,
    pub head: Head,
    pub root: Hash,
    pub note: String,
    pub fence: i64,
}

/// Publishes checkpoints and begins the next epochs of those chains whose heads are still where they were signed. Answers
/// which those are.
pub async fn publish(
    conn: &mut PgConnection,
    signed_states: &[Publication],
    at: Timestamp,
) -> Result<HashSet<ChainId>> {
    let moved: Vec<Uuid> = sqlx::query_scalar(
        "update audit_head h set epoch = h.epoch + 1, checkpoint_size = h.seq, fence = s.fence
         from (select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) as s (chain_id, seq, epoch, fence)
               order by chain_id) s
         where h.chain_id = s.chain_id and h.seq = s.seq and h.epoch = s.epoch and h.fence <= s.fence
         returning h.chain_id",
    )
    .bind(signed_states.iter().map(|state| state.chain).collect::<Vec<_>>())
    .bind(signed_states.iter().map(|state| signed(state.head.seq)).collect::<Vec<_>>())
    .bind(signed_states.iter().map(|state| signed(state.head.epoch)).collect::<Vec<_>>())
    .bind(signed_states.iter().map(|state| state.fence).collect::<Vec<_>>())
    .fetch_all(&mut *conn)
    .await?;
    let moved: HashSet<ChainId> = moved.into_iter().collect();
    let published: Vec<&Publication> = signed_states.iter().filter(|state| moved.contains(&state.chain)).collect();
    sqlx::query(
        "insert into audit_checkpoint (chain_id, epoch, size, root, note, signed_at)
         select chain_id, epoch, size, root, note, $6
         from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bytea[], $5::text[]) as c (chain_id, epoch, size, root, note)",
    )
    .bind(published.iter().map(|state| state.chain).collect::<Vec<_>>())
    .bind(published.iter().map(|state| signed(state.head.epoch)).collect::<Vec<_>>())
    .bind(published.iter().map(|state| signed(state.head.seq)).collect::<Vec<_>>())
    .bind(published.iter().map(|state| state.root.to_vec()).collect::<Vec<_>>())
    .bind(published.iter().map(|state| state.note.as_str()).collect::<Vec<_>>())
    .bind(at)
    .execute(conn)
    .await?;
    Ok(moved)
}

/// Makes the partitions of the coming months.
pub async fn make_partitions(conn: &mut PgConnection, today: chrono::NaiveDate) -> Result<i32> {
    sqlx::query_scalar("select audit_make_partitions($1, 3)").bind(today).fetch_one(conn).await
}
