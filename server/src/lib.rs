//! Bailiwick server.

pub mod config;
pub mod crypto;
pub mod error;
pub mod gate;
