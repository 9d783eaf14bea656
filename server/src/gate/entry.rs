//! What a record says of an attempt: pure translation from context, operation and outcome.

use contract::code::Code;
use contract::id::{AccountId, ProposalId, RecordId};

use super::Timestamp;
use super::attempt::Ask;
use super::caller::Call;
use super::context::{Context, PersonStanding};
use super::operation::{Operation, Parameters, Personal, Scope, Target};
use super::policy::Action;
use super::record::{Actor, Decided, Entry, Outcome};
use crate::error::Error;

/// The record of an operation that was allowed and is about to be executed.
pub(super) fn allowed<O: Operation>(ask: &Ask<'_, O>, context: &Context, facts: &O::Facts) -> Entry {
    let mut personal = own(context);
    personal.extend(ask.operation.personal(facts));
    Entry {
        id: ask.record,
        at: context.at(),
        scope: context.scope(),
        actor: actor(context),
        action: O::ACTION.name(),
        target: ask.operation.target(),
        decision: Decided::Allow,
        outcome: Outcome::Done,
        reason: None,
        confirmation: None,
        request: ask.call.request.as_deref().map(str::to_owned),
        parameters: listed(O::ACTION, ask.operation.recorded(facts)),
        personal,
    }
}

/// The record of an operation that was refused or failed; none where the error is no outcome of a decision.
///
/// What a stranger tried on a tenant goes to the installation's chain, so that nobody outside can fill a tenant's.
pub(super) fn refused<O: Operation>(ask: &Ask<'_, O>, context: Option<&Context>, error: &Error) -> Option<Entry> {
    let (decision, outcome, reason) = match error {
        Error::Denied(code) => (Decided::Deny, Outcome::Denied, *code),
        Error::NotFound if !O::ACTION.is_read() => (Decided::Deny, Outcome::Denied, Code::NotFound),
        Error::Conflict { code, .. } | Error::Gone { code, .. } => (Decided::Allow, Outcome::Failed, *code),
        Error::Stale => (Decided::Allow, Outcome::Failed, Code::StaleRevision),
        Error::Internal(_) => (Decided::Allow, Outcome::Failed, Code::ExecutionFailed),
        _ => return None,
    };
    if O::ACTION.is_read() && outcome != Outcome::Denied {
        return None;
    }
    let belongs = context.is_some_and(|context| {
        context.organisation_role().is_some() || context.sandbox().is_some_and(|sandbox| sandbox.access.is_some())
    });
    let found = context.is_some_and(|context| context.sandbox().is_some());
    let scope = match ask.operation.scope() {
        // A sandbox's chain is its organisation's own: an id that names none of its sandboxes must not reach another's.
        Scope::Sandbox(organisation, _) if belongs && !found => Scope::Organisation(organisation),
        scope @ (Scope::Organisation(_) | Scope::Sandbox(..)) if belongs => scope,
        Scope::Account => Scope::Account,
        _ => Scope::Installation,
    };
    Some(Entry {
        id: ask.record,
        at: ask.at,
        scope,
        actor: context.map_or_else(visitor, actor),
        action: O::ACTION.name(),
        target: ask.operation.target(),
        decision,
        outcome,
        reason: Some(reason),
        confirmation: None,
        request: ask.call.request.as_deref().map(str::to_owned),
        parameters: listed(O::ACTION, ask.operation.parameters()),
        personal: context.map(own).unwrap_or_default(),
    })
}

/// A stored proposal that reached its end.
pub(super) struct Ended<'a> {
    pub(super) record: RecordId,
    pub(super) proposal: ProposalId,
    pub(super) proposer: AccountId,
    pub(super) action: Action,
    pub(super) target: Target,
    pub(super) parameters: Parameters,
    pub(super) personal: Vec<Personal>,
    pub(super) approved_by: Vec<AccountId>,
    pub(super) outcome: Outcome,
    pub(super) reason: Option<Code>,
    pub(super) request: Option<&'a str>,
}

/// The one record of a proposal: by whoever proposed it, with whoever approved it.
pub(super) fn ended(proposer: &Context, ended: Ended<'_>) -> Entry {
    let mut parameters = listed(ended.action, ended.parameters);
    if !ended.approved_by.is_empty() {
        let approvers: Vec<String> = ended.approved_by.iter().map(AccountId::to_string).collect();
        parameters.insert("approvedBy".to_owned(), approvers.into());
    }
    // Somebody who has left since is still the one who proposed it; their personal fields are no longer to be had.
    let mut personal = if proposer.person().is_some() { own(proposer) } else { Vec::new() };
    personal.extend(ended.personal);
    Entry {
        id: ended.record,
        at: proposer.at(),
        scope: proposer.scope(),
        actor: Actor { kind: "person", id: Some(ended.proposer.to_string()), account: Some(ended.proposer) },
        action: ended.action.name(),
        target: ended.target,
        decision: Decided::Confirm,
        outcome: ended.outcome,
        reason: ended.reason,
        confirmation: Some(ended.proposal),
        request: ended.request.map(str::to_owned),
        parameters,
        personal,
    }
}

/// A confirmation that proved nothing.
pub(super) fn unconfirmed(
    call: &Call,
    scope: Scope,
    proposal: ProposalId,
    code: Code,
    (at, record): (Timestamp, RecordId),
) -> Entry {
    Entry {
        id: record,
        at,
        scope,
        actor: call.account().map_or_else(visitor, |account| Actor {
            kind: "person",
            id: Some(account.to_string()),
            account: Some(account),
        }),
        action: Action::ProposalConfirm.name(),
        target: Target::new("proposal", proposal),
        decision: Decided::Deny,
        outcome: Outcome::Denied,
        reason: Some(code),
        confirmation: Some(proposal),
        request: call.request.as_deref().map(str::to_owned),
        parameters: Parameters::new(),
        personal: Vec::new(),
    }
}

fn actor(context: &Context) -> Actor {
    match (context.person(), context.job) {
        (Some(PersonStanding { account, .. }), _) => {
            Actor { kind: "person", id: Some(account.to_string()), account: Some(*account) }
        }
        (None, Some(job)) => Actor { kind: "job", id: Some(job.to_owned()), account: None },
        (None, None) => visitor(),
    }
}

fn visitor() -> Actor {
    Actor { kind: "visitor", id: None, account: None }
}

/// The caller's own personal fields.
fn own(context: &Context) -> Vec<Personal> {
    let Some(person) = context.person() else {
        return context
            .address()
            .map(|address| {
                // A visitor's only trace is the network address; its key lives for a day's subject.
                let subject = format!("network:{}:{address}", context.at().date_naive());
                Personal::address(&subject).field("networkAddress", address)
            })
            .into_iter()
            .collect();
    };
    let mut own = Personal::account(person.account).field("name", &person.name).field("email", &person.email);
    if let Some(address) = context.address() {
        own = own.field("networkAddress", address);
    }
    vec![own]
}

/// Only what the action's line lists.
fn listed(action: Action, parameters: Parameters) -> Parameters {
    let line = action.line();
    parameters.into_iter().filter(|(name, _)| line.recorded.contains(&name.as_str())).collect()
}
