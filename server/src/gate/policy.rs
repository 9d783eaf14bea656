//! The vocabulary of actions and the whole built-in policy on one screen.
//!
//! An action without a line here does not compile: [`Action::line`] is an exhaustive match. The table is printed to
//! `docs/actions.md` by a test that fails on drift.

use std::fmt;
use std::str::FromStr;

use contract::code::Code;

/// What an action is done to. A sandbox belongs to an organisation; both narrow what policy and emergency stop apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The whole installation.
    Installation,
    /// The caller's own account.
    Account,
    /// One organisation.
    Organisation,
    /// One sandbox.
    Sandbox,
    /// An organisation or one of its sandboxes, as the request names it.
    Tenant,
    /// One enrolled machine.
    Device,
}

/// The access that an action needs, read against the caller's standing in the action's scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nobody in particular: the request proves itself by a token or a credential.
    Visitor,
    /// Any signed-in account.
    Account,
    /// The installation's operator.
    Operator,
    /// The server's own background work.
    Job,
    /// Belonging to the organisation, or having any access to the sandbox.
    Belong,
    /// Reading everything in scope: whoever administers, and the organisation's auditors.
    Oversee,
    /// Governing the scope: an organisation's owner or admin, and in a sandbox whoever manages it.
    Administer,
    /// Owning the scope: an organisation's owner, and in a sandbox also its owner.
    Own,
}

/// Whether an action changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only looks.
    Read,
    /// Changes something, so it is always on record.
    Change,
}

/// What the built-in policy says of an action before the floors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// Allowed to whoever has the access.
    Allow,
    /// Asks for the person's presence.
    Confirm,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Stable dotted name, the same in API, audit trail, policy documents and console.
    pub name: &'static str,
    /// What it is done to.
    pub field: Field,
    /// The access it needs.
    pub need: Need,
    /// Whether it changes anything.
    pub kind: Kind,
    /// The built-in decision.
    pub default: Default,
    /// Confirmation floor: never allowed without the person's presence, whatever a policy says.
    pub floor: bool,
    /// Goes on while an emergency stop is engaged.
    pub exempt: bool,
    /// Which parameters are recorded. Everything else is absent from the trail.
    pub recorded: &'static [&'static str],
}

const FLOOR: u8 = 1;
const EXEMPT: u8 = 2;

macro_rules! vocabulary {
    ($($variant:ident => $name:literal, $field:ident, $need:ident, $kind:ident, $default:ident, [$($flag:ident)*], [$($recorded:literal)*];)*) => {
        /// Anything privileged. Closed: a name outside it is denied `unknown_action`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $(#[doc = concat!("`", $name, "`")] $variant,)* }

        impl Action {
            /// Every action, in the table's order.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)*];

            /// The action's line of the table.
            pub const fn line(self) -> Line {
                match self {
                    $(Action::$variant => {
                        const FLAGS: u8 = 0 $(| $flag)*;
                        // A floor that the built-in policy would contradict is a mistake in this table.
                        const { assert!(FLAGS & FLOOR == 0 || matches!(Default::$default, Default::Confirm)) };
                        Line {
                            name: $name, field: Field::$field, need: Need::$need, kind: Kind::$kind,
                            default: Default::$default, floor: FLAGS & FLOOR != 0, exempt: FLAGS & EXEMPT != 0,
                            recorded: &[$($recorded),*],
                        }
                    })*
                }
            }
        }
    };
}

vocabulary! {
    // name of the type        dotted name              scope         needs       kind    default  floors, stop    recorded
    FirstOwnerIssue       => "first_owner.issue",      Installation, Job,        Change, Allow,   [EXEMPT],       ["expiresAt"];
    FirstOwnerShow        => "first_owner.show",       Installation, Visitor,    Read,   Allow,   [EXEMPT],       [];
    FirstOwnerBegin       => "first_owner.begin",      Installation, Visitor,    Read,   Allow,   [EXEMPT],       [];
    FirstOwnerClaim       => "first_owner.claim",      Installation, Visitor,    Change, Allow,   [EXEMPT],       ["account"];
    SessionBegin          => "session.begin",          Installation, Visitor,    Read,   Allow,   [EXEMPT],       [];
    SessionCreate         => "session.create",         Installation, Visitor,    Change, Allow,   [EXEMPT],       ["account" "signIn" "method" "passkey"];
    SessionRead           => "session.read",           Account,      Account,    Read,   Allow,   [EXEMPT],       [];
    SessionTouch          => "session.touch",          Account,      Account,    Read,   Allow,   [EXEMPT],       [];
    SessionEnter          => "session.enter",          Organisation, Belong,     Change, Allow,   [EXEMPT],       ["signIn" "method"];
    SessionEnd            => "session.end",            Account,      Account,    Change, Allow,   [EXEMPT],       ["signIn"];

    OrganisationList      => "organisation.list",      Account,      Account,    Read,   Allow,   [EXEMPT],       [];
    OrganisationCreate    => "organisation.create",    Organisation, Operator,   Change, Allow,   [],             ["name" "member"];
    OrganisationRead      => "organisation.read",      Organisation, Belong,     Read,   Allow,   [EXEMPT],       [];
    OrganisationRename    => "organisation.rename",    Organisation, Administer, Change, Allow,   [],             ["name"];
    OrganisationDelete    => "organisation.delete",    Organisation, Own,        Change, Confirm, [FLOOR],        [];
    OrganisationErase     => "organisation.erase",     Organisation, Job,        Change, Allow,   [EXEMPT],       [];
    OrganisationMembers   => "organisation.members",   Organisation, Oversee,    Read,   Allow,   [EXEMPT],       [];
    OrganisationGrant     => "organisation.grant",     Organisation, Administer, Change, Allow,   [],             ["account" "role" "before"];
    OrganisationRevoke    => "organisation.revoke",    Organisation, Administer, Change, Allow,   [EXEMPT],       ["account" "role"];
    OrganisationLeave     => "organisation.leave",     Organisation, Belong,     Change, Allow,   [EXEMPT],       ["account"];

    InvitationList        => "invitation.list",        Tenant,       Oversee,    Read,   Allow,   [EXEMPT],       [];
    InvitationCreate      => "invitation.create",      Tenant,       Administer, Change, Allow,   [],             ["invitation" "role" "areas" "agents" "edit" "emailSignIn" "expiresAt"];
    InvitationRevoke      => "invitation.revoke",      Tenant,       Administer, Change, Allow,   [EXEMPT],       ["invitation"];
    InvitationShow        => "invitation.show",        Tenant,       Visitor,    Read,   Allow,   [EXEMPT],       [];
    InvitationBegin       => "invitation.begin",       Tenant,       Visitor,    Read,   Allow,   [EXEMPT],       [];
    InvitationAccept      => "invitation.accept",      Tenant,       Visitor,    Change, Allow,   [],             ["invitation" "account" "role" "areas" "agents" "edit" "member" "organisationMember" "signIn"];
    InvitationDecline     => "invitation.decline",     Tenant,       Visitor,    Change, Allow,   [EXEMPT],       ["invitation"];

    SandboxList           => "sandbox.list",           Organisation, Belong,     Read,   Allow,   [EXEMPT],       [];
    SandboxCreate         => "sandbox.create",         Organisation, Administer, Change, Allow,   [],             ["sandbox" "name"];
    SandboxRead           => "sandbox.read",           Sandbox,      Belong,     Read,   Allow,   [EXEMPT],       [];
    SandboxRename         => "sandbox.rename",         Sandbox,      Administer, Change, Allow,   [],             ["name"];
    SandboxTransfer       => "sandbox.transfer",       Sandbox,      Own,        Change, Confirm, [FLOOR],        ["member" "account" "before"];
    SandboxDelete         => "sandbox.delete",         Sandbox,      Own,        Change, Confirm, [FLOOR],        [];
    SandboxErase          => "sandbox.erase",          Sandbox,      Job,        Change, Allow,   [EXEMPT],       [];
    AreaList              => "area.list",              Sandbox,      Belong,     Read,   Allow,   [EXEMPT],       [];
    AreaCreate            => "area.create",            Sandbox,      Administer, Change, Allow,   [],             ["area" "name"];
    AreaRename            => "area.rename",            Sandbox,      Administer, Change, Allow,   [],             ["area" "name" "before"];
    AreaDelete            => "area.delete",            Sandbox,      Administer, Change, Allow,   [],             ["area" "name"];

    MemberList            => "member.list",            Sandbox,      Oversee,    Read,   Allow,   [EXEMPT],       [];
    MemberRead            => "member.read",            Sandbox,      Oversee,    Read,   Allow,   [EXEMPT],       [];
    MemberSelf            => "member.self",            Sandbox,      Belong,     Read,   Allow,   [EXEMPT],       [];
    MemberGrant           => "member.grant",           Sandbox,      Administer, Change, Allow,   [],             ["member" "account" "role" "areas" "agents" "edit" "emailSignIn"];
    MemberChange          => "member.change",          Sandbox,      Administer, Change, Allow,   [],             ["member" "account" "role" "areas" "agents" "edit" "emailSignIn"];
    MemberRemove          => "member.remove",          Sandbox,      Administer, Change, Confirm, [FLOOR EXEMPT], ["member" "account" "role"];
    MemberLeave           => "member.leave",           Sandbox,      Belong,     Change, Allow,   [EXEMPT],       ["member" "account"];

    PolicyRead            => "policy.read",            Tenant,       Oversee,    Read,   Allow,   [EXEMPT],       [];
    PolicyPreview         => "policy.preview",         Tenant,       Oversee,    Read,   Allow,   [EXEMPT],       [];
    PolicyUpdate          => "policy.update",          Tenant,       Administer, Change, Confirm, [FLOOR],        ["version" "added" "removed" "kept"];
    PolicyReset           => "policy.reset",           Tenant,       Job,        Change, Allow,   [EXEMPT],       ["version"];

    WaitList              => "wait.list",              Organisation, Belong,     Read,   Allow,   [EXEMPT],       [];
    ProposalRead          => "proposal.read",          Organisation, Belong,     Read,   Allow,   [EXEMPT],       [];
    ProposalConfirm       => "proposal.confirm",       Organisation, Belong,     Change, Allow,   [EXEMPT],       ["proposal" "action"];
    ProposalReject        => "proposal.reject",        Organisation, Belong,     Change, Allow,   [EXEMPT],       ["proposal" "action"];

    EmergencyRead         => "emergency.read",         Tenant,       Belong,     Read,   Allow,   [EXEMPT],       [];
    EmergencyEngage       => "emergency.engage",       Tenant,       Administer, Change, Allow,   [],             ["reason" "targets"];
    EmergencyReset        => "emergency.reset",        Tenant,       Administer, Change, Confirm, [FLOOR EXEMPT], ["since" "reason"];

    AuditRead             => "audit.read",             Tenant,       Belong,     Read,   Allow,   [EXEMPT],       [];
    AuditVerify           => "audit.verify",           Tenant,       Oversee,    Read,   Allow,   [EXEMPT],       [];
    AccessWatch           => "access.watch",           Tenant,       Belong,     Read,   Allow,   [EXEMPT],       [];

    // Named here because their floors are part of every policy; the operations come with their slices.
    SecretWrite           => "secret.write",           Sandbox,      Administer, Change, Confirm, [FLOOR],        ["name"];
    SecretClear           => "secret.clear",           Sandbox,      Administer, Change, Confirm, [FLOOR],        ["name"];
    SecretReveal          => "secret.reveal",          Sandbox,      Own,        Change, Confirm, [FLOOR],        ["name"];
    DeviceRemove          => "device.remove",          Organisation, Administer, Change, Confirm, [FLOOR],        ["device"];
    OsUpdateApply         => "os.update.apply",        Device,       Administer, Change, Confirm, [FLOOR],        ["device"];
    OsRollbackApply       => "os.rollback.apply",      Device,       Administer, Change, Confirm, [FLOOR],        ["device"];
    OsReboot              => "os.reboot",              Device,       Administer, Change, Confirm, [FLOOR],        ["device"];
    AuditSettingsUpdate   => "audit.settings.update",  Tenant,       Administer, Change, Confirm, [FLOOR],        [];
    RetentionShorten      => "retention.shorten",      Tenant,       Administer, Change, Confirm, [FLOOR],        [];
    VaultRotate           => "vault.rotate",           Installation, Operator,   Change, Confirm, [FLOOR],        [];
    PersonErase           => "person.erase",           Organisation, Administer, Change, Confirm, [FLOOR],        ["account"];
    AccountOffboard       => "account.offboard",       Organisation, Administer, Change, Confirm, [FLOOR],        ["account"];
}

/// Actions whose denial by policy would leave people unable to stop, recover or look. See the availability floor.
pub const AVAILABLE: [Action; 4] =
    [Action::EmergencyEngage, Action::EmergencyReset, Action::AuditRead, Action::PolicyUpdate];

impl Action {
    /// The stable dotted name.
    pub const fn name(self) -> &'static str {
        self.line().name
    }

    /// Whether it only looks.
    pub const fn is_read(self) -> bool {
        matches!(self.line().kind, Kind::Read)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Action {
    type Err = Code;

    fn from_str(name: &str) -> Result<Self, Code> {
        Self::ALL.iter().copied().find(|action| action.name() == name).ok_or(Code::UnknownAction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_read_back() {
        let names: BTreeSet<_> = Action::ALL.iter().map(|action| action.name()).collect();
        assert_eq!(names.len(), Action::ALL.len());
        for action in Action::ALL {
            assert_eq!(action.name().parse::<Action>(), Ok(*action));
        }
        assert_eq!("no.such.action".parse::<Action>(), Err(Code::UnknownAction));
    }

    #[test]
    fn a_read_is_never_behind_a_confirmation() {
        for action in Action::ALL.iter().filter(|action| action.is_read()) {
            assert_eq!(action.line().default, Default::Allow, "{action}");
        }
    }
}
