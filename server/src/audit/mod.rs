//! The audit trail after the commit: sealing records into their chains, signing checkpoints, verifying, and reading.
//!
//! Records are written by the gate, beside the change that they tell of; this slice never makes one. Others hold
//! a [`Trail`], run [`Trail::seal`] once a process and, on the command line, [`command::verify_command`].

mod alarm;
mod chain;
pub mod command;
pub mod http;
#[doc(hidden)]
pub mod measure;
pub mod memory;
pub mod operations;
mod rules;
pub mod sequencer;
mod sign;
pub(crate) mod store;
mod trail;
pub mod verify;
mod wire;

pub use trail::Trail;

#[cfg(test)]
mod http_tests;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod tests;
