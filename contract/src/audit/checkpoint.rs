//! A chain's signed state: the C2SP `tlog-checkpoint` text in a C2SP `signed-note` with one Ed25519 signature.

use super::chain::{ChainId, Hash};
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use uuid::Uuid;

const ORIGIN_PREFIX: &str = "bailiwick/audit/";
const ED25519: u8 = 1;

/// What a checkpoint states about a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The chain; the note's origin line is `bailiwick/audit/` and this id.
    pub chain: ChainId,
    /// How many records the chain has.
    pub size: u64,
    /// Root of the RFC 6962 tree over their leaves.
    pub root: Hash,
    /// Link of the last record, which ties the tree to the chain.
    pub link: Hash,
    /// The epoch whose key authenticated the records up to `size`; the next record is in the epoch after.
    pub epoch: u64,
    /// When it was signed, as the record format writes times.
    pub at: String,
}

/// Why a note is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Not the text that this program writes.
    #[error("the note is malformed")]
    Malformed,
    /// No signature by the key that was asked for.
    #[error("the note is not signed by this key")]
    UnknownKey,
    /// There is one, and it does not fit the text.
    #[error("the note's signature does not verify")]
    BadSignature,
}

/// The whole signed note, ending in a newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(String);

impl Checkpoint {
    /// The origin line, which is also the name of the signing key.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("{ORIGIN_PREFIX}{}", self.chain.simple())
    }

    fn text(&self) -> String {
        format!(
            "{}\n{}\n{}\nlink {}\nepoch {}\nat {}\n",
            self.origin(),
            self.size,
            BASE64.encode(self.root),
            BASE64.encode(self.link),
            self.epoch,
            self.at
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let chain = lines.next()?.strip_prefix(ORIGIN_PREFIX)?;
        let parsed = Self {
            chain: Uuid::try_parse(chain).ok()?,
            size: lines.next()?.parse().ok()?,
            root: hash(lines.next()?)?,
            link: hash(lines.next()?.strip_prefix("link ")?)?,
            epoch: lines.next()?.strip_prefix("epoch ")?.parse().ok()?,
            at: lines.next()?.strip_prefix("at ")?.to_owned(),
        };
        // Writing it again refuses every other spelling of the same content (leading zeros, other letter cases, extra lines).
        (lines.next().is_none() && parsed.text() == text).then_some(parsed)
    }

    /// Signs the checkpoint. Ed25519 signatures are deterministic, so the same checkpoint is always the same note.
    #[must_use]
    pub fn sign(&self, key: &SigningKey) -> Note {
        let text = self.text();
        let name = self.origin();
        let mut signature = key_id(&name, &key.verifying_key()).to_vec();
        signature.extend(key.sign(text.as_bytes()).to_bytes());
        Note(format!("{text}\n\u{2014} {name} {}\n", BASE64.encode(signature)))
    }
}

impl Note {
    /// Takes a stored or received note; nothing is checked before [`Note::verify`].
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The note as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks the signature and reads what it covers.
    ///
    /// # Errors
    /// [`NoteError`]. Signatures of other keys are ignored, as the note format asks.
    pub fn verify(&self, key: &VerifyingKey) -> Result<Checkpoint, NoteError> {
        let (text, signatures) = self.0.rsplit_once("\n\n").ok_or(NoteError::Malformed)?;
        let text = format!("{text}\n");
        let checkpoint = Checkpoint::parse(&text).ok_or(NoteError::Malformed)?;
        let name = checkpoint.origin();
        let wanted = key_id(&name, key);
        for line in signatures.strip_suffix('\n').ok_or(NoteError::Malformed)?.split('\n') {
            let (signer, encoded) =
                line.strip_prefix("\u{2014} ").and_then(|rest| rest.split_once(' ')).ok_or(NoteError::Malformed)?;
            let bytes = BASE64.decode(encoded).map_err(|_| NoteError::Malformed)?;
            let Some((id, signature)) = bytes.split_first_chunk::<4>() else { return Err(NoteError::Malformed) };
            if signer != name || *id != wanted {
                continue;
            }
            let signature = Signature::from_slice(signature).map_err(|_| NoteError::Malformed)?;
            return match key.verify_strict(text.as_bytes(), &signature) {
                Ok(()) => Ok(checkpoint),
                Err(_) => Err(NoteError::BadSignature),
            };
        }
        Err(NoteError::UnknownKey)
    }
}

/// The verifier key as `signed-note` writes it: `name+hash+base64(0x01 ‖ public key)`.
#[must_use]
pub fn verifier_key(chain: ChainId, key: &VerifyingKey) -> String {
    let name = format!("{ORIGIN_PREFIX}{}", chain.simple());
    let mut encoded = vec![ED25519];
    encoded.extend(key.as_bytes());
    format!("{name}+{}+{}", hex::encode(key_id(&name, key)), BASE64.encode(encoded))
}

fn key_id(name: &str, key: &VerifyingKey) -> [u8; 4] {
    let digest =
        Sha256::new().chain_update(name).chain_update([b'\n', ED25519]).chain_update(key.as_bytes()).finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

fn hash(text: &str) -> Option<Hash> {
    BASE64.decode(text).ok()?.try_into().ok()
}
