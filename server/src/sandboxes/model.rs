//! What this slice answers.

use contract::access::Tier;
use contract::id::{OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::{Allowed, Timestamp};
use crate::organisations::Life;

/// What somebody is in a sandbox: a tier, or the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxRole {
    /// Talks to assistants about the areas named.
    Guest,
    /// Reads.
    Viewer,
    /// Runs assistants.
    Collaborator,
    /// Edits.
    Writer,
    /// Manages the sandbox.
    Maintainer,
    /// Answers for the sandbox.
    Owner,
}

impl From<Tier> for SandboxRole {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Guest => Self::Guest,
            Tier::Viewer => Self::Viewer,
            Tier::Collaborator => Self::Collaborator,
            Tier::Writer => Self::Writer,
            Tier::Maintainer => Self::Maintainer,
        }
    }
}

/// A sandbox as somebody with access to it sees it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sandbox {
    /// Identity.
    pub id: SandboxId,
    /// Where it belongs.
    pub organisation_id: OrganisationId,
    /// Display name.
    pub name: String,
    /// What the reader is in it.
    pub role: SandboxRole,
    /// The owner's address, as they typed it. Guests are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_email: Option<String>,
    /// Whether it is in use.
    pub status: Life,
    /// Grows with each change; the value of `If-Match`.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Whether an emergency stop covers it.
    pub stopped: bool,
    /// What its page may offer to the reader. Empty in lists.
    pub allowed: Allowed,
}

/// One page of an organisation's sandboxes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxPage {
    /// Oldest first; only those that the reader has access to.
    pub items: Vec<Sandbox>,
    /// Asks for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
