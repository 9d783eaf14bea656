//! What this slice answers.

use contract::access::{AREAS_LIMIT, Access, Agents, Edit, EditGrant, Tier};
use contract::id::{AccountId, MemberId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::{Allowed, Timestamp};
use crate::sandboxes::SandboxRole;

/// Somebody's row in a sandbox's roster, and what it resolves to.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// Identity of the row.
    pub id: MemberId,
    /// The person.
    pub account_id: AccountId,
    /// Their address, as they typed it.
    pub email: String,
    /// Their display name.
    pub name: String,
    /// The tier that the row was granted as.
    pub role: Tier,
    /// Names of the areas seen; absent is the whole workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 20)]
    pub areas: Option<Vec<String>>,
    /// What they may do with assistants; absent takes the role's meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Agents>,
    /// Where they may edit; absent takes the role's meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditGrant>,
    /// Whether a code sent by e-mail lets them in here.
    pub email_sign_in: bool,
    /// What the row resolves to.
    pub access: Access,
    /// Grows with each change; the value of `If-Match`.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// Since when they are a member.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// What the roster may offer to the reader on this row.
    pub allowed: Allowed,
}

// The schema above repeats the contract's limit as a literal, since attributes take nothing else.
const _: () = assert!(AREAS_LIMIT == 20);

/// Who owns a sandbox.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxOwner {
    /// The person.
    pub account_id: AccountId,
    /// Their address, as they typed it.
    pub email: String,
    /// Their display name.
    pub name: String,
}

/// One page of a roster.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberPage {
    /// Oldest membership first. The owner has no row.
    pub members: Vec<Member>,
    /// Who owns the sandbox; on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<SandboxOwner>,
    /// Asks for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What the reader may do in a sandbox. Its owner reads as managing everything.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberStanding {
    /// The tier that the answers make, or the owner.
    pub role: SandboxRole,
    /// What they may do with assistants.
    pub agents: Agents,
    /// Names of the areas seen; absent is the whole workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<String>>,
    /// Where they may edit.
    pub edit: Edit,
}
