//! Policy documents: reading, previewing, replacing and going back, for an organisation or one of its sandboxes. What a
//! document means belongs to the gate, which reads it on every request.

pub mod http;
mod operations;
mod rules;
mod store;

use contract::id::OrganisationId;

use crate::gate::{Call, Gate, Registry, Result, Scope};

/// Operations that may wait for a confirmation.
pub fn register(registry: &mut Registry) {
    registry.add::<operations::UpdatePolicy>();
    registry.add::<operations::ResetPolicy>();
}

/// The way back in from the server's own command line: the built-in policy becomes the organisation's next version.
///
/// # Errors
/// No such organisation, or the database's.
pub async fn reset(gate: &Gate, organisation: OrganisationId) -> Result<i64> {
    let operation = operations::ResetPolicy { scope: Scope::Organisation(organisation) };
    Ok(gate.perform(Call::job("policy-reset"), operation).await?.output)
}

#[cfg(test)]
mod tests;
