//! Checkpoints that this server remembers outside the database: one line each in an append-only file.
//!
//! Whoever rolls the database back has to roll this file back too. Where the file is absent, the first checkpoint of each
//! chain is trusted as it is found, and the log says so.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use contract::audit::{ChainId, Checkpoint, Frontier, Note};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};

/// Name of the file in the data directory.
pub const FILE: &str = "audit-checkpoints.jsonl";
/// From this size on the file is rewritten with the newest checkpoint of each chain when it is opened.
const COMPACT_BYTES: u64 = 64 * 1024 * 1024;

/// Why the file is not used. A damaged one is never skipped: it would be the way to make the server forget.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file system's refusal.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A line that this server cannot have written.
    #[error("{path}, line {line}: not a checkpoint signed by this installation's key")]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: usize,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    frontier: String,
    note: String,
}

/// The newest checkpoint of a chain that is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// What was signed.
    pub checkpoint: Checkpoint,
    /// The tree at that size, which lets a later state be compared without reading the chain from its start.
    pub frontier: Frontier,
    /// The signed note.
    pub note: String,
}

/// The file, opened for appending, and the newest line of each chain.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    file: File,
    newest: HashMap<ChainId, Remembered>,
}

impl Memory {
    /// Opens or makes the file.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn open(directory: &Path, key: &VerifyingKey) -> Result<Self, MemoryError> {
        let path = directory.join(FILE);
        let io = |error| MemoryError::Io { path: path.clone(), error };
        let existed = path.exists();
        let newest = if existed { recall(&path, key)? } else { HashMap::new() };
        if !existed {
            tracing::warn!(file = %path.display(), "no remembered checkpoints; the trail is trusted as it is found");
        }
        let append = || OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        let mut file = append().map_err(io)?;
        if file.metadata().map_err(io)?.len() > COMPACT_BYTES {
            let fresh = path.with_extension("jsonl.new");
            let mut text = String::new();
            newest.values().for_each(|kept| text.push_str(&line(kept)));
            let mut replacement =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh).map_err(io)?;
            replacement.write_all(text.as_bytes()).and_then(|()| replacement.sync_all()).map_err(io)?;
            fs::rename(&fresh, &path).map_err(io)?;
            file = append().map_err(io)?;
        }
        Ok(Self { path, file, newest })
    }

    /// The newest checkpoint of a chain.
    #[must_use]
    pub fn newest(&self, chain: ChainId) -> Option<&Remembered> {
        self.newest.get(&chain)
    }

    /// Remembers checkpoints, durably.
    ///
    /// # Errors
    /// [`MemoryError::Io`]; nothing is remembered then.
    pub fn append(&mut self, checkpoints: Vec<Remembered>) -> Result<(), MemoryError> {
        let text: String = checkpoints.iter().map(line).collect();
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|error| MemoryError::Io { path: self.path.clone(), error })?;
        self.newest.extend(checkpoints.into_iter().map(|kept| (kept.checkpoint.chain, kept)));
        Ok(())
    }
}

/// Reads the newest checkpoint of each chain from a file that another process may be appending to.
///
/// # Errors
/// [`MemoryError`].
pub fn recall(path: &Path, key: &VerifyingKey) -> Result<HashMap<ChainId, Remembered>, MemoryError> {
    let mut text = String::new();
    File::open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|error| MemoryError::Io { path: path.to_owned(), error })?;
    // A crash may cut the last line; a line is whole only with its end.
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut newest: HashMap<ChainId, (usize, Remembered)> = HashMap::new();
    for (index, written) in whole.lines().enumerate() {
        let number = index + 1;
        if written.is_empty() {
            continue;
        }
        let kept = parse(written, key).ok_or(MemoryError::Line { path: path.to_owned(), line: number })?;
        newest.insert(kept.checkpoint.chain, (number, kept));
    }
    Ok(newest.into_iter().map(|(chain, (_, kept))| (chain, kept)).collect())
}

fn line(kept: &Remembered) -> String {
    let line = Line { frontier: hex::encode(kept.frontier.to_bytes()), note: kept.note.clone() };
    serde_json::to_string(&line).map(|text| text + "\n").unwrap_or_default()
}

fn parse(text: &str, key: &VerifyingKey) -> Option<Remembered> {
    let line: Line = serde_json::from_str(text).ok()?;
    let checkpoint = Note::from_text(line.note.clone()).verify(key).ok()?;
    let frontier = Frontier::from_bytes(&hex::decode(line.frontier).ok()?)?;
    let fits = frontier.size() == checkpoint.size && frontier.root() == checkpoint.root;
    fits.then_some(Remembered { checkpoint, frontier, note: line.note })
}
