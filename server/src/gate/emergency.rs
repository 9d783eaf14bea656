//! Emergency stop: what a stored state means. Pure, and fail-safe: missing is released, unreadable is engaged.

use contract::id::AccountId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Timestamp;

/// Why somebody stopped everything. A closed list: no free text enters the trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// An account or a credential may be in the wrong hands.
    SuspectedCompromise,
    /// Data is leaving.
    DataLeak,
    /// An assistant does what it should not.
    MisbehavingAgent,
    /// Practice.
    Drill,
    /// Anything else.
    Other,
}

/// The stored state of one scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopState {
    /// Whether the stop is on.
    pub engaged: bool,
    /// Since when.
    pub since: Timestamp,
    /// By whom.
    pub by: AccountId,
    /// Why.
    pub reason: StopReason,
}

/// What a scope's stored state amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is stored, or it says released.
    Released,
    /// Engaged and readable.
    Engaged(StopState),
    /// Something is stored that cannot be read: taken for engaged.
    Unreadable,
}

impl Stop {
    /// Reads a stored state.
    pub fn read(stored: Option<&serde_json::Value>) -> Self {
        match stored {
            None => Self::Released,
            Some(value) => match serde_json::from_value::<StopState>(value.clone()) {
                Ok(state) if state.engaged => Self::Engaged(state),
                Ok(_) => Self::Released,
                Err(_) => Self::Unreadable,
            },
        }
    }

    /// Whether what lies in the scope is stopped.
    pub fn engaged(&self) -> bool {
        !matches!(self, Self::Released)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn missing_is_released_and_unreadable_is_engaged() {
        let by = "acc_00000000000000000000000000000001";
        let good = json!({"engaged": true, "since": "2026-01-01T00:00:00Z", "by": by, "reason": "drill"});
        assert!(!Stop::read(None).engaged());
        assert!(matches!(Stop::read(Some(&good)), Stop::Engaged(_)));
        let mut released = good.clone();
        released["engaged"] = json!(false);
        assert!(!Stop::read(Some(&released)).engaged());
        for bad in [json!(null), json!("off"), json!({}), json!({"engaged": "no"}), json!({"engaged": false})] {
            assert_eq!(Stop::read(Some(&bad)), Stop::Unreadable, "{bad}");
            assert!(Stop::read(Some(&bad)).engaged());
        }
        let mut extra = good;
        extra["note"] = json!("x");
        assert!(Stop::read(Some(&extra)).engaged());
    }
}
