//! Bailiwick server.

pub mod config;
pub mod crypto;
