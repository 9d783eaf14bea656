//! Sandboxes and the areas of their workspaces. Owns the rows of both; who may do what inside is the members' slice's.

pub mod areas;
pub mod http;
mod model;
mod operations;
mod rules;
mod store;

pub use model::{Sandbox, SandboxPage, SandboxRole};
pub(crate) use rules::role;
pub(crate) use store::hand_over;

use crate::gate::Registry;

/// Makes this slice's changes known to those who carry out stored proposals.
pub fn register(registry: &mut Registry) {
    registry.add::<operations::CreateSandbox>();
    registry.add::<operations::RenameSandbox>();
    registry.add::<operations::DeleteSandbox>();
    registry.add::<operations::TransferSandbox>();
    areas::register(registry);
}

#[cfg(test)]
mod tests;
