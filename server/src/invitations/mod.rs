//! Invitations: an address is offered a role in an organisation or a whole grant in a sandbox, by a link that works once.
//!
//! It owns invitations and what accepting one makes of a person. It knows nothing of how the link reaches them.

mod answer;
mod http;
mod operations;
mod rules;
mod store;
#[cfg(test)]
mod tests;

use contract::id::{AccountId, OrganisationId, SandboxId};
use sqlx::PgConnection;

use crate::gate::{Registry, Result, Timestamp};

pub(crate) use http::{reveal, routes};

/// Adds the slice's operations that change something.
pub fn register(registry: &mut Registry) {
    registry.add::<operations::Invite>();
    registry.add::<operations::RevokeInvitation>();
    registry.add::<answer::AcceptInvitation>();
    registry.add::<answer::DeclineInvitation>();
}

/// Takes back every open invitation in the organisation that a person sent or that was sent to their address, because
/// they leave it; how many.
///
/// # Errors
/// The database's.
pub async fn revoke_concerning(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    account: AccountId,
    at: Timestamp,
) -> Result<u64> {
    store::revoke_concerning(conn, organisation, account, at).await
}

/// Takes the open invitation of a person into a sandbox back, because they are taken out of it.
///
/// # Errors
/// The database's.
pub async fn revoke_into(
    conn: &mut PgConnection,
    organisation: OrganisationId,
    sandbox: SandboxId,
    account: AccountId,
    at: Timestamp,
) -> Result<u64> {
    store::revoke_of_account(conn, organisation, sandbox, account, at).await
}
