//! The compact frontier of an RFC 6962 Merkle tree: enough to append a leaf and to name the root, in 32 bytes a level.

use super::chain::Hash;
use sha2::{Digest, Sha256};

/// The roots of the perfect subtrees that a tree of `size` leaves consists of, largest first: one for each set bit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    nodes: Vec<Hash>,
}

impl Frontier {
    /// How many leaves the tree has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends the next leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut node = leaf;
        // Every trailing one of the size is a perfect subtree that the new leaf completes to a larger one.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.nodes.pop() {
                node = parent(&left, &node);
            }
        }
        self.nodes.push(node);
        self.size += 1;
    }

    /// The tree's root (MTH of RFC 6962); the empty tree's is SHA-256 of nothing.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut nodes = self.nodes.iter().rev();
        match nodes.next() {
            None => Sha256::digest([]).into(),
            Some(last) => nodes.fold(*last, |right, left| parent(left, &right)),
        }
    }

    /// The size as a big-endian u64, then the nodes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.size.to_be_bytes().to_vec();
        bytes.extend(self.nodes.iter().flatten());
        bytes
    }

    /// Reads [`Frontier::to_bytes`]; `None` for anything that it cannot have written.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (size, rest) = bytes.split_first_chunk::<8>()?;
        let size = u64::from_be_bytes(*size);
        let (nodes, tail) = rest.as_chunks::<32>();
        (tail.is_empty() && nodes.len() == size.count_ones() as usize).then(|| Self { size, nodes: nodes.to_vec() })
    }
}

fn parent(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}
