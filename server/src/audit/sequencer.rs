//! One task a process that seals what the gate wrote: numbers, links, authenticates, and signs checkpoints.
//!
//! Several processes may run it at once. A lease decides who does the work; that no fork can come of two holders is
//! decided by compare-and-swap on the heads and by the links' own keys.
#![expect(
    clippy::disallowed_methods,
    reason = "seals under a role, transactions and an id of its own: what it writes is the trail itself"
)]

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use contract::audit::{ChainId, Hash};
use sqlx::pool::PoolConnection;
use sqlx::{Acquire, PgPool, Postgres};
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::alarm::Unsealed;
use super::chain::{self, Head, MacKeys};
use super::memory::Memory;
use super::sign::Signer;
use super::store::sealing::{self, Move};
use crate::crypto::keyring::KeyRing;
use crate::error::Error;
use crate::gate::{Clock, Receipt, Result};

/// Records that are sealed in one transaction at most.
const BATCH: i64 = 1_000;
/// The pause while there is nothing to do grows up to this.
const IDLE: Duration = Duration::from_millis(80);
/// The pause between batches while records arrive: each batch costs a commit, so many small ones would slow the writers.
const BUSY: Duration = Duration::from_millis(20);
/// How long a lease lasts, and how often it is renewed.
const LEASE: Duration = Duration::from_secs(10);
const RENEW: Duration = Duration::from_secs(3);
/// The least time between two checkpoints of a chain.
const CHECKPOINT: Duration = Duration::from_secs(1);
/// Checkpoints that share a transaction, and the least time between two such transactions: with thousands of active
/// chains each has its turn every few seconds, and sealing goes before signing.
const SIGNED_TOGETHER: usize = 64;
const SIGNING: Duration = Duration::from_millis(200);
/// Heads that are kept in memory.
const CACHED_HEADS: usize = 50_000;

/// What the sequencer is made of.
pub struct Parts {
    /// Connections as the sequencer's role.
    pub pool: PgPool,
    /// Keys of the chains and of the notes.
    pub keys: Arc<KeyRing>,
    /// Time of checkpoints.
    pub clock: Arc<dyn Clock>,
    /// Where the remembered checkpoints lie.
    pub data_directory: PathBuf,
    /// Receipts of what this process commits.
    pub committed: mpsc::Receiver<Receipt>,
    /// Raised after every batch that was sealed here; whoever follows the trail looks again then.
    pub sealed: watch::Sender<u64>,
}

/// Seals until told to stop. Faults of the database are logged and tried again.
///
/// # Errors
/// Only at the start: the remembered checkpoints cannot be read.
pub async fn run(parts: Parts, stop: CancellationToken) -> Result<()> {
    let key = parts.keys.note_key().verifying_key();
    let memory = Memory::open(&parts.data_directory, &key).map_err(Error::internal)?;
    let mut sequencer = Sequencer::new(parts, memory);
    let mut pause = BUSY;
    while !stop.is_cancelled() {
        match sequencer.turn(Instant::now()).await {
            Ok(sealed) if sealed as i64 >= BATCH => pause = Duration::ZERO,
            Ok(0) => pause = (pause.max(BUSY) * 2).min(IDLE),
            Ok(_) => pause = BUSY,
            Err(error) => {
                metrics::counter!("bailiwick_audit_sealing_faults_total").increment(1);
                tracing::warn!(error = %error, "sealing will be tried again");
                sequencer.forget();
                pause = Duration::from_millis(250);
            }
        }
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = stop.cancelled() => {} }
    }
    sequencer.finish().await;
    Ok(())
}

/// The sequencer's state between turns. Everything in it can be lost: the database has it all.
pub struct Sequencer {
    pool: PgPool,
    keys: MacKeys,
    clock: Arc<dyn Clock>,
    committed: mpsc::Receiver<Receipt>,
    sealed: watch::Sender<u64>,
    signer: Signer,
    holder: Uuid,
    fences: HashMap<i16, i64>,
    renewed: Option<Instant>,
    heads: HashMap<ChainId, Head>,
    orphans: Vec<Uuid>,
    unsealed: Unsealed,
    alarms: u64,
    checked: Instant,
    dirty: VecDeque<ChainId>,
    listed: HashSet<ChainId>,
    signed: HashMap<ChainId, Instant>,
    signing: Option<Instant>,
    partitioned: Option<chrono::NaiveDate>,
}

impl Sequencer {
    /// A sequencer that holds nothing yet.
    pub fn new(parts: Parts, memory: Memory) -> Self {
        let signer = Signer::new(&parts.keys, memory);
        Self {
            pool: parts.pool,
            keys: MacKeys::new(parts.keys),
            clock: parts.clock,
            committed: parts.committed,
            sealed: parts.sealed,
            signer,
            holder: Uuid::now_v7(),
            fences: HashMap::new(),
            renewed: None,
            heads: HashMap::new(),
            orphans: Vec::new(),
            unsealed: Unsealed::default(),
            alarms: 0,
            checked: Instant::now(),
            dirty: VecDeque::new(),
            listed: HashSet::new(),
            signed: HashMap::new(),
            signing: None,
            partitioned: None,
        }
    }

    /// Seals one batch and signs what is due. Answers how many records were sealed.
    ///
    /// # Errors
    /// The database's; nothing is sealed then.
    pub async fn turn(&mut self, now: Instant) -> Result<usize> {
        self.hear(now);
        let mut conn = self.pool.acquire().await?;
        if self.renewed.is_none_or(|last| now.duration_since(last) >= RENEW) {
            self.renew(&mut conn, now).await?;
        }
        if now.duration_since(self.checked) >= Duration::from_secs(1) {
            self.checked = now;
            self.watch(&mut conn, now).await?;
        }
        if self.fences.is_empty() {
            return Ok(0);
        }
        let sealed = self.seal(&mut conn).await?;
        if sealed > 0 {
            self.sealed.send_modify(|count| *count += sealed as u64);
            sealing::notify(&mut conn).await?;
        }
        self.sign(&mut conn, now).await?;
        Ok(sealed)
    }

    /// Drops what is held in memory, after a fault.
    pub fn forget(&mut self) {
        self.heads.clear();
        // Taking the leases anew also lists the chains again that wait for a checkpoint.
        self.fences.clear();
        self.renewed = None;
    }

    async fn finish(mut self) {
        // The last commits before the stop: whoever takes over would find them, but sooner is better.
        for _ in 0..10 {
            match self.turn(Instant::now()).await {
                Ok(sealed) if sealed > 0 => {}
                _ => break,
            }
        }
        if let Ok(mut conn) = self.pool.acquire().await {
            let _ = sealing::release(&mut conn, self.holder).await;
        }
    }

    fn hear(&mut self, now: Instant) {
        while let Ok(receipt) = self.committed.try_recv() {
            let mut leaf: Hash = [0; 32];
            if hex::decode_to_slice(&receipt.leaf, &mut leaf).is_ok() {
                self.unsealed.committed(receipt.record_id.uuid(), leaf, now);
            }
        }
    }

    async fn renew(&mut self, conn: &mut PoolConnection<Postgres>, now: Instant) -> Result<()> {
        let held = sealing::lease(conn, self.holder, LEASE.as_secs_f64()).await?;
        if held != self.fences {
            tracing::info!(shards = held.len(), "holding the sequencer's lease");
            self.heads.clear();
            self.fences = held;
            for chain in sealing::uncovered(conn).await? {
                self.mark(chain);
            }
        }
        self.renewed = Some(now);
        let today = self.clock.now().date_naive();
        if !self.fences.is_empty() && self.partitioned != Some(today) {
            sealing::make_partitions(conn, today).await?;
            self.partitioned = Some(today);
        }
        Ok(())
    }

    /// Once a second: the backlog, and whether something committed here has vanished.
    async fn watch(&mut self, conn: &mut PoolConnection<Postgres>, now: Instant) -> Result<()> {
        #[expect(clippy::cast_precision_loss, reason = "a gauge")]
        metrics::gauge!("bailiwick_audit_pending").set(sealing::backlog(conn).await? as f64);
        let overdue = self.unsealed.overdue(now);
        if overdue.is_empty() {
            return Ok(());
        }
        let found = sealing::whereabouts(conn, &overdue).await?;
        for record in overdue {
            match found.get(&record) {
                Some(None) => self.unsealed.postpone(record, now),
                Some(Some(leaf)) => {
                    if !self.unsealed.sealed(record, leaf) {
                        self.alarm(record, "was sealed with another content than was committed");
                    }
                }
                None => {
                    self.unsealed.forget(record);
                    self.alarm(record, "disappeared unsealed");
                }
            }
        }
        Ok(())
    }

    async fn seal(&mut self, conn: &mut PoolConnection<Postgres>) -> Result<usize> {
        let shards: Vec<i16> = self.fences.keys().copied().collect();
        let mut tx = conn.begin().await?;
        let (batch, gone) = sealing::waiting(&mut tx, &shards, &self.orphans, BATCH).await?;
        for record in gone {
            self.alarm(record, "has no body any more");
            self.orphans.push(record);
        }
        if batch.is_empty() {
            return Ok(0);
        }
        let touched = chain::touched(&batch);
        if self.heads.len() + touched.len() > CACHED_HEADS {
            self.heads.clear();
        }
        let missing: Vec<ChainId> = touched.keys().copied().filter(|chain| !self.heads.contains_key(chain)).collect();
        if !missing.is_empty() {
            self.heads.extend(sealing::heads(&mut tx, &missing).await?);
        }
        let before: HashMap<ChainId, u64> =
            touched.keys().map(|chain| (*chain, self.heads.get(chain).map_or(0, |head| head.seq))).collect();
        let links = chain::seal(&batch, &mut self.heads, &mut self.keys);
        let mut moves = Vec::with_capacity(before.len());
        for (chain, from) in &before {
            let fence = self.fence(touched[chain]);
            if let (Some(head), Some(fence)) = (self.heads.get(chain), fence) {
                moves.push(Move { chain: *chain, from: *from, fence, head });
            }
        }
        let records: Vec<Uuid> = batch.iter().map(|waiting| waiting.record).collect();
        let moved = sealing::move_heads(&mut tx, &moves).await?;
        sealing::insert_links(&mut tx, &links).await?;
        let taken = sealing::delete_pending(&mut tx, &records).await?;
        if moved != before.len() || taken != records.len() {
            drop(moves);
            self.heads.clear();
            return Err(Error::Unavailable("another sequencer sealed the same records".into()));
        }
        tx.commit().await?;
        let now = self.clock.now();
        for waiting in &batch {
            let lag = (now - waiting.at).num_microseconds().unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "a histogram")]
            metrics::histogram!("bailiwick_audit_seal_lag_seconds").record(lag.max(0) as f64 / 1e6);
            if !self.unsealed.sealed(waiting.record, &waiting.leaf) {
                self.alarm(waiting.record, "was altered between its commit and its sealing");
            }
            self.mark(waiting.organisation);
        }
        Ok(batch.len())
    }

    async fn sign(&mut self, conn: &mut PoolConnection<Postgres>, now: Instant) -> Result<()> {
        if self.signing.is_some_and(|last| now.duration_since(last) < SIGNING) {
            return Ok(());
        }
        let mut due = Vec::new();
        for _ in 0..self.dirty.len() {
            let Some(chain) = self.dirty.pop_front() else { break };
            let early = self.signed.get(&chain).is_some_and(|last| now.duration_since(*last) < CHECKPOINT);
            if early || self.fence(chain).is_none() || due.len() >= SIGNED_TOGETHER {
                self.dirty.push_back(chain);
            } else {
                self.listed.remove(&chain);
                due.push(chain);
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        self.signing = Some(now);
        let fences = self.fences.clone();
        let fence = move |chain: ChainId| fences.get(&shard(chain)).copied();
        let at = self.clock.now();
        self.signed.extend(due.iter().map(|chain| (*chain, now)));
        if self.signed.len() > CACHED_HEADS {
            self.signed.clear();
        }
        for (chain, was) in self.signer.sign(conn, &due, at, fence).await? {
            if let Some(head) = self.heads.get_mut(&chain).filter(|head| (head.seq, head.epoch) == (was.seq, was.epoch))
            {
                head.epoch += 1;
                head.checkpoint_size = head.seq;
            } else {
                self.heads.remove(&chain);
            }
        }
        Ok(())
    }

    fn mark(&mut self, chain: ChainId) {
        if self.listed.insert(chain) {
            self.dirty.push_back(chain);
        }
    }

    fn alarm(&mut self, record: Uuid, what: &'static str) {
        self.alarms += 1;
        metrics::counter!("bailiwick_audit_alarms_total").increment(1);
        tracing::error!(record = %format_args!("rec_{}", record.simple()), "ALARM: an audit record {what}");
    }

    /// Alarms raised since the start.
    pub fn alarms(&self) -> u64 {
        self.alarms
    }

    fn fence(&self, organisation: Uuid) -> Option<i64> {
        self.fences.get(&shard(organisation)).copied()
    }
}

/// The same as the column `audit_pending.shard`.
fn shard(organisation: Uuid) -> i16 {
    i16::from(organisation.as_bytes()[15]) % sealing::SHARDS
}
