//! The audit trail after the commit: sealing records into their chains, signing checkpoints, verifying, and reading.
//!
//! Records are written by the gate, beside the change that they tell of; this slice never makes one. Others call
//! [`sequencer::run`] once a process, hold a [`Trail`] and, on the command line, [`command::verify_command`].

mod alarm;
mod chain;
pub mod command;
pub mod memory;
pub mod sequencer;
mod sign;
pub(crate) mod store;
pub mod verify;

#[cfg(test)]
mod scene;
#[cfg(test)]
mod tests;
