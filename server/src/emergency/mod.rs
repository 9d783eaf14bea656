//! Emergency stop: engaging and releasing it for an organisation or a sandbox, and the board of what was told to stop.
//! What a stored state means belongs to the gate, which asks it on every request.

pub mod http;
mod operations;
mod store;

use crate::gate::Registry;

/// Operations that may wait for a confirmation.
pub fn register(registry: &mut Registry) {
    registry.add::<operations::EngageEmergency>();
    registry.add::<operations::ResetEmergency>();
}

#[cfg(test)]
mod tests;
