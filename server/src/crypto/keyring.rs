//! The keys that the server holds while it runs, and what each is for.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use contract::audit::{ChainId, MacKey};
use ed25519_dalek::SigningKey;
use hkdf::Hkdf;
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::keyfile::{self, KeyFileError};
use super::seal::{self, Place, SealError};

/// 32 secret bytes that are wiped when dropped.
pub type Key = Zeroizing<[u8; 32]>;

/// A root key and its fingerprint.
pub struct RootKey {
    id: String,
    key: Key,
}

impl RootKey {
    pub(super) fn new(id: String, key: Key) -> Self {
        Self { id, key }
    }

    /// The fingerprint: 16 hexadecimal digits that say which key it is and nothing about it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Debug for RootKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RootKey({})", self.id)
    }
}

/// What a derived key is used for. Each has its own key, so that no use can speak for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Signs session cookies.
    Session,
    /// Signs list cursors.
    Cursor,
    /// Hashes stored tokens.
    TokenHash,
    /// Hashes addresses of people without an account, for finding their key.
    Subject,
}

impl Purpose {
    fn label(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Cursor => "cursor",
            Self::TokenHash => "token-hash",
            Self::Subject => "subject",
        }
    }
}

/// The root keys, newest first, and everything derived from them. One a process.
pub struct KeyRing {
    active: RootKey,
    older: Vec<RootKey>,
    people: Mutex<HashMap<(Uuid, [u8; 32]), PersonKey>>,
}

/// A person's key in one organisation.
#[derive(Clone)]
pub struct PersonKey {
    /// Names it inside records.
    pub id: Uuid,
    /// The key itself.
    pub key: Key,
}

impl fmt::Debug for PersonKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PersonKey({})", self.id)
    }
}

/// Beyond this the cache of people's keys starts anew.
const CACHED_PEOPLE: usize = 20_000;

impl KeyRing {
    /// Reads the key file; see [`keyfile::read`].
    ///
    /// # Errors
    /// [`KeyFileError`].
    pub fn from_file(path: &Path, loose: bool) -> Result<Self, KeyFileError> {
        let keys = keyfile::read(path, loose)?;
        let fault = KeyFileError::Content { path: path.to_owned(), fault: keyfile::Fault::Count };
        Self::new(keys).ok_or(fault)
    }

    /// Holds these root keys, newest first; `None` for no key at all.
    #[must_use]
    pub fn new(keys: Vec<RootKey>) -> Option<Self> {
        let mut keys = keys.into_iter();
        let active = keys.next()?;
        Some(Self { active, older: keys.collect(), people: Mutex::default() })
    }

    /// A ring with one key of known bytes, for tests and benchmarks.
    #[must_use]
    pub fn from_key(key: [u8; 32]) -> Self {
        let key = Zeroizing::new(key);
        let active = RootKey::new(fingerprint(&key), key);
        Self { active, older: Vec::new(), people: Mutex::default() }
    }

    /// The fingerprint of the key that seals from now on.
    #[must_use]
    pub fn active(&self) -> &str {
        &self.active.id
    }

    /// All fingerprints, newest first.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.active).chain(&self.older).map(RootKey::id)
    }

    fn root(&self, id: &str) -> Option<&RootKey> {
        std::iter::once(&self.active).chain(&self.older).find(|key| key.id == id)
    }

    /// Chains and derived keys hang on the oldest key of the file: a new root key on top must not change them.
    fn oldest(&self) -> &Key {
        &self.older.last().unwrap_or(&self.active).key
    }

    /// A key of its own for this use.
    #[must_use]
    pub fn derive(&self, purpose: Purpose) -> Key {
        expand(self.oldest(), &["derive", purpose.label()], &[])
    }

    /// The authentication key of a chain's epoch 0.
    #[must_use]
    pub fn mac_key(&self, chain: ChainId) -> MacKey {
        MacKey::first(*expand(self.oldest(), &["audit-mac"], chain.as_bytes()))
    }

    /// The key that signs checkpoints.
    #[must_use]
    pub fn note_key(&self) -> SigningKey {
        SigningKey::from_bytes(&expand(self.oldest(), &["audit-note"], &[]))
    }

    /// Seals a small value, such as another key, under the active root key.
    ///
    /// # Errors
    /// [`SealError::Length`] beyond 64 KiB.
    pub fn wrap(&self, place: &Place<'_>, nonce: [u8; 24], value: &[u8]) -> Result<Vec<u8>, SealError> {
        seal::seal(&self.active.id, &self.active.key, place, nonce, value)
    }

    /// Opens what [`KeyRing::wrap`] sealed, under whichever root key it names.
    ///
    /// # Errors
    /// [`SealError`], naming the row and the key.
    pub fn unwrap(&self, place: &Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let id = seal::key_id(sealed)?;
        let root =
            self.root(&id).ok_or_else(|| SealError::UnknownKey { needed: id.clone(), row: place.row.to_owned() })?;
        seal::open(&root.id, &root.key, place, sealed)
    }

    /// A person's key, if this process has seen it committed.
    #[must_use]
    pub fn remembered(&self, organisation: Uuid, subject: &[u8; 32]) -> Option<PersonKey> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner).get(&(organisation, *subject)).cloned()
    }

    /// Keeps a person's key. The caller knows that its row is committed.
    pub fn remember(&self, organisation: Uuid, subject: [u8; 32], key: PersonKey) {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if people.len() >= CACHED_PEOPLE {
            people.clear();
        }
        people.insert((organisation, subject), key);
    }

    /// Forgets a person's key, because it was destroyed.
    pub fn forget(&self, organisation: Uuid, subject: &[u8; 32]) {
        self.people.lock().unwrap_or_else(PoisonError::into_inner).remove(&(organisation, *subject));
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.ids()).finish()
    }
}

/// A root key's fingerprint.
#[must_use]
pub fn fingerprint(key: &Key) -> String {
    hex::encode(&expand(key, &["fingerprint"], &[])[..8])
}

/// HKDF-SHA-256 with a label for the use and, where there is one, the thing it is used on.
pub(super) fn expand(key: &Key, labels: &[&str], context: &[u8]) -> Key {
    let mut info = b"bailiwick/v1".to_vec();
    for part in labels.iter().map(|label| label.as_bytes()).chain([context]) {
        // Lengths are far below 2^16; a saturated one would only make another key.
        info.extend(u16::try_from(part.len()).unwrap_or(u16::MAX).to_be_bytes());
        info.extend(part);
    }
    let mut derived = Zeroizing::new([0; 32]);
    let expanded = Hkdf::<Sha256>::new(None, key.as_slice()).expand(&info, derived.as_mut_slice());
    debug_assert!(expanded.is_ok(), "32 bytes are always within HKDF's reach");
    derived
}
