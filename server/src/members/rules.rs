//! Who may be granted what in a sandbox, beyond what the policy says. Pure.

use contract::access::{Access, Agents, Edit, Tier};
use contract::code::Code;

use crate::gate::Decision;

/// Whether somebody may be made a `tier`. Managing a sandbox is given with the giver's presence proven, and an owner is
/// made by a transfer only.
pub(super) fn grant(is_owner: bool, tier: Tier) -> Decision {
    match (is_owner, tier) {
        (true, _) => Decision::Deny(Code::OwnerRow),
        (false, Tier::Maintainer) => Decision::Confirm,
        (false, Tier::Guest | Tier::Viewer | Tier::Collaborator | Tier::Writer) => Decision::Allow,
    }
}

/// Whether somebody may be removed.
pub(super) fn remove(is_owner: bool) -> Decision {
    if is_owner { Decision::Deny(Code::OwnerRow) } else { Decision::Allow }
}

/// Whether somebody may leave the sandbox.
pub(crate) fn leave(is_owner: bool, has_row: bool) -> Decision {
    match (is_owner, has_row) {
        (true, _) => Decision::Deny(Code::OwnerRow),
        (false, false) => Decision::Deny(Code::NotAMember),
        (false, true) => Decision::Allow,
    }
}

/// Whether a row may be looked up by its person's address.
pub(super) fn look_up(access: Option<&Access>) -> Decision {
    if access.is_some_and(|access| access.manage) { Decision::Allow } else { Decision::Hide }
}

/// What somebody may do who oversees without a row: look at everything.
pub(super) fn overseer() -> Access {
    Access { manage: false, agents: Agents::Off, see: None, edit: Edit::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_never_granted_and_a_maintainer_only_with_presence() {
        for tier in Tier::ALL {
            assert_eq!(grant(true, *tier), Decision::Deny(Code::OwnerRow));
            let expected = if *tier == Tier::Maintainer { Decision::Confirm } else { Decision::Allow };
            assert_eq!(grant(false, *tier), expected, "{tier}");
        }
    }

    #[test]
    fn an_owner_is_never_removed() {
        assert_eq!(remove(true), Decision::Deny(Code::OwnerRow));
        assert_eq!(remove(false), Decision::Allow);
    }

    #[test]
    fn only_who_manages_looks_up_addresses() {
        assert_eq!(look_up(Some(&Access::managing())), Decision::Allow);
        assert_eq!(look_up(Some(&overseer())), Decision::Hide);
        assert_eq!(look_up(None), Decision::Hide);
    }

    #[test]
    fn overseeing_is_reading() {
        assert_eq!(overseer().tier(), Tier::Viewer);
    }

    #[test]
    fn an_owner_transfers_before_leaving() {
        assert_eq!(leave(true, true), Decision::Deny(Code::OwnerRow));
        assert_eq!(leave(true, false), Decision::Deny(Code::OwnerRow));
        assert_eq!(leave(false, false), Decision::Deny(Code::NotAMember));
        assert_eq!(leave(false, true), Decision::Allow);
    }
}
