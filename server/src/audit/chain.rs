//! Numbers and links a batch of records: pure, over the heads that it is given.

use std::collections::HashMap;
use std::sync::Arc;

use contract::audit::{ChainId, Frontier, Hash, MacKey, chain::ORIGIN, link, mac};
use uuid::Uuid;

use crate::crypto::keyring::KeyRing;

/// A chain's end as the database has it.
#[derive(Clone, Debug)]
pub struct Head {
    /// Whose chain; an organisation's own chain has the same id.
    pub organisation: Uuid,
    /// Number of its last record; 0 where there is none yet.
    pub seq: u64,
    /// Link of that record.
    pub link: Hash,
    /// The tree, for an organisation's own chain.
    pub frontier: Option<Frontier>,
    /// Epoch of the next record.
    pub epoch: u64,
    /// The organisation's epoch when this chain's began.
    pub organisation_epoch: u64,
    /// Size that the newest checkpoint signed.
    pub checkpoint_size: u64,
}

/// Keys of the epochs that chains are in. Going on from an epoch costs nothing; going back starts anew.
#[derive(Debug)]
pub struct MacKeys {
    ring: Arc<KeyRing>,
    reached: HashMap<ChainId, (u64, MacKey)>,
}

impl MacKeys {
    pub fn new(ring: Arc<KeyRing>) -> Self {
        Self { ring, reached: HashMap::new() }
    }

    fn at(&mut self, chain: ChainId, epoch: u64) -> &MacKey {
        let reached = self.reached.entry(chain).or_insert_with(|| (0, self.ring.mac_key(chain)));
        if reached.0 > epoch {
            *reached = (0, self.ring.mac_key(chain));
        }
        if reached.0 < epoch {
            *reached = (epoch, reached.1.clone().after(epoch - reached.0));
        }
        &reached.1
    }
}

impl Head {
    /// Before the first record.
    pub fn new(chain: ChainId, organisation: Uuid) -> Self {
        Self {
            organisation,
            seq: 0,
            link: ORIGIN,
            frontier: (chain == organisation).then(Frontier::default),
            epoch: 0,
            organisation_epoch: 0,
            checkpoint_size: 0,
        }
    }

    fn append(&mut self, chain: ChainId, record: Uuid, leaf: Hash, keys: &mut MacKeys) -> Linked {
        self.seq += 1;
        self.link = link(chain, self.seq, &self.link, &leaf);
        if let Some(frontier) = &mut self.frontier {
            frontier.push(leaf);
        }
        let mac = mac(keys.at(chain, self.epoch), &self.link);
        Linked { chain, record, seq: self.seq, epoch: self.epoch, leaf, link: self.link, mac }
    }
}

/// A record's place in one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    pub chain: ChainId,
    pub record: Uuid,
    pub seq: u64,
    pub epoch: u64,
    pub leaf: Hash,
    pub link: Hash,
    pub mac: Hash,
}

/// A record that waits to be sealed.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub record: Uuid,
    pub organisation: Uuid,
    pub sandbox: Option<Uuid>,
    pub at: crate::gate::Timestamp,
    pub leaf: Hash,
}

/// The chains that a batch touches, each with its organisation.
pub fn touched(batch: &[Waiting]) -> HashMap<ChainId, Uuid> {
    batch
        .iter()
        .flat_map(|record| {
            [Some(record.organisation), record.sandbox].into_iter().flatten().map(|id| (id, record.organisation))
        })
        .collect()
}

/// Links the batch in its order: each record in its organisation's chain, a sandbox's also in its home chain.
pub fn seal(batch: &[Waiting], heads: &mut HashMap<ChainId, Head>, keys: &mut MacKeys) -> Vec<Linked> {
    let mut links = Vec::with_capacity(batch.len() * 2);
    for record in batch {
        let organisation = record.organisation;
        let head = heads.entry(organisation).or_insert_with(|| Head::new(organisation, organisation));
        links.push(head.append(organisation, record.record, record.leaf, keys));
        let epoch = head.epoch;
        if let Some(sandbox) = record.sandbox {
            let home = heads.entry(sandbox).or_insert_with(|| Head::new(sandbox, organisation));
            // A sandbox's key evolves with its organisation's checkpoints, but only when there is something to seal.
            if home.organisation_epoch != epoch {
                if home.seq > 0 {
                    home.epoch += 1;
                }
                home.organisation_epoch = epoch;
            }
            links.push(home.append(sandbox, record.record, record.leaf, keys));
        }
    }
    links
}
