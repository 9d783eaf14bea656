//! Walks one chain in order, in constant memory, and stops at the first thing that does not fit.

use super::chain::{self, ChainId, Hash, MacKey, ORIGIN};
use super::tree::Frontier;

/// The kind of a break, as the wire spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// A sequence number is missing or repeated.
    Sequence,
    /// The body does not hash to its leaf.
    Leaf,
    /// The link does not follow from the previous one.
    Link,
    /// The link's authentication code is not ours.
    Mac,
    /// The epoch does not fit the checkpoints.
    Epoch,
    /// The body is gone.
    Body,
    /// The body is not a record, or belongs to another chain.
    Record,
    /// A search column says something else than the body.
    Columns,
    /// The tree does not have the root that a checkpoint signed.
    Checkpoint,
    /// A checkpoint that was signed is gone, or its signature is not ours.
    CheckpointMissing,
    /// The chain ends elsewhere than its head says.
    Head,
    /// The chain ends before a signed checkpoint.
    Truncated,
    /// Records lie beside the chain.
    Unlinked,
    /// A sandbox's chain and its organisation's disagree.
    Home,
}

impl Break {
    /// The wire's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Leaf => "leaf",
            Self::Link => "link",
            Self::Mac => "mac",
            Self::Epoch => "epoch",
            Self::Body => "body_missing",
            Self::Record => "record",
            Self::Columns => "columns",
            Self::Checkpoint => "checkpoint",
            Self::CheckpointMissing => "checkpoint_missing",
            Self::Head => "head",
            Self::Truncated => "truncated",
            Self::Unlinked => "unlinked",
            Self::Home => "home",
        }
    }
}

/// One stored link.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Its number, from 1.
    pub seq: u64,
    /// Its epoch.
    pub epoch: u64,
    /// Leaf of its record.
    pub leaf: &'a [u8],
    /// The link itself.
    pub link: &'a [u8],
    /// Its authentication code.
    pub mac: &'a [u8],
}

/// The walk. One for each chain; `K_0` is optional, and a walk without it can find breaks but never vouch.
#[derive(Clone, Debug)]
pub struct Walk {
    chain: ChainId,
    seq: u64,
    link: Hash,
    epoch: u64,
    key: Option<MacKey>,
    tree: Option<Frontier>,
}

impl Walk {
    /// Starts before the first record. `tree` keeps the frontier, which only an organisation's chain needs.
    #[must_use]
    pub fn new(chain: ChainId, key: Option<MacKey>, tree: bool) -> Self {
        Self { chain, seq: 0, link: ORIGIN, epoch: 0, key, tree: tree.then(Frontier::default) }
    }

    /// The number of the last record that fitted.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The link of that record.
    #[must_use]
    pub fn link(&self) -> &Hash {
        &self.link
    }

    /// The epoch of that record.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The tree over the leaves so far.
    #[must_use]
    pub fn tree(&self) -> Option<&Frontier> {
        self.tree.as_ref()
    }

    /// Takes the next link and, where it is kept, its record's bytes.
    ///
    /// # Errors
    /// The first [`Break`]; the walk is over then.
    pub fn step(&mut self, next: &Link<'_>, bytes: Option<&[u8]>) -> Result<(), Break> {
        let seq = self.seq + 1;
        if next.seq != seq {
            return Err(Break::Sequence);
        }
        let leaf: &Hash = next.leaf.try_into().map_err(|_| Break::Leaf)?;
        if bytes.is_some_and(|bytes| chain::leaf(bytes) != *leaf) {
            return Err(Break::Leaf);
        }
        let link = chain::link(self.chain, seq, &self.link, leaf);
        if link != next.link {
            return Err(Break::Link);
        }
        let later = next.epoch.checked_sub(self.epoch).ok_or(Break::Epoch)?;
        // An epoch ends only at a checkpoint, and nothing is signed twice, so no record skips one.
        if later > 1 {
            return Err(Break::Epoch);
        }
        if let Some(key) = self.key.take() {
            let key = if later > 0 { key.after(later) } else { key };
            let authentic = key.authentic(&link, next.mac);
            self.key = Some(key);
            if !authentic {
                return Err(Break::Mac);
            }
        }
        if let Some(tree) = &mut self.tree {
            tree.push(*leaf);
        }
        (self.seq, self.link, self.epoch) = (seq, link, next.epoch);
        Ok(())
    }
}
