//! Organisations and who belongs to them. Owns the rows of both; knows nothing of what a sandbox is, except that a
//! person who leaves hands theirs over. Invitations are another slice's.

pub mod http;
mod model;
mod operations;
mod rules;
mod store;

use crate::gate::Registry;

pub use model::{Life, Organisation, OrganisationMember, OrganisationMemberPage, OrganisationPage};

/// Makes this slice's changes known to those who carry out stored proposals.
pub fn register(registry: &mut Registry) {
    registry.add::<operations::CreateOrganisation>();
    registry.add::<operations::RenameOrganisation>();
    registry.add::<operations::DeleteOrganisation>();
    registry.add::<operations::GrantOrganisation>();
    registry.add::<operations::RevokeOrganisation>();
    registry.add::<operations::LeaveOrganisation>();
}

#[cfg(test)]
pub(crate) mod stage;
#[cfg(test)]
mod tests;
