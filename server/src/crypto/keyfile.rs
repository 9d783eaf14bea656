//! Reads the key file: the secret from which every other key of the installation is derived or unwrapped.
//!
//! Accepted are 32 raw bytes, the same as 64 hexadecimal digits or as base64, or a versioned text with several root
//! keys, newest first:
//!
//! ```text
//! bailiwick-keys v1
//! key 1f0c…(16 hexadecimal digits: the key's fingerprint) base64(32 bytes)
//! key …
//! ```
//!
//! Anything doubtful is refused with what to do about it: a key that was read wrongly seals data for nobody.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

use super::keyring::{RootKey, fingerprint};

const HEADER: &str = "bailiwick-keys v1";
const MAX_BYTES: u64 = 16 * 1024;
const MAX_KEYS: usize = 16;

/// Why a key file is not used. The text is for the operator and never holds a part of a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Nothing there.
    #[error("there is no key file at {0}; create one with `head -c 32 /dev/urandom > FILE && chmod 400 FILE`")]
    Missing(PathBuf),
    /// The operating system refuses.
    #[error("the key file {path} cannot be read: {kind}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        kind: ErrorKind,
    },
    /// A directory, a socket or the like.
    #[error("{0} is not a regular file")]
    NotAFile(PathBuf),
    /// A link that leads elsewhere.
    #[error(
        "the key file {0} is a symbolic link that leaves its directory; name the file itself, or set allow_loose_key_file"
    )]
    Link(PathBuf),
    /// Others can read or change it.
    #[error(
        "the key file {path} has mode {mode:04o}, so others can read or change it; `chmod 400` it, or set allow_loose_key_file"
    )]
    Exposed {
        /// Which file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Somebody else owns it.
    #[error(
        "the key file {path} belongs to user {owner}, not to the server's user or root; `chown` it, or set allow_loose_key_file"
    )]
    Owner {
        /// Which file.
        path: PathBuf,
        /// Numeric owner.
        owner: u32,
    },
    /// No bytes.
    #[error("the key file {0} is empty; was its secret not mounted?")]
    Empty(PathBuf),
    /// Bytes that are no key.
    #[error("the key file {path} holds no key: {fault}")]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },
}

/// What is wrong with a key file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An editor's mark.
    #[error("it begins with a byte order mark; save it without one")]
    ByteOrderMark,
    /// Another length than any form has.
    #[error("expected 32 bytes, 64 hexadecimal digits or 44 characters of base64, found {0} bytes")]
    Length(usize),
    /// Decodes to something else.
    #[error("the encoded text does not decode to 32 bytes")]
    Encoding,
    /// 32 letters are no 32 random bytes.
    #[error("32 characters of text are not 32 random bytes; encode the key as 64 hexadecimal digits or base64")]
    Text,
    /// All bytes alike and the like.
    #[error("it is a placeholder, not a random key")]
    Placeholder,
    /// The versioned form is malformed in this line.
    #[error("line {0} is not `key FINGERPRINT BASE64`")]
    Line(usize),
    /// The versioned form's check value does not fit.
    #[error("the fingerprint in line {0} is not the key's; the line was damaged")]
    Check(usize),
    /// The same key twice.
    #[error("line {0} repeats a key")]
    Repeated(usize),
    /// Too many or none.
    #[error("expected 1 to 16 keys")]
    Count,
}

/// Reads a key file. `loose` accepts a file that others could read, own or redirect: for file systems without owners.
///
/// # Errors
/// [`KeyFileError`], with what to do.
pub fn read(path: &Path, loose: bool) -> Result<Vec<RootKey>, KeyFileError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => KeyFileError::Missing(path.to_owned()),
        kind => KeyFileError::Unreadable { path: path.to_owned(), kind },
    };
    let named = fs::symlink_metadata(path).map_err(unreadable)?;
    if named.is_symlink() && !loose && !stays_inside(path).map_err(unreadable)? {
        return Err(KeyFileError::Link(path.to_owned()));
    }
    let file = File::open(path).map_err(unreadable)?;
    // Asked of the open file, so that nobody can swap it between the question and the reading.
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(KeyFileError::NotAFile(path.to_owned()));
    }
    if !loose {
        private(path, &metadata)?;
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.is_empty() {
        return Err(KeyFileError::Empty(path.to_owned()));
    }
    parse(&bytes).map_err(|fault| KeyFileError::Content { path: path.to_owned(), fault })
}

/// A mounted Kubernetes secret is a link to a file below the same directory; that is as good as the file.
fn stays_inside(path: &Path) -> std::io::Result<bool> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    Ok(fs::canonicalize(path)?.starts_with(fs::canonicalize(directory)?))
}

fn private(path: &Path, metadata: &Metadata) -> Result<(), KeyFileError> {
    let mode = metadata.mode() & 0o7777;
    // The group may read: an orchestrator mounts secrets for the container's group.
    if mode & 0o027 != 0 {
        return Err(KeyFileError::Exposed { path: path.to_owned(), mode });
    }
    let owner = metadata.uid();
    if owner != 0 && owner != nix::unistd::geteuid().as_raw() {
        return Err(KeyFileError::Owner { path: path.to_owned(), owner });
    }
    Ok(())
}

/// Reads a key file's content.
///
/// # Errors
/// [`Fault`].
pub fn parse(bytes: &[u8]) -> Result<Vec<RootKey>, Fault> {
    // A file of 32 bytes is a raw key whatever the bytes are, except letters: those are somebody's text.
    if let Ok(raw) = <&[u8; 32]>::try_from(bytes) {
        return if bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
            Err(Fault::Text)
        } else {
            Ok(vec![random(Zeroizing::new(*raw))?])
        };
    }
    if bytes.starts_with(b"\xef\xbb\xbf") || bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Fault::ByteOrderMark);
    }
    let length = Fault::Length(bytes.len());
    let text = std::str::from_utf8(bytes).map_err(|_| length)?;
    if text.starts_with(HEADER) {
        return several(text);
    }
    let line = text.strip_suffix('\n').map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
    match line.len() {
        64 if line.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            let mut key = Zeroizing::new([0; 32]);
            hex::decode_to_slice(line, key.as_mut_slice()).map_err(|_| Fault::Encoding)?;
            Ok(vec![random(key)?])
        }
        43 | 44 => Ok(vec![random(base64(line)?)?]),
        _ => Err(length),
    }
}

fn several(text: &str) -> Result<Vec<RootKey>, Fault> {
    let mut keys: Vec<RootKey> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            _ if index == 0 => {
                if line.trim_end() != HEADER {
                    return Err(Fault::Line(number));
                }
            }
            [] => {}
            [comment, ..] if comment.starts_with('#') => {}
            ["key", id, encoded] => {
                let key = random(base64(encoded).map_err(|_| Fault::Line(number))?)?;
                if key.id() != *id {
                    return Err(Fault::Check(number));
                }
                if keys.iter().any(|known| known.id() == key.id()) {
                    return Err(Fault::Repeated(number));
                }
                keys.push(key);
            }
            _ => return Err(Fault::Line(number)),
        }
    }
    if (1..=MAX_KEYS).contains(&keys.len()) { Ok(keys) } else { Err(Fault::Count) }
}

fn base64(text: &str) -> Result<Zeroizing<[u8; 32]>, Fault> {
    for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
        if let Ok(bytes) = engine.decode(text).map(Zeroizing::new) {
            return <[u8; 32]>::try_from(bytes.as_slice()).map(Zeroizing::new).map_err(|_| Fault::Encoding);
        }
    }
    Err(Fault::Encoding)
}

fn random(key: Zeroizing<[u8; 32]>) -> Result<RootKey, Fault> {
    let mut seen = [false; 256];
    key.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    // 32 random bytes have fewer than 12 different values once in 10^20 keys; a pattern has few. A run of text, encoded, is one too.
    let varied = seen.iter().filter(|seen| **seen).count() >= 12;
    let counting = key.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1));
    let letters = key.iter().all(u8::is_ascii_graphic);
    if varied && !counting && !letters { Ok(RootKey::new(fingerprint(&key), key)) } else { Err(Fault::Placeholder) }
}
