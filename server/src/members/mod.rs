//! Who may do what in a sandbox: the rows of its roster. Invitations are another slice's, except that a row which is not
//! yet accepted names areas too. Knows nothing of how somebody came to belong to the organisation.

pub mod http;
mod model;
mod operations;
mod rules;
mod store;

pub use model::{Member, MemberPage, MemberStanding};
pub(crate) use rules::leave;
pub(crate) use store::{Person, add_maintainer, is_area_named, leave_all_rosters, leave_rosters, person, rename_area};

use crate::gate::Registry;

/// Makes this slice's changes known to those who carry out stored proposals.
pub fn register(registry: &mut Registry) {
    registry.add::<operations::GrantMember>();
    registry.add::<operations::ChangeMember>();
    registry.add::<operations::RemoveMember>();
    registry.add::<operations::LeaveSandbox>();
}

#[cfg(test)]
mod tests;
