//! What this slice answers.

use contract::id::AreaId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::Timestamp;

/// A named part of a sandbox's workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Area {
    /// Identity.
    pub id: AreaId,
    /// Name, unique in its sandbox; members' rows name areas by it.
    pub name: String,
    /// Grows with each change; the value of `If-Match`.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// The areas of a sandbox that the reader sees.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AreaList {
    /// By name.
    pub items: Vec<Area>,
}
