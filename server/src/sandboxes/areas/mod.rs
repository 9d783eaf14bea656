//! The named parts of a sandbox's workspace. Owns their rows; where a member's row names them is the members' slice's.

pub mod http;
mod model;
mod operations;
mod rules;
mod store;

pub use model::{Area, AreaList};
pub(crate) use store::unknown;

use crate::gate::Registry;

/// Makes this slice's changes known to those who carry out stored proposals.
pub(super) fn register(registry: &mut Registry) {
    registry.add::<operations::CreateArea>();
    registry.add::<operations::RenameArea>();
    registry.add::<operations::DeleteArea>();
}

#[cfg(test)]
mod tests;
