//! Remembers what this process committed until it has seen it sealed.

use std::collections::HashMap;

use contract::audit::Hash;
use tokio::time::{Duration, Instant};
use uuid::Uuid;

/// How long a record may stay unseen before the database is asked about it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Receipts that are kept at most; beyond it new ones are not watched.
const LIMIT: usize = 100_000;

/// Records that this process committed and nobody sealed yet, as far as it knows.
#[derive(Debug, Default)]
pub struct Unsealed {
    since: HashMap<Uuid, (Hash, Instant)>,
}

impl Unsealed {
    /// Committed just now.
    pub fn committed(&mut self, record: Uuid, leaf: Hash, now: Instant) {
        if self.since.len() < LIMIT {
            self.since.insert(record, (leaf, now));
        } else {
            metrics::counter!("bailiwick_audit_unwatched_total").increment(1);
        }
    }

    /// Sealed with this leaf. Answers whether it is the leaf that was committed.
    pub fn sealed(&mut self, record: Uuid, leaf: &Hash) -> bool {
        self.since.remove(&record).is_none_or(|(committed, _)| committed == *leaf)
    }

    /// Records that nobody was seen sealing for too long.
    pub fn overdue(&self, now: Instant) -> Vec<Uuid> {
        self.since
            .iter()
            .filter(|(_, (_, since))| now.duration_since(*since) >= PATIENCE)
            .map(|(record, _)| *record)
            .collect()
    }

    /// Asks again later.
    pub fn postpone(&mut self, record: Uuid, now: Instant) {
        if let Some((_, since)) = self.since.get_mut(&record) {
            *since = now;
        }
    }

    /// Gives up on it, after an alarm.
    pub fn forget(&mut self, record: Uuid) {
        self.since.remove(&record);
    }
}
