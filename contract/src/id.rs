//! Identifiers as they cross the wire: a prefix that says what the thing is, then 32 lower-case hexadecimal digits.
//!
//! Every kind of thing has its own type, so that a sandbox's id can never be passed where a member's belongs. The
//! contract only reads and writes them; making fresh ones is the server's affair.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{RefOr, schema};
use uuid::Uuid;

/// What every identifier can do, for code that is generic over the kind of thing.
pub trait Id: Copy {
    /// The letters and the underscore that open the wire form, such as `sbx_`.
    const PREFIX: &'static str;

    /// Wraps the stored form.
    fn from_uuid(uuid: Uuid) -> Self;

    /// The stored form.
    fn uuid(self) -> Uuid;
}

/// Why a string is not an identifier of the expected kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected {prefix} followed by 32 lower-case hexadecimal digits")]
pub struct IdError {
    /// The prefix that was expected.
    pub prefix: &'static str,
}

/// Reads the part after the prefix. Exactly one spelling of an id is accepted, so that ids compare as strings.
fn parse(prefix: &'static str, text: &str) -> Result<Uuid, IdError> {
    let error = IdError { prefix };
    let digits = text.strip_prefix(prefix).ok_or(error)?;
    let canonical = digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if !canonical {
        return Err(error);
    }
    Uuid::try_parse(digits).map_err(|_| error)
}

fn describe(prefix: &'static str) -> RefOr<Schema> {
    let object: schema::Object = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .pattern(Some(format!("^{prefix}[0-9a-f]{{32}}$")))
        .build();
    RefOr::T(Schema::Object(object))
}

macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident = $prefix:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The letters and the underscore that open the wire form.
            pub const PREFIX: &'static str = $prefix;

            /// Wraps the stored form.
            #[must_use]
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The stored form.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl Id for $name {
            const PREFIX: &'static str = $prefix;

            fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0.simple())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                parse($prefix, text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                describe($prefix)
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )+

        /// Every prefix, for the test that no two kinds share one.
        #[cfg(test)]
        const PREFIXES: &[&str] = &[$($prefix),+];
    };
}

ids! {
    /// A person who can sign in.
    AccountId = "acc_";
    /// A tenant.
    OrganisationId = "org_";
    /// A governed place where agents work.
    SandboxId = "sbx_";
    /// Somebody's row in a sandbox's roster.
    MemberId = "mbr_";
    /// Somebody's row in an organisation's roster.
    OrganisationMemberId = "omb_";
    /// An open or ended invitation.
    InvitationId = "inv_";
    /// A named part of a sandbox's workspace.
    AreaId = "are_";
    /// A request to perform an action that waits for a confirmation.
    ProposalId = "prp_";
    /// One record of the audit trail.
    RecordId = "rec_";
    /// One sign-in of a person.
    SignInId = "sgn_";
    /// One registered passkey.
    PasskeyId = "pky_";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_two_kinds_share_a_prefix() {
        let mut seen = PREFIXES.to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), PREFIXES.len());
    }

    #[test]
    fn another_kind_and_other_spellings_are_refused() {
        let id = SandboxId::from_uuid(Uuid::from_u128(0xabc));
        let text = id.to_string();
        assert_eq!(text, "sbx_00000000000000000000000000000abc");
        assert!(text.parse::<MemberId>().is_err());
        assert!(text.to_uppercase().parse::<SandboxId>().is_err());
        assert!(text[4..].parse::<SandboxId>().is_err());
        assert!(format!("sbx_{}", id.uuid()).parse::<SandboxId>().is_err(), "dashes are refused");
        assert!(format!("{text}0").parse::<SandboxId>().is_err());
        assert!(serde_json::from_str::<SandboxId>("7").is_err());
    }

    proptest! {
        #[test]
        fn every_id_survives_the_wire(raw in any::<u128>()) {
            let id = AccountId::from_uuid(Uuid::from_u128(raw));
            prop_assert_eq!(id.to_string().parse::<AccountId>().unwrap(), id);
            let json = serde_json::to_string(&id).unwrap();
            prop_assert_eq!(serde_json::from_str::<AccountId>(&json).unwrap(), id);
        }
    }
}
