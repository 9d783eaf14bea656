//! Bailiwick server.

pub mod access;
pub mod accounts;
pub mod app;
pub mod audit;
#[cfg(test)]
mod completeness;
pub mod config;
pub mod crypto;
pub mod dev;
pub mod emergency;
pub mod erasure;
pub mod error;
pub mod failure;
pub mod gate;
pub mod http;
pub mod invitations;
pub mod jobs;
pub mod members;
pub mod migrate;
pub mod observe;
pub mod organisations;
pub mod policies;
pub mod proposals;
pub mod sandboxes;
pub mod search;
pub mod serve;
#[cfg(test)]
mod testing;
