//! Tokens in links: what the database keeps of one, and how one waits inside a stored operation.
//!
//! The token itself is only ever in the link. The database keeps a keyed hash, so that neither a copy of the database
//! nor a guess offline finds a working link.

use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::keyring::{Key, KeyRing, Purpose, expand};

const NONCE_BYTES: usize = 12;

/// A token that nobody can guess: 32 random bytes, base64url.
pub fn random_token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// Keys for one purpose of link.
#[derive(Clone)]
pub struct LinkKey {
    mac: Key,
    seal: Key,
}

impl LinkKey {
    /// Keys of their own for links of this kind, such as `invitation`.
    pub fn derive(keys: &KeyRing, kind: &str) -> Self {
        let base = keys.derive(Purpose::TokenHash);
        Self { mac: expand(&base, &[kind, "mac"], &[]), seal: expand(&base, &[kind, "seal"], &[]) }
    }

    /// What the database keeps: HMAC-SHA-256 of the token, 32 bytes.
    pub fn hash(&self, token: &str) -> Vec<u8> {
        <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(self.mac.as_slice())
            .map(|mac| mac.chain_update(token.as_bytes()).finalize().into_bytes().to_vec())
            .unwrap_or_default()
    }

    /// The token as ciphertext bound to `context`, for an operation that may wait for a confirmation; none if the
    /// cipher fails.
    pub fn seal(&self, token: &str, nonce: [u8; NONCE_BYTES], context: &[u8]) -> Option<String> {
        let payload = Payload { msg: token.as_bytes(), aad: context };
        let sealed = self.cipher().encrypt(&Nonce::from(nonce), payload).ok()?;
        Some(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// The token again; none if it was sealed with another key or for another context.
    pub fn open(&self, sealed: &str, context: &[u8]) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let payload = Payload { msg: sealed, aad: context };
        String::from_utf8(self.cipher().decrypt(&Nonce::from(*nonce), payload).ok()?).ok()
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(&(*self.seal).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_key_and_token() {
        let key = LinkKey::derive(&KeyRing::from_key([1; 32]), "invitation");
        assert_eq!(key.hash("a").len(), 32);
        assert_eq!(key.hash("a"), key.hash("a"));
        assert_ne!(key.hash("a"), key.hash("b"));
        assert_ne!(key.hash("a"), LinkKey::derive(&KeyRing::from_key([2; 32]), "invitation").hash("a"));
        assert_ne!(key.hash("a"), LinkKey::derive(&KeyRing::from_key([1; 32]), "first-owner").hash("a"));
    }

    #[test]
    fn a_sealed_token_opens_with_its_key_and_context_only() {
        let key = LinkKey::derive(&KeyRing::from_key([1; 32]), "invitation");
        let sealed = key.seal("token", [7; 12], b"here").unwrap();
        assert!(!sealed.contains("token"));
        assert_eq!(key.open(&sealed, b"here").as_deref(), Some("token"));
        assert_eq!(key.open(&sealed, b"there"), None);
        assert_eq!(LinkKey::derive(&KeyRing::from_key([2; 32]), "invitation").open(&sealed, b"here"), None);
        assert_eq!(key.open("", b"here"), None);
    }
}
