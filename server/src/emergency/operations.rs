//! What can be asked about an emergency stop.

use contract::id::{AccountId, ProposalId, SandboxId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use super::store;
use crate::error::Error;
use crate::gate::emergency::{Stop, StopReason, StopState};
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Read, Result, Scope, Timestamp,
    Tx, Write,
};

/// How far a target has been stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = EmergencyTargetState)]
pub enum TargetState {
    /// Told to stop.
    Requested,
    /// Has stopped.
    Confirmed,
    /// Could not be told.
    Unreachable,
}

impl TargetState {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Confirmed => "confirmed",
            Self::Unreachable => "unreachable",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Requested, Self::Confirmed, Self::Unreachable].into_iter().find(|state| state.as_str() == text)
    }
}

/// One thing on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EmergencyTarget)]
pub struct Target {
    /// `sandbox` or `proposal`.
    pub kind: String,
    /// Wire id.
    pub id: String,
    /// Name for people.
    pub label: String,
    /// How far.
    pub state: TargetState,
}

pub(super) fn wire_id(kind: &str, id: Uuid) -> String {
    match kind {
        "proposal" => ProposalId::from_uuid(id).to_string(),
        _ => SandboxId::from_uuid(id).to_string(),
    }
}

/// An emergency stop as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Emergency {
    /// Whether the stop of this scope is on.
    pub engaged: bool,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<StoppedBy>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<StopReason>,
    /// False where the stored state cannot be read, which counts as engaged.
    pub readable: bool,
    /// A stop of this scope or of a wider one is on.
    pub stopped: bool,
    /// What was told to stop.
    pub targets: Vec<Target>,
    /// What the reader may do here.
    #[schema(value_type = std::collections::BTreeMap<String, crate::gate::AllowedVerdict>)]
    pub allowed: Allowed,
}

/// Who engaged a stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoppedBy {
    /// Whose account.
    pub account_id: AccountId,
    /// Display name, where the person is still in the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What is stored of a scope, and what it means.
pub struct Found {
    stop: Stop,
    revision: Option<i64>,
}

async fn find<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Found> {
    let stored = store::state(tx, scope).await?;
    Ok(Found {
        stop: Stop::read(stored.as_ref().map(|(state, _)| state)),
        revision: stored.map(|(_, revision)| revision),
    })
}

async fn view<M>(context: &Context, tx: &mut Tx<M>, stop: &Stop) -> Result<Emergency> {
    let scope = context.scope();
    let state = match stop {
        Stop::Engaged(state) => Some(state.clone()),
        Stop::Released | Stop::Unreadable => None,
    };
    let by = match &state {
        Some(state) => Some(StoppedBy { account_id: state.by, name: store::name_of(tx, state.by.uuid()).await? }),
        None => None,
    };
    Ok(Emergency {
        engaged: stop.engaged(),
        since: state.as_ref().map(|state| state.since),
        by,
        reason: state.map(|state| state.reason),
        readable: *stop != Stop::Unreadable,
        stopped: stop.engaged() || context.stopped(),
        targets: store::targets(tx, scope).await?,
        allowed: context
            .allowed(&[(Action::EmergencyEngage, Decision::Allow), (Action::EmergencyReset, Decision::Allow)]),
    })
}

/// Shows the stop of a scope.
#[derive(Serialize, Deserialize)]
pub struct ReadEmergency {
    pub(super) scope: Scope,
}

impl Operation for ReadEmergency {
    const ACTION: Action = Action::EmergencyRead;
    type Mode = Read;
    type Facts = Found;
    type Output = Emergency;

    fn scope(&self) -> Scope {
        self.scope
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Read>) -> Result<Found> {
        find(tx, self.scope).await
    }

    fn decide(&self, _: &Context, _: &Found) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Emergency> {
        view(permit.context(), tx, &permit.facts().stop).await
    }
}

/// Stops everything in a scope.
#[derive(Serialize, Deserialize)]
pub struct EngageEmergency {
    pub(super) scope: Scope,
    pub(super) reason: StopReason,
}

impl Operation for EngageEmergency {
    const ACTION: Action = Action::EmergencyEngage;
    type Mode = Write;
    type Facts = Vec<(SandboxId, String)>;
    type Output = Emergency;

    fn scope(&self) -> Scope {
        self.scope
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("reason".to_owned(), json!(self.reason))])
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Self::Facts> {
        store::sandboxes(tx, self.scope).await
    }

    fn decide(&self, _: &Context, _: &Self::Facts) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Emergency> {
        let (scope, at) = (permit.operation().scope, permit.at());
        let by = permit.context().account()?;
        let state = StopState { engaged: true, since: at, by, reason: permit.operation().reason };
        store::put_state(tx, scope, &serde_json::to_value(&state).map_err(Error::internal)?).await?;
        store::clear_targets(tx, scope).await?;
        for (sandbox, name) in permit.facts() {
            // Nothing runs under a lease yet that could outlive this commit: the next request of a sandbox is refused.
            store::put_target(tx, scope, "sandbox", sandbox.uuid(), name, TargetState::Confirmed).await?;
        }
        for (proposal, action) in tx.freeze_proposals(scope, at).await? {
            store::put_target(tx, scope, "proposal", proposal.uuid(), &action, TargetState::Confirmed).await?;
        }
        view(permit.context(), tx, &Stop::Engaged(state)).await
    }
}

/// Lets a scope go on.
#[derive(Serialize, Deserialize)]
pub struct ResetEmergency {
    pub(super) scope: Scope,
}

impl Operation for ResetEmergency {
    const ACTION: Action = Action::EmergencyReset;
    type Mode = Write;
    type Facts = Found;
    type Output = Emergency;

    fn scope(&self) -> Scope {
        self.scope
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Found> {
        let found = find(tx, self.scope).await?;
        if !found.stop.engaged() {
            return Err(Error::conflict(contract::code::Code::Conflict, "No emergency stop is engaged here."));
        }
        Ok(found)
    }

    fn decide(&self, _: &Context, _: &Found) -> Decision {
        Decision::Confirm
    }

    fn revision(&self, facts: &Found) -> Option<i64> {
        facts.revision
    }

    fn describe(&self, _: &Found) -> Description {
        match self.scope {
            Scope::Sandbox(..) => Description {
                en: "Release the emergency stop of this sandbox. Everything in it may go on.".into(),
                pl: "Zwolnić zatrzymanie awaryjne tej piaskownicy. Wszystko w niej może działać dalej.".into(),
            },
            _ => Description {
                en: "Release the emergency stop of this organisation. Everything in it may go on.".into(),
                pl: "Zwolnić zatrzymanie awaryjne tej organizacji. Wszystko w niej może działać dalej.".into(),
            },
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Emergency> {
        let (scope, at) = (permit.operation().scope, permit.at());
        let state = StopState {
            engaged: false,
            since: at,
            by: permit.context().account()?,
            reason: match &permit.facts().stop {
                Stop::Engaged(state) => state.reason,
                Stop::Released | Stop::Unreadable => StopReason::Other,
            },
        };
        store::put_state(tx, scope, &serde_json::to_value(&state).map_err(Error::internal)?).await?;
        store::clear_targets(tx, scope).await?;
        tx.thaw_proposals(scope, at).await?;
        let mut shown = view(permit.context(), tx, &Stop::Released).await?;
        shown.stopped = false;
        Ok(shown)
    }
}
