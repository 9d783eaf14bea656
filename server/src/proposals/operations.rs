//! What can be asked about waits.

use contract::access::OrganisationRole;
use contract::code::Code;
use contract::id::{AccountId, OrganisationId, ProposalId, SandboxId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::store;
use crate::error::Error;
use crate::gate::policy::Need;
use crate::gate::{
    Action, Authorized, Context, Decision, Description, Operation, Read, Result, Scope, Timestamp, Tx, in_language,
};

/// A proposal as the list of waits shows it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// Which.
    pub id: ProposalId,
    /// What it waits for: `confirmation`.
    pub kind: String,
    /// Name of the action.
    pub action: String,
    /// The sandbox that it is about, if one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    /// What will happen, in the reader's language.
    pub description: String,
    /// Where it stands.
    pub state: ProposalState,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Code>,
    /// Who proposed it.
    pub proposed_by: Proposer,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Until when it can be confirmed.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// An emergency stop holds its clock.
    pub frozen: bool,
    /// How many different people have to confirm.
    pub requires: i32,
    /// How many have.
    pub approvals: i32,
    /// The reader proposed it.
    pub mine: bool,
    /// The reader can confirm it now.
    pub may_approve: bool,
}

/// Where a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProposalState {
    /// Waits.
    Open,
    /// Was carried out.
    Executed,
    /// Was rejected by a person.
    Rejected,
    /// Nobody confirmed it in time.
    Expired,
    /// What it depended on changed.
    Void,
}

/// Who proposed something.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposer {
    /// Whose account.
    pub account_id: AccountId,
    /// Display name, where the person is still in the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What needs a person.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waits {
    /// Oldest first.
    pub items: Vec<Proposal>,
}

/// Whether the reader has to do with a proposal: made it, or may answer it.
fn concerns(context: &Context, row: &store::Row, reader: AccountId) -> bool {
    row.proposed_by == reader.uuid() || answers(context, row)
}

/// The gate decides again when an answer comes; this is what the list needs to know.
fn answers(context: &Context, row: &store::Row) -> bool {
    let role = context.organisation_role();
    let owns = role == Some(OrganisationRole::Owner) || row.owns;
    match row.action.parse::<Action>().map(|action| action.line().need) {
        Ok(Need::Own) => owns,
        Ok(_) => owns || row.manages || role.is_some_and(OrganisationRole::manages),
        Err(_) => false,
    }
}

fn shown(context: &Context, row: store::Row, reader: AccountId) -> Result<Proposal> {
    let description: Description = serde_json::from_value(row.description.clone()).map_err(Error::internal)?;
    let state = serde_json::from_value(row.state.clone().into()).map_err(Error::internal)?;
    let mine = row.proposed_by == reader.uuid();
    Ok(Proposal {
        may_approve: state == ProposalState::Open
            && !row.frozen
            && !row.approved_by_me
            && (mine || answers(context, &row)),
        id: ProposalId::from_uuid(row.id),
        kind: "confirmation".to_owned(),
        action: row.action,
        sandbox_id: row.sandbox_id.map(SandboxId::from_uuid),
        description: in_language(&description, context.lang()),
        state,
        reason: row.reason.and_then(|reason| reason.parse().ok()),
        proposed_by: Proposer { account_id: AccountId::from_uuid(row.proposed_by), name: row.proposer_name },
        created_at: row.created_at,
        expires_at: row.expires_at,
        frozen: row.frozen,
        requires: row.requires,
        approvals: i32::try_from(row.approvals).unwrap_or(i32::MAX),
        mine,
    })
}

/// Lists what waits for a person, as far as it concerns the reader.
#[derive(Serialize, Deserialize)]
pub struct ListWaits {
    pub(super) organisation: OrganisationId,
}

impl Operation for ListWaits {
    const ACTION: Action = Action::WaitList;
    type Mode = Read;
    type Facts = Vec<store::Row>;
    type Output = Waits;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<Self::Facts> {
        store::open(tx, self.organisation, context.account()?, context.at()).await
    }

    fn decide(&self, _: &Context, _: &Self::Facts) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<Waits> {
        let (context, reader) = (permit.context(), permit.context().account()?);
        let mine = permit.into_facts().into_iter().filter(|row| concerns(context, row, reader));
        let items = mine.map(|row| shown(context, row, reader)).collect::<Result<_>>()?;
        Ok(Waits { items })
    }
}

/// Shows one proposal.
#[derive(Serialize, Deserialize)]
pub struct ReadProposal {
    pub(super) organisation: OrganisationId,
    pub(super) proposal: ProposalId,
}

impl Operation for ReadProposal {
    const ACTION: Action = Action::ProposalRead;
    type Mode = Read;
    type Facts = store::Row;
    type Output = Proposal;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<store::Row> {
        store::one(tx, self.organisation, self.proposal, context.account()?).await?.ok_or(Error::NotFound)
    }

    fn decide(&self, context: &Context, row: &store::Row) -> Decision {
        match context.account() {
            Ok(reader) if concerns(context, row, reader) => Decision::Allow,
            _ => Decision::Hide,
        }
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<Proposal> {
        let (context, reader) = (permit.context(), permit.context().account()?);
        shown(context, permit.into_facts(), reader)
    }
}
