//! Leaves, links and their authentication codes.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// A chain is named by what it belongs to: a sandbox's uuid, an organisation's, or [`INSTALLATION`].
pub type ChainId = Uuid;

/// The chain of what belongs to no organisation.
pub const INSTALLATION: ChainId = Uuid::nil();

/// The link before a chain's first record.
pub const ORIGIN: Hash = [0; 32];

const LINK_DOMAIN: &[u8] = b"bailiwick/audit/link/v1";
const EVOLVE_DOMAIN: &[u8] = b"bailiwick/audit/evolve/v1";

/// SHA-256(0x00 ‖ bytes): the leaf hash of RFC 6962, so that standard tools can check an inclusion proof.
#[must_use]
pub fn leaf(bytes: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(bytes).finalize().into()
}

/// SHA-256(domain ‖ chain ‖ seq as big-endian u64 ‖ previous link ‖ leaf). `seq` counts from 1.
#[must_use]
pub fn link(chain: ChainId, seq: u64, previous: &Hash, leaf: &Hash) -> Hash {
    Sha256::new()
        .chain_update(LINK_DOMAIN)
        .chain_update(chain.as_bytes())
        .chain_update(seq.to_be_bytes())
        .chain_update(previous)
        .chain_update(leaf)
        .finalize()
        .into()
}

/// HMAC-SHA-256(key, link).
#[must_use]
pub fn mac(key: &MacKey, link: &Hash) -> Hash {
    key.code(link)
}

/// The key of one epoch of one chain. Keys evolve one way: who takes a later one cannot forge links of earlier epochs.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct MacKey {
    key: Hash,
}

impl MacKey {
    /// The key of epoch 0, derived from the key file and never stored.
    #[must_use]
    pub fn first(key: Hash) -> Self {
        Self { key }
    }

    /// The next epoch's key. The caller drops this one.
    #[must_use]
    pub fn evolve(&self) -> Self {
        Self { key: keyed(&self.key).chain_update(EVOLVE_DOMAIN).finalize().into_bytes().into() }
    }

    /// The key `epochs` later.
    #[must_use]
    pub fn after(self, epochs: u64) -> Self {
        (0..epochs).fold(self, |key, _| key.evolve())
    }

    fn code(&self, link: &Hash) -> Hash {
        keyed(&self.key).chain_update(link).finalize().into_bytes().into()
    }

    /// Whether `code` is the code of `link`, in constant time.
    #[must_use]
    pub fn authentic(&self, link: &Hash, code: &[u8]) -> bool {
        self.code(link).ct_eq(code).into()
    }
}

impl std::fmt::Debug for MacKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("MacKey")
    }
}

fn keyed(key: &Hash) -> Hmac<Sha256> {
    // HMAC pads a short key with zeros to the block size; doing it here makes the constructor infallible.
    let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
    block[..32].copy_from_slice(key);
    Hmac::new(&block)
}
