//! Values sealed for exactly one place: AES-256-GCM under a key derived freshly for each value.
//!
//! Envelope: `BWSE`, format 1, algorithm 1, key id (8 bytes), nonce (24 bytes), ciphertext, tag (16 bytes). The first half
//! of the nonce derives the value's key and the second is GCM's own, so random nonces have no limit that matters.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::keyring::{Key, PersonKey, expand};

const MAGIC: [u8; 6] = [b'B', b'W', b'S', b'E', 1, 1];
const HEAD: usize = MAGIC.len() + 8 + 24;
const TAG: usize = 16;
/// The longest value.
pub const MAX_VALUE: usize = 64 * 1024;

/// Why a value is not sealed or opened. Never a partial value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Not an envelope of this format, or cut short.
    #[error("the sealed value is damaged")]
    Damaged,
    /// The key that sealed it is not in the key file.
    #[error("row {row} is sealed under root key {needed}, which the key file does not hold")]
    UnknownKey {
        /// The fingerprint needed.
        needed: String,
        /// Which row.
        row: String,
    },
    /// Altered, moved from another place, or another key.
    #[error("row {row} does not open under key {key}: it was altered, moved, or sealed with another key")]
    Rejected {
        /// Which row.
        row: String,
        /// Which key.
        key: String,
    },
    /// Longer than [`MAX_VALUE`].
    #[error("the value is too long to be sealed")]
    Length,
}

/// Where a value is kept. A value opens nowhere else.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Table.
    pub table: &'a str,
    /// Column.
    pub column: &'a str,
    /// Organisation; the nil uuid for the installation.
    pub organisation: Uuid,
    /// Row id.
    pub row: &'a str,
    /// Version of the value in its row.
    pub version: u32,
    /// What the value is for.
    pub purpose: &'a str,
}

impl Place<'_> {
    fn additional(&self, key_id: &str) -> Vec<u8> {
        let version = self.version.to_be_bytes();
        let parts: [&[u8]; 8] = [
            &MAGIC,
            self.organisation.as_bytes(),
            self.table.as_bytes(),
            self.column.as_bytes(),
            self.row.as_bytes(),
            &version,
            key_id.as_bytes(),
            self.purpose.as_bytes(),
        ];
        prefixed(&parts)
    }
}

/// The parts, each behind its length, so that no two lists give the same bytes.
fn prefixed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(*part);
    }
    bytes
}

/// Seals a value. `key_id` is 16 hexadecimal digits; the nonce is random.
///
/// # Errors
/// [`SealError::Length`], or [`SealError::Damaged`] for a key id that is none.
pub fn seal(key_id: &str, key: &Key, place: &Place<'_>, nonce: [u8; 24], value: &[u8]) -> Result<Vec<u8>, SealError> {
    if value.len() > MAX_VALUE {
        return Err(SealError::Length);
    }
    let mut id = [0; 8];
    hex::decode_to_slice(key_id, &mut id).map_err(|_| SealError::Damaged)?;
    let mut envelope = Vec::with_capacity(HEAD + value.len() + TAG);
    envelope.extend(MAGIC);
    envelope.extend(id);
    envelope.extend(nonce);
    let (cipher, inner) = cipher(key, &nonce);
    let payload = Payload { msg: value, aad: &place.additional(key_id) };
    envelope.extend(cipher.encrypt(&inner, payload).map_err(|_| SealError::Length)?);
    Ok(envelope)
}

/// The fingerprint of the key that an envelope needs.
///
/// # Errors
/// [`SealError::Damaged`].
pub fn key_id(sealed: &[u8]) -> Result<String, SealError> {
    if sealed.len() < HEAD + TAG || sealed.len() > HEAD + MAX_VALUE + TAG || !sealed.starts_with(&MAGIC) {
        return Err(SealError::Damaged);
    }
    Ok(hex::encode(&sealed[MAGIC.len()..MAGIC.len() + 8]))
}

/// Opens a value.
///
/// # Errors
/// [`SealError`].
pub fn open(id: &str, key: &Key, place: &Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let rejected = || SealError::Rejected { row: place.row.to_owned(), key: id.to_owned() };
    if key_id(sealed)? != id {
        return Err(rejected());
    }
    let nonce = sealed[MAGIC.len() + 8..HEAD].try_into().map_err(|_| SealError::Damaged)?;
    let (cipher, inner) = cipher(key, &nonce);
    let payload = Payload { msg: &sealed[HEAD..], aad: &place.additional(id) };
    cipher.decrypt(&inner, payload).map(Zeroizing::new).map_err(|_| rejected())
}

fn cipher(key: &Key, nonce: &[u8; 24]) -> (Aes256Gcm, Nonce<aes_gcm::aes::cipher::consts::U12>) {
    let (derives, gcm) = nonce.split_at(12);
    let fresh = expand(key, &["value"], derives);
    let mut inner = [0; 12];
    inner.copy_from_slice(gcm);
    (Aes256Gcm::new((&*fresh).into()), Nonce::from(inner))
}

/// A personal field of an audit record under its person's key: nonce and ciphertext.
///
/// The nonce is a keyed hash of record, field and value. A record's attempt may be made again with the same id, and then
/// the same value gives the same bytes and another value another nonce; nothing random has to be carried along, and a
/// nonce never meets two values.
#[must_use]
pub fn seal_personal(person: &PersonKey, record: Uuid, field: &str, value: &[u8]) -> Option<([u8; 12], Vec<u8>)> {
    let additional = prefixed(&[b"audit_record", record.as_bytes(), field.as_bytes(), person.id.as_bytes()]);
    let mut code = <Hmac<Sha256> as hmac::KeyInit>::new(&padded(&expand(&person.key, &["personal-nonce"], &[])));
    code.update(&additional);
    code.update(value);
    let mut nonce = [0; 12];
    nonce.copy_from_slice(&code.finalize().into_bytes()[..12]);
    let cipher = Aes256Gcm::new((&*expand(&person.key, &["personal"], &[])).into());
    let sealed = cipher.encrypt(&Nonce::from(nonce), Payload { msg: value, aad: &additional }).ok()?;
    Some((nonce, sealed))
}

/// Opens what [`seal_personal`] sealed; `None` for anything else.
#[must_use]
pub fn open_personal(person: &PersonKey, record: Uuid, field: &str, nonce: [u8; 12], sealed: &[u8]) -> Option<Vec<u8>> {
    let additional = prefixed(&[b"audit_record", record.as_bytes(), field.as_bytes(), person.id.as_bytes()]);
    let cipher = Aes256Gcm::new((&*expand(&person.key, &["personal"], &[])).into());
    cipher.decrypt(&Nonce::from(nonce), Payload { msg: sealed, aad: &additional }).ok()
}

/// A keyed hash, for finding somebody without storing who it is.
#[must_use]
pub fn keyed_hash(key: &Key, parts: &[&[u8]]) -> [u8; 32] {
    let mut code = <Hmac<Sha256> as hmac::KeyInit>::new(&padded(key));
    code.update(&prefixed(parts));
    code.finalize().into_bytes().into()
}

fn padded(key: &Key) -> hmac::digest::Key<Hmac<Sha256>> {
    let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
    block[..32].copy_from_slice(key.as_slice());
    block
}
