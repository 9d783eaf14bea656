//! Who may change whom in an organisation. Pure.

use contract::access::OrganisationRole;
use contract::code::Code;

use crate::gate::Decision;

/// Whether `actor` may change or remove somebody who is `target`.
pub(super) fn touch(actor: Option<OrganisationRole>, target: OrganisationRole) -> Decision {
    match actor {
        None => Decision::Hide,
        Some(actor) if target > actor => Decision::Deny(Code::Outranked),
        Some(_) => Decision::Allow,
    }
}

/// Whether `actor` may give the role `to` to somebody who is `target`. Power over the whole organisation is given with
/// the giver's presence proven.
pub(super) fn grant(actor: Option<OrganisationRole>, target: OrganisationRole, to: OrganisationRole) -> Decision {
    let given = match actor {
        Some(actor) if to > actor => Decision::Deny(Code::Outranked),
        _ if to.manages() => Decision::Confirm,
        _ => Decision::Allow,
    };
    touch(actor, target).max(given)
}

/// Whether `actor` may remove somebody who is `target`. Taking such power away is as weighty as giving it.
pub(super) fn revoke(actor: Option<OrganisationRole>, target: OrganisationRole) -> Decision {
    let taken = if target.manages() { Decision::Confirm } else { Decision::Allow };
    touch(actor, target).max(taken)
}

/// Whether somebody who is `target` becoming `to` (nothing, where they go) would leave nobody who owns the organisation.
pub(super) fn leaves_no_owner(target: OrganisationRole, to: Option<OrganisationRole>, owners: i64) -> bool {
    target == OrganisationRole::Owner && to != Some(OrganisationRole::Owner) && owners <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use OrganisationRole::{Admin, Auditor, Member, Owner};

    #[test]
    fn nobody_touches_somebody_above_them() {
        for target in OrganisationRole::ALL {
            for actor in OrganisationRole::ALL {
                let expected = if target > actor { Decision::Deny(Code::Outranked) } else { Decision::Allow };
                assert_eq!(touch(Some(*actor), *target), expected, "{actor} on {target}");
            }
            assert_eq!(touch(None, *target), Decision::Hide);
        }
    }

    #[test]
    fn nobody_gives_more_than_they_have_and_power_asks_for_presence() {
        assert_eq!(grant(Some(Admin), Member, Owner), Decision::Deny(Code::Outranked));
        assert_eq!(grant(Some(Admin), Owner, Member), Decision::Deny(Code::Outranked));
        assert_eq!(grant(Some(Admin), Member, Admin), Decision::Confirm);
        assert_eq!(grant(Some(Owner), Member, Owner), Decision::Confirm);
        assert_eq!(grant(Some(Owner), Owner, Admin), Decision::Confirm);
        assert_eq!(grant(Some(Owner), Owner, Member), Decision::Allow);
        assert_eq!(grant(Some(Admin), Auditor, Member), Decision::Allow);
        assert_eq!(grant(None, Member, Member), Decision::Hide);
    }

    #[test]
    fn removing_somebody_who_governs_asks_for_presence() {
        assert_eq!(revoke(Some(Admin), Member), Decision::Allow);
        assert_eq!(revoke(Some(Admin), Admin), Decision::Confirm);
        assert_eq!(revoke(Some(Owner), Owner), Decision::Confirm);
        assert_eq!(revoke(Some(Admin), Owner), Decision::Deny(Code::Outranked));
    }

    #[test]
    fn the_last_owner_stays_one() {
        assert!(leaves_no_owner(Owner, None, 1));
        assert!(leaves_no_owner(Owner, Some(Admin), 1));
        assert!(!leaves_no_owner(Owner, Some(Owner), 1));
        assert!(!leaves_no_owner(Owner, None, 2));
        assert!(!leaves_no_owner(Admin, None, 1));
    }
}
