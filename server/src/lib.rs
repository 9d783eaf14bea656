//! Bailiwick server.
pub mod crypto;
