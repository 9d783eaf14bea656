//! What this slice answers.

use contract::access::OrganisationRole;
use contract::id::{AccountId, OrganisationId, OrganisationMemberId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::{Allowed, Timestamp};

/// Whether an organisation or a sandbox is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// In use.
    Active,
    /// Being deleted: it can be read until it is gone, and nothing in it changes.
    Terminating,
}

impl Life {
    /// Reads the stored word. An unknown one is taken for the life in which less is possible.
    pub(crate) fn stored(word: &str) -> Self {
        if word == "active" { Self::Active } else { Self::Terminating }
    }
}

/// An organisation as somebody who belongs to it sees it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organisation {
    /// Identity.
    pub id: OrganisationId,
    /// Display name.
    pub name: String,
    /// The reader's role in it.
    pub role: OrganisationRole,
    /// Whether it is in use.
    pub status: Life,
    /// Grows with each change; the value of `If-Match`.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// What its page may offer to the reader. Empty in lists.
    pub allowed: Allowed,
}

/// All organisations of a person.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganisationPage {
    /// Oldest membership first.
    pub items: Vec<Organisation>,
}

/// Somebody who belongs to an organisation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganisationMember {
    /// Identity of the membership.
    pub id: OrganisationMemberId,
    /// The person.
    pub account_id: AccountId,
    /// Their address, as they typed it.
    pub email: String,
    /// Their display name.
    pub name: String,
    /// Their role.
    pub role: OrganisationRole,
    /// Grows with each change; the value of `If-Match`.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// Since when they belong.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Whether the reader is this person.
    #[serde(rename = "self")]
    pub is_self: bool,
    /// What the roster may offer to the reader on this row.
    pub allowed: Allowed,
}

/// One page of a roster.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganisationMemberPage {
    /// Oldest membership first.
    pub items: Vec<OrganisationMember>,
    /// Asks for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
