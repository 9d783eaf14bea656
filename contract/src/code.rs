//! The one list of problem codes and denial reasons. Clients switch on these and on nothing else, so a published code
//! keeps its meaning for ever.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// A string that is not one of our codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a known code")]
pub struct UnknownCode;

macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// A stable reason, spelt in snake case on the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])+ $name,)+
        }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The wire form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }

        impl FromStr for Code {
            type Err = UnknownCode;

            fn from_str(text: &str) -> Result<Self, UnknownCode> {
                match text {
                    $($text => Ok(Self::$name),)+
                    _ => Err(UnknownCode),
                }
            }
        }
    };
}

codes! {
    /// Nobody is signed in, or the sign-in has ended.
    Unauthenticated = "unauthenticated",
    /// The caller's access does not cover the action.
    InsufficientAccess = "insufficient_access",
    /// A policy rule, or the absence of one, denies the action.
    Policy = "policy",
    /// An emergency stop covers the place.
    EmergencyStop = "emergency_stop",
    /// The action's name is not in the vocabulary.
    UnknownAction = "unknown_action",
    /// The action waits until the person proves presence.
    ConfirmationRequired = "confirmation_required",
    /// The organisation or sandbox is being deleted.
    Terminating = "terminating",
    /// An organisation keeps at least one owner.
    LastOwner = "last_owner",
    /// The target's role is higher than the caller's.
    Outranked = "outranked",
    /// A sandbox owner's row is not changed by member routes.
    OwnerRow = "owner_row",
    /// Nobody approves a proposal of their own for the second time.
    OwnProposal = "own_proposal",
    /// There is no such thing, or the caller may not know of it.
    NotFound = "not_found",
    /// The body or the query has a field that is not in the description.
    UnknownField = "unknown_field",
    /// The body is not JSON of the described shape.
    InvalidJson = "invalid_json",
    /// A field's value is not acceptable.
    InvalidField = "invalid_field",
    /// A field is missing or empty.
    Required = "required",
    /// A text is longer than its limit.
    TooLong = "too_long",
    /// A body or a list is larger than its limit.
    TooLarge = "too_large",
    /// A document is nested deeper than its limit.
    TooDeep = "too_deep",
    /// A text has control characters, bidirectional overrides or another shape that it may not have.
    InvalidText = "invalid_text",
    /// The change contradicts the present state.
    Conflict = "conflict",
    /// The thing exists already.
    Duplicate = "duplicate",
    /// Another thing of that kind has the name.
    NameTaken = "name_taken",
    /// The resource has changed since it was read.
    StaleRevision = "stale_revision",
    /// An idempotency key came back with another request.
    IdempotencyReused = "idempotency_reused",
    /// The reach of credentials cannot be set here.
    ReachUnavailable = "reach_unavailable",
    /// The role is not the tier that the answers make.
    RoleMismatch = "role_mismatch",
    /// Areas are named that this sandbox does not have.
    AreasUnknown = "areas_unknown",
    /// A member or an open invitation names the area.
    AreaInUse = "area_in_use",
    /// The answers contradict each other.
    AccessRefused = "access_refused",
    /// The person is not a member of the organisation.
    NotAMember = "not_a_member",
    /// The person is a member already.
    AlreadyMember = "already_member",
    /// The token of a link is not one of ours.
    TokenInvalid = "token_invalid",
    /// The link has expired.
    TokenExpired = "token_expired",
    /// The link was used already.
    TokenUsed = "token_used",
    /// The address has an account: its person signs in before accepting.
    SignInFirst = "sign_in_first",
    /// Another account than the invited one is signed in.
    WrongAccount = "wrong_account",
    /// The passkey ceremony took too long.
    CeremonyExpired = "ceremony_expired",
    /// The passkey's answer does not fit the ceremony.
    CeremonyInvalid = "ceremony_invalid",
    /// No account has that passkey.
    PasskeyUnknown = "passkey_unknown",
    /// The passkey's counter went backwards.
    PasskeyCounter = "passkey_counter",
    /// The proposal has reached an end.
    ProposalClosed = "proposal_closed",
    /// The proposal was not confirmed in time.
    ProposalExpired = "proposal_expired",
    /// Policy, access or the target changed since the proposal was made.
    ProposalVoid = "proposal_void",
    /// The confirmation does not belong to this proposal and person.
    ConfirmationInvalid = "confirmation_invalid",
    /// A person rejected the proposal.
    Rejected = "rejected",
    /// The time for it ran out.
    Expired = "expired",
    /// The request came from another site.
    CrossSite = "cross_site",
    /// Too many tries.
    RateLimited = "rate_limited",
    /// A dependency does not answer.
    Unavailable = "unavailable",
    /// The server is too busy: the same request may succeed later.
    Busy = "busy",
    /// The execution failed without a better reason.
    ExecutionFailed = "execution_failed",
    /// A fault of the server.
    Internal = "internal",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl utoipa::PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::new(Type::String))
            .enum_values(Some(Self::ALL.iter().map(|code| code.as_str())))
            .into()
    }
}

impl utoipa::ToSchema for Code {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Code")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_the_wire_and_is_snake_case() {
        for code in Code::ALL {
            let text = code.as_str();
            assert!(text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{text}");
            assert_eq!(text.parse(), Ok(*code));
            let json = serde_json::to_string(code).unwrap();
            assert_eq!(serde_json::from_str::<Code>(&json).unwrap(), *code);
        }
        assert!("denied".parse::<Code>().is_err());
    }
}
