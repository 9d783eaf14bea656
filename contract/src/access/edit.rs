//! The answers that are either one word or a list, on the wire.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{AREAS_LIMIT, REACH_LIMIT};

/// Where a resolved access may edit: `"none"`, `"all"` or names of areas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Resolved", into = "Resolved")]
pub enum Edit {
    /// Nowhere.
    None,
    /// Everywhere.
    All,
    /// In these areas.
    Areas(Vec<String>),
}

/// Where a row says that its person may edit: `"all"` or names of areas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Granted", into = "Granted")]
pub enum EditGrant {
    /// Everywhere.
    All,
    /// In these areas.
    Areas(Vec<String>),
}

/// What a person's conversations may spend: `"all"` or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Spendable", into = "Spendable")]
pub enum Reach {
    /// Everything: a fence is lifted.
    All,
    /// Only what is named, by name.
    Listed {
        /// Connected systems.
        capabilities: Vec<String>,
        /// Secrets.
        secrets: Vec<String>,
    },
}

#[derive(Clone, Serialize, Deserialize)]
enum All {
    #[serde(rename = "all")]
    All,
}

#[derive(Clone, Serialize, Deserialize)]
enum Word {
    #[serde(rename = "none")]
    None,
    #[serde(rename = "all")]
    All,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Resolved {
    Word(Word),
    Areas(Vec<String>),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Granted {
    Word(All),
    Areas(Vec<String>),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    capabilities: Vec<String>,
    secrets: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Spendable {
    Word(All),
    Listed(Listed),
}

impl From<Resolved> for Edit {
    fn from(wire: Resolved) -> Self {
        match wire {
            Resolved::Word(Word::None) => Self::None,
            Resolved::Word(Word::All) => Self::All,
            Resolved::Areas(areas) => Self::Areas(areas),
        }
    }
}

impl From<Edit> for Resolved {
    fn from(edit: Edit) -> Self {
        match edit {
            Edit::None => Self::Word(Word::None),
            Edit::All => Self::Word(Word::All),
            Edit::Areas(areas) => Self::Areas(areas),
        }
    }
}

impl From<Granted> for EditGrant {
    fn from(wire: Granted) -> Self {
        match wire {
            Granted::Word(All::All) => Self::All,
            Granted::Areas(areas) => Self::Areas(areas),
        }
    }
}

impl From<EditGrant> for Granted {
    fn from(edit: EditGrant) -> Self {
        match edit {
            EditGrant::All => Self::Word(All::All),
            EditGrant::Areas(areas) => Self::Areas(areas),
        }
    }
}

impl From<Spendable> for Reach {
    fn from(wire: Spendable) -> Self {
        match wire {
            Spendable::Word(All::All) => Self::All,
            Spendable::Listed(Listed { capabilities, secrets }) => Self::Listed { capabilities, secrets },
        }
    }
}

impl From<Reach> for Spendable {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::All => Self::Word(All::All),
            Reach::Listed { capabilities, secrets } => Self::Listed(Listed { capabilities, secrets }),
        }
    }
}

fn word(words: &[&'static str]) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).enum_values(Some(words.iter().copied())).into()
}

fn names(limit: usize) -> RefOr<Schema> {
    ArrayBuilder::new().items(String::schema()).max_items(Some(limit)).into()
}

fn either(one: RefOr<Schema>, other: RefOr<Schema>) -> RefOr<Schema> {
    OneOfBuilder::new().item(one).item(other).into()
}

macro_rules! schema {
    ($name:ident, $schema:expr) => {
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $schema
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    };
}

schema!(Edit, either(word(&["none", "all"]), names(AREAS_LIMIT)));
schema!(EditGrant, either(word(&["all"]), names(AREAS_LIMIT)));
schema!(
    Reach,
    either(
        word(&["all"]),
        ObjectBuilder::new()
            .property("capabilities", names(REACH_LIMIT))
            .required("capabilities")
            .property("secrets", names(REACH_LIMIT))
            .required("secrets")
            .into()
    )
);
