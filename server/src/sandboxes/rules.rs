//! What somebody is in a sandbox, and to whom it may pass. Pure.

use contract::access::Access;
use contract::code::Code;

use super::model::SandboxRole;
use crate::gate::Decision;

/// The word for what somebody is in a sandbox. Without a row of their own they are there to oversee, and read.
pub(crate) fn role(is_owner: bool, access: Option<&Access>) -> SandboxRole {
    match access {
        _ if is_owner => SandboxRole::Owner,
        Some(access) => access.tier().into(),
        None => SandboxRole::Viewer,
    }
}

/// Whether the owner's address is shown to somebody who is `role`.
pub(super) fn is_told_the_owner(role: SandboxRole) -> bool {
    role != SandboxRole::Guest
}

/// Whether ownership may pass to somebody. It is never given without presence proven.
pub(super) fn transfer(to_is_owner: bool) -> Decision {
    if to_is_owner { Decision::Deny(Code::OwnerRow) } else { Decision::Confirm }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::access::{Row, Tier};

    #[test]
    fn the_owner_is_the_owner_whatever_else_and_others_are_their_tier() {
        assert_eq!(role(true, None), SandboxRole::Owner);
        assert_eq!(role(true, Some(&Access::managing())), SandboxRole::Owner);
        assert_eq!(role(false, Some(&Access::managing())), SandboxRole::Maintainer);
        let guest = Row { role: Tier::Guest, areas: Some(vec!["web".to_owned()]), agents: None, edit: None };
        assert_eq!(role(false, Some(&guest.resolve())), SandboxRole::Guest);
        assert_eq!(role(false, None), SandboxRole::Viewer);
    }

    #[test]
    fn guests_are_not_told_the_owner() {
        assert!(!is_told_the_owner(SandboxRole::Guest));
        assert!(is_told_the_owner(SandboxRole::Viewer));
    }

    #[test]
    fn ownership_passes_to_somebody_else_and_with_presence_only() {
        assert_eq!(transfer(true), Decision::Deny(Code::OwnerRow));
        assert_eq!(transfer(false), Decision::Confirm);
    }
}
