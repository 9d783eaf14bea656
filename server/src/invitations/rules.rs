//! What an invitation offers, what its token looks like, and whether it may be made or accepted. Pure.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use contract::access::{OrganisationRole, Row, Tier};
use contract::code::Code;
use contract::id::{OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::gate::{Decision, Scope};

/// How long an invitation waits for its answer.
pub const LIFE: TimeDelta = TimeDelta::days(7);

/// What the invited person gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Offer {
    /// A role in the organisation.
    Organisation {
        /// Which.
        role: OrganisationRole,
    },
    /// A row in a sandbox, and membership of its organisation.
    #[serde(rename_all = "camelCase")]
    Sandbox {
        /// The whole grant.
        row: Row,
        /// Whether the row lets the person sign in by e-mail code.
        email_sign_in: bool,
    },
}

impl Offer {
    /// The role's word.
    pub fn role(&self) -> &'static str {
        match self {
            Self::Organisation { role } => role.as_str(),
            Self::Sandbox { row, .. } => row.role.as_str(),
        }
    }

    /// The grant, where it is one in a sandbox.
    pub fn row(&self) -> Option<&Row> {
        match self {
            Self::Organisation { .. } => None,
            Self::Sandbox { row, .. } => Some(row),
        }
    }

    /// Whether the person may sign in by e-mail code.
    pub fn email_sign_in(&self) -> bool {
        matches!(self, Self::Sandbox { email_sign_in: true, .. })
    }

    /// The role that the person has in the organisation at least.
    pub fn organisation_role(&self) -> OrganisationRole {
        match self {
            Self::Organisation { role } => *role,
            Self::Sandbox { .. } => OrganisationRole::Member,
        }
    }
}

/// Whether somebody with this role in the organisation may offer this: nobody gives more than they have, and what
/// gives power over others asks for the person's presence.
pub fn may_offer(offer: &Offer, own: Option<OrganisationRole>) -> Decision {
    match offer {
        Offer::Organisation { role } if Some(*role) > own => Decision::Deny(Code::Outranked),
        Offer::Organisation { role } if role.manages() => Decision::Confirm,
        Offer::Sandbox { row, .. } if row.role == Tier::Maintainer => Decision::Confirm,
        Offer::Organisation { .. } | Offer::Sandbox { .. } => Decision::Allow,
    }
}

/// Whether the signed-in person, or the visitor, is the one invited.
pub fn may_accept(invited: &str, person: Option<&str>, account_exists: bool) -> Decision {
    match person {
        Some(address) if address == invited => Decision::Allow,
        Some(_) => Decision::Deny(Code::WrongAccount),
        None if account_exists => Decision::Deny(Code::SignInFirst),
        None => Decision::Allow,
    }
}

/// Where an invitation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Waits for its answer.
    Open,
    /// Answered.
    Answered,
    /// Taken back, or replaced by a newer one.
    Revoked,
}

/// Why an invitation cannot be answered, if it cannot.
pub fn fault(state: State, expires_at: DateTime<Utc>, at: DateTime<Utc>) -> Option<Code> {
    match state {
        State::Answered => Some(Code::TokenUsed),
        State::Revoked => Some(Code::TokenInvalid),
        State::Open if expires_at <= at => Some(Code::TokenExpired),
        State::Open => None,
    }
}

/// A link's token: where the invitation belongs, which row-level security has to know before anything can be found,
/// and 32 random bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Whose.
    pub organisation: OrganisationId,
    /// Into which sandbox, if into one.
    pub sandbox: Option<SandboxId>,
    /// The whole, as it is in the link.
    pub text: String,
}

impl Token {
    /// A token for an invitation into this scope.
    pub fn new(organisation: OrganisationId, sandbox: Option<SandboxId>, secret: [u8; 32]) -> Self {
        let scope = sandbox.map_or(organisation.uuid(), SandboxId::uuid);
        let bytes = [organisation.uuid().as_bytes().as_slice(), scope.as_bytes(), &secret].concat();
        Self { organisation, sandbox, text: URL_SAFE_NO_PAD.encode(bytes) }
    }

    /// Reads a token; none if it cannot be one of ours.
    pub fn read(text: &str) -> Option<Self> {
        // Longer text is not worth decoding.
        if text.len() > 128 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (organisation, rest) = bytes.split_first_chunk::<16>()?;
        let (scope, secret) = rest.split_first_chunk::<16>()?;
        if secret.len() != 32 {
            return None;
        }
        let sandbox = (scope != organisation).then(|| SandboxId::from_uuid(Uuid::from_bytes(*scope)));
        Some(Self {
            organisation: OrganisationId::from_uuid(Uuid::from_bytes(*organisation)),
            sandbox,
            text: text.to_owned(),
        })
    }
}

/// The scope that an invitation belongs to.
pub fn scope(organisation: OrganisationId, sandbox: Option<SandboxId>) -> Scope {
    sandbox.map_or(Scope::Organisation(organisation), |sandbox| Scope::Sandbox(organisation, sandbox))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::access::OrganisationRole::{Admin, Auditor, Member, Owner};
    use proptest::prelude::*;

    fn sandbox(role: Tier) -> Offer {
        Offer::Sandbox { row: Row { role, areas: None, agents: None, edit: None }, email_sign_in: false }
    }

    #[test]
    fn nobody_offers_more_than_they_have_and_power_is_confirmed() {
        for (own, role, expected) in [
            (Owner, Owner, Decision::Confirm),
            (Owner, Admin, Decision::Confirm),
            (Owner, Auditor, Decision::Allow),
            (Owner, Member, Decision::Allow),
            (Admin, Owner, Decision::Deny(Code::Outranked)),
            (Admin, Admin, Decision::Confirm),
            (Admin, Auditor, Decision::Allow),
            (Admin, Member, Decision::Allow),
            (Member, Auditor, Decision::Deny(Code::Outranked)),
        ] {
            assert_eq!(may_offer(&Offer::Organisation { role }, Some(own)), expected, "{own} offers {role}");
        }
        assert_eq!(may_offer(&Offer::Organisation { role: Member }, None), Decision::Deny(Code::Outranked));
        assert_eq!(may_offer(&sandbox(Tier::Maintainer), None), Decision::Confirm);
        assert_eq!(may_offer(&sandbox(Tier::Writer), None), Decision::Allow);
    }

    #[test]
    fn only_the_invited_accept() {
        assert_eq!(may_accept("a@b.example", Some("a@b.example"), true), Decision::Allow);
        assert_eq!(may_accept("a@b.example", Some("c@b.example"), true), Decision::Deny(Code::WrongAccount));
        assert_eq!(may_accept("a@b.example", Some("c@b.example"), false), Decision::Deny(Code::WrongAccount));
        assert_eq!(may_accept("a@b.example", None, true), Decision::Deny(Code::SignInFirst));
        assert_eq!(may_accept("a@b.example", None, false), Decision::Allow);
    }

    #[test]
    fn an_invitation_is_answered_once_and_in_time() {
        let at = DateTime::UNIX_EPOCH;
        let later = at + TimeDelta::seconds(1);
        assert_eq!(fault(State::Open, later, at), None);
        assert_eq!(fault(State::Open, at, at), Some(Code::TokenExpired));
        assert_eq!(fault(State::Answered, later, at), Some(Code::TokenUsed));
        assert_eq!(fault(State::Revoked, later, at), Some(Code::TokenInvalid));
    }

    proptest! {
        #[test]
        fn a_token_says_where_it_belongs(organisation in any::<u128>(), sandbox in any::<Option<u128>>(), secret in any::<[u8; 32]>()) {
            let organisation = OrganisationId::from_uuid(Uuid::from_u128(organisation));
            let sandbox = sandbox.map(|raw| SandboxId::from_uuid(Uuid::from_u128(raw)));
            prop_assume!(sandbox.is_none_or(|sandbox| sandbox.uuid() != organisation.uuid()));
            let token = Token::new(organisation, sandbox, secret);
            prop_assert_eq!(Token::read(&token.text).unwrap(), token);
        }

        #[test]
        fn anything_else_is_no_token(text in "\\PC{0,200}") {
            prop_assert!(Token::read(&text).is_none_or(|token| token.text == text));
        }
    }
}
