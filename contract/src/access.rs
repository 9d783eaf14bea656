//! What a person may do in a sandbox: three answers (`agents`, `areas`, `edit`) and `manage`. Decisions read the
//! answers; the role is only the name of what they add up to.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

pub use edit::{Edit, EditGrant, Reach};
pub use grant::{Grant, Refusal, check, refuse, tidy};

mod edit;
mod grant;

/// The most areas that a row may name, and the most that its `edit` may name.
pub const AREAS_LIMIT: usize = 20;
/// The most capabilities or secrets that a reach may name, each.
pub const REACH_LIMIT: usize = 500;

macro_rules! words {
    ($(#[$doc:meta])+ $name:ident { $($(#[$variant_doc:meta])+ $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])+ #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every value, lowest first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The wire and stored form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        // By hand: the derive does not see the wire forms, since they come through this macro.
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(SchemaType::new(Type::String))
                    .enum_values(Some(Self::ALL.iter().map(|word| word.as_str())))
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(UnknownWord),
                }
            }
        }
    };
}

/// A word that is not one of a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a known word")]
pub struct UnknownWord;

words! {
    /// The name of what an access adds up to. Ordered for display only.
    Tier {
        /// Talks to assistants about the areas named.
        Guest = "guest",
        /// Reads.
        Viewer = "viewer",
        /// Runs assistants.
        Collaborator = "collaborator",
        /// Edits.
        Writer = "writer",
        /// Manages the sandbox.
        Maintainer = "maintainer",
    }
}

words! {
    /// A person's role in an organisation, lowest first: a higher one outranks a lower one.
    OrganisationRole {
        /// Belongs to the organisation; sandboxes say what else.
        Member = "member",
        /// Reads everything including the audit trail, and changes nothing.
        Auditor = "auditor",
        /// Runs the organisation and acts as maintainer in its sandboxes.
        Admin = "admin",
        /// As an admin, and answers for the organisation: it keeps at least one.
        Owner = "owner",
    }
}

impl OrganisationRole {
    /// Whether the role acts as maintainer in every sandbox of the organisation.
    #[must_use]
    pub const fn manages(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }
}

words! {
    /// What a person may do with assistants.
    Agents {
        /// Nothing.
        Off = "off",
        /// Talk about the areas they see.
        Chat = "chat",
        /// Run them.
        Run = "run",
    }
}

/// A stored member row, as far as access goes. Absent answers take the role's meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The tier that the row was granted as.
    pub role: Tier,
    /// Names of the areas seen; absent is the whole workspace, empty is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<String>>,
    /// Absent: guest chats, viewer has none, any other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Agents>,
    /// Absent: a writer with areas edits those, anybody else nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditGrant>,
}

/// What a row resolves to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// Manages the sandbox: members, areas, settings.
    pub manage: bool,
    /// What the person may do with assistants.
    pub agents: Agents,
    /// Names of the areas seen; null is the whole workspace.
    #[schema(required)]
    pub see: Option<Vec<String>>,
    /// Where the person may edit.
    pub edit: Edit,
}

impl Access {
    /// Manages, runs, sees and edits everything: a maintainer, and a sandbox's owner.
    #[must_use]
    pub const fn managing() -> Self {
        Self { manage: true, agents: Agents::Run, see: None, edit: Edit::All }
    }

    /// The name of what this adds up to.
    #[must_use]
    pub fn tier(&self) -> Tier {
        if self.manage {
            return Tier::Maintainer;
        }
        match (self.agents, &self.edit) {
            (Agents::Chat, _) => Tier::Guest,
            // An empty list is an answer too, though a grant of it is refused.
            (_, Edit::All | Edit::Areas(_)) => Tier::Writer,
            (Agents::Run, Edit::None) => Tier::Collaborator,
            (Agents::Off, Edit::None) => Tier::Viewer,
        }
    }

    /// Whether the area of that name is seen.
    #[must_use]
    pub fn sees(&self, area: &str) -> bool {
        self.see.as_ref().is_none_or(|areas| areas.iter().any(|seen| seen == area))
    }
}

impl Row {
    /// A row read from its stored columns.
    ///
    /// # Errors
    /// [`UnknownWord`] where a column has a word or a shape that no version of the product has written.
    pub fn stored(
        role: &str,
        areas: Option<Vec<String>>,
        agents: Option<&str>,
        edit: Option<&serde_json::Value>,
    ) -> Result<Self, UnknownWord> {
        Ok(Self {
            role: role.parse()?,
            areas,
            agents: agents.map(str::parse).transpose()?,
            edit: edit.map(EditGrant::deserialize).transpose().map_err(|_| UnknownWord)?,
        })
    }

    /// The access that this row gives.
    #[must_use]
    pub fn resolve(&self) -> Access {
        if self.role == Tier::Maintainer {
            return Access::managing();
        }
        let agents = self.agents.unwrap_or(match self.role {
            Tier::Guest => Agents::Chat,
            Tier::Viewer => Agents::Off,
            Tier::Collaborator | Tier::Writer | Tier::Maintainer => Agents::Run,
        });
        let edit = match (agents, &self.edit, &self.areas) {
            (Agents::Chat, _, _) => Edit::None,
            (_, Some(EditGrant::All), _) => Edit::All,
            (_, Some(EditGrant::Areas(areas)), _) => Edit::Areas(areas.clone()),
            (_, None, Some(areas)) if self.role == Tier::Writer => Edit::Areas(areas.clone()),
            (_, None, _) => Edit::None,
        };
        Access { manage: false, agents, see: self.areas.clone(), edit }
    }

    /// The names of all areas that the row mentions, whether to see or to edit.
    #[must_use]
    pub fn named_areas(&self) -> BTreeSet<&str> {
        let edit = match &self.edit {
            Some(EditGrant::Areas(areas)) => areas.as_slice(),
            Some(EditGrant::All) | None => &[],
        };
        self.areas.iter().flatten().chain(edit).map(String::as_str).collect()
    }

    /// The same row after the area `from` took the name `to`.
    #[must_use]
    pub fn with_area_renamed(mut self, from: &str, to: &str) -> Self {
        let rename = |areas: &mut Vec<String>| {
            for area in areas.iter_mut().filter(|area| *area == from) {
                to.clone_into(area);
            }
        };
        if let Some(areas) = &mut self.areas {
            rename(areas);
        }
        if let Some(EditGrant::Areas(areas)) = &mut self.edit {
            rename(areas);
        }
        self
    }
}

#[cfg(test)]
mod tests;
