//! Bailiwick server.

pub mod config;
pub mod crypto;
pub mod error;
pub mod gate;
pub mod dev;
pub mod failure;
pub mod migrate;
pub mod observe;
pub mod serve;
