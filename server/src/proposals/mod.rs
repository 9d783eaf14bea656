//! Waits: what needs a person. Lists and shows proposals, and hands answers to the gate, which owns them.

pub mod http;
mod operations;
mod store;

#[cfg(test)]
mod tests;
