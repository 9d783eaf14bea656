//! The audit trail's format: what one record's bytes are, how records are chained, and how a chain is proven.
//!
//! Everything here is a pure function of its arguments: there is no clock, no randomness and no storage, so the server
//! that writes a trail and a verifier that was handed a copy of it run the same code. What each piece proves and what
//! it does not is told in `docs/audit.md`.

pub mod chain;
pub mod checkpoint;
pub mod record;
pub mod redact;
pub mod tree;
pub mod verify;

pub use chain::{ChainId, Hash, INSTALLATION, MacKey, leaf, link, mac};
pub use checkpoint::{Checkpoint, Note, NoteError};
pub use record::{Actor, Columns, Outcome, Record, RecordError, Ruling, Sealed, Target};
pub use tree::Frontier;

#[cfg(test)]
mod tests;
