//! One type per thing that can be asked of an organisation.

mod organisation;
mod roster;

pub(super) use organisation::{
    CreateOrganisation, DeleteOrganisation, ListOrganisations, ReadOrganisation, RenameOrganisation,
};
pub(super) use roster::{GrantOrganisation, LeaveOrganisation, ListOrganisationMembers, RevokeOrganisation};
