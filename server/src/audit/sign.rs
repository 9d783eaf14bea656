//! Signs checkpoints, never one that contradicts what is remembered outside the database.
#![expect(clippy::disallowed_methods, reason = "signs in the sequencer's own transaction")]

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use contract::audit::record::time;
use contract::audit::{ChainId, Checkpoint, Hash};
use ed25519_dalek::SigningKey;
use sqlx::{Connection, PgConnection};

use super::chain::Head;
use super::memory::{Memory, Remembered};
use super::store::sealing::{self, Publication};
use crate::crypto::keyring::KeyRing;
use crate::gate::{Result, Timestamp};

/// What signing needs.
pub struct Signer {
    key: SigningKey,
    memory: Arc<Mutex<Memory>>,
    /// Chains that contradict the memory: refused until the process is restarted with a memory that fits.
    refused: HashSet<ChainId>,
}

impl Signer {
    pub fn new(keys: &KeyRing, memory: Memory) -> Self {
        Self { key: keys.note_key(), memory: Arc::new(Mutex::new(memory)), refused: HashSet::new() }
    }

    /// Signs and publishes the state of these chains in one transaction. Answers the heads that were signed, as they were.
    ///
    /// # Errors
    /// The database's or the file's; nothing is published then, or it is published and merely not remembered.
    pub async fn sign(
        &mut self,
        conn: &mut PgConnection,
        chains: &[ChainId],
        at: Timestamp,
        fence: impl Fn(ChainId) -> Option<i64>,
    ) -> Result<Vec<(ChainId, Head)>> {
        let chains: Vec<ChainId> = chains.iter().copied().filter(|chain| !self.refused.contains(chain)).collect();
        let mut tx = conn.begin().await?;
        let heads = sealing::heads(&mut tx, &chains).await?;
        let known = self.known(&chains);
        let from: Vec<(ChainId, u64)> = known.iter().map(|(chain, kept)| (*chain, kept.checkpoint.size)).collect();
        let leaves = sealing::leaves_after(&mut tx, &from).await?;
        let (mut states, mut kept) = (Vec::new(), Vec::new());
        for (chain, head) in &heads {
            let (Some(frontier), Some(fence)) = (&head.frontier, fence(*chain)) else { continue };
            if let Err(reason) = consistent(head, known.get(chain), leaves.get(chain).map_or(&[], Vec::as_slice)) {
                tracing::error!(chain = %chain, reason, "the audit trail contradicts a remembered checkpoint; it is not signed");
                metrics::counter!("bailiwick_audit_checkpoints_refused_total").increment(1);
                self.refused.insert(*chain);
                continue;
            }
            if head.seq == head.checkpoint_size {
                continue;
            }
            let root = frontier.root();
            let checkpoint =
                Checkpoint { chain: *chain, size: head.seq, root, link: head.link, epoch: head.epoch, at: time(at) };
            let note = checkpoint.sign(&self.key).as_str().to_owned();
            kept.push(Remembered { checkpoint, frontier: frontier.clone(), note: note.clone() });
            states.push(Publication { chain: *chain, head: head.clone(), root, note, fence });
        }
        let moved = if states.is_empty() { HashSet::new() } else { sealing::publish(&mut tx, &states, at).await? };
        tx.commit().await?;
        kept.retain(|kept| moved.contains(&kept.checkpoint.chain));
        states.retain(|state| moved.contains(&state.chain));
        // Only what is committed is remembered, so the memory is never ahead of the database.
        let memory = Arc::clone(&self.memory);
        tokio::task::spawn_blocking(move || memory.lock().unwrap_or_else(PoisonError::into_inner).append(kept))
            .await
            .map_err(crate::error::Error::internal)?
            .map_err(crate::error::Error::internal)?;
        Ok(states.into_iter().map(|state| (state.chain, state.head)).collect())
    }

    fn known(&self, chains: &[ChainId]) -> HashMap<ChainId, Remembered> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        chains.iter().filter_map(|chain| Some((*chain, memory.newest(*chain)?.clone()))).collect()
    }
}

/// Whether the head continues the remembered tree.
fn consistent(head: &Head, known: Option<&Remembered>, leaves: &[Hash]) -> std::result::Result<(), &'static str> {
    let frontier = head.frontier.as_ref().ok_or("the chain has no tree")?;
    if frontier.size() != head.seq {
        return Err("the head's tree has another size");
    }
    let Some(known) = known else { return Ok(()) };
    if head.seq < known.checkpoint.size {
        return Err("the chain is shorter");
    }
    let mut tree = known.frontier.clone();
    leaves.iter().for_each(|leaf| tree.push(*leaf));
    if tree == *frontier { Ok(()) } else { Err("the tree is another one") }
}
