//! Bailiwick server.

pub mod access;
pub mod app;
pub mod config;
pub mod crypto;
pub mod dev;
pub mod emergency;
pub mod error;
pub mod failure;
pub mod gate;
pub mod http;
pub mod migrate;
pub mod observe;
pub mod policies;
pub mod proposals;
pub mod serve;
#[cfg(test)]
mod testing;
