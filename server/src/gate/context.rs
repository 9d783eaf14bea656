//! What the gate found out about a call, in the call's own transaction: the caller's standing, the policy in force and
//! whether an emergency stop covers the scope.

use std::collections::BTreeMap;

use contract::access::{Access, OrganisationRole};
use contract::code::Code;
use contract::id::{AccountId, MemberId, OrganisationId, SandboxId, SignInId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Timestamp;
use super::caller::{Call, Caller, Lang};
use super::decide::{Coverage, Decision, Question, Verdict, decide};
use super::operation::Scope;
use super::policy::{Action, Need};
use super::policy_document::PolicyDocument;
use crate::error::Error;

/// A signed-in person, proven by their sign-in row in this transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonStanding {
    /// Whose account.
    pub account: AccountId,
    /// Normalised address.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Operates the installation.
    pub operator: bool,
    /// The sign-in; absent when the gate decides again for somebody who is not at the keyboard.
    pub sign_in: Option<SignInStanding>,
}

/// The sign-in behind a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInStanding {
    /// Which.
    pub id: SignInId,
    /// How the person proved who they are, such as `passkey`.
    pub method: String,
    /// When it began.
    pub created_at: Timestamp,
    /// Last noted use.
    pub seen_at: Timestamp,
    /// Ends then whatever happens.
    pub expires_at: Timestamp,
}

/// A scope's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// In use.
    Active,
    /// Being deleted.
    Terminating,
}

/// The organisation of the scope, as far as the caller has to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganisationStanding {
    /// Which.
    pub id: OrganisationId,
    /// Its life.
    pub status: Status,
    /// The caller's role, if they belong to it.
    pub role: Option<OrganisationRole>,
    /// It has a single owner.
    pub sole_owner: bool,
    /// This sign-in has been here before.
    pub entered: bool,
}

/// The sandbox of the scope and what the caller may there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxStanding {
    /// Which.
    pub id: SandboxId,
    /// Its life.
    pub status: Status,
    /// Who owns it.
    pub owner: AccountId,
    /// The caller does.
    pub is_owner: bool,
    /// The caller's row, if they have one.
    pub member: Option<MemberId>,
    /// What the caller may; none where they have no access of any kind.
    pub access: Option<Access>,
}

/// The policy of the scope as stored, read in this transaction.
#[derive(Debug, Clone, Default)]
pub struct Governance {
    /// The organisation's valid document.
    pub organisation: Option<PolicyDocument>,
    /// The sandbox's valid document.
    pub sandbox: Option<PolicyDocument>,
    /// Names the documents in force, for binding a confirmation to them: `organisation/sandbox` versions.
    pub version: String,
    /// A stored document does not validate, so that the built-in policy applies in its place.
    pub invalid: bool,
    /// An emergency stop covers the scope.
    pub stopped: bool,
}

/// Who asks, where, when and under what.
#[derive(Debug, Clone)]
pub struct Context {
    pub(super) at: Timestamp,
    pub(super) scope: Scope,
    pub(super) lang: Lang,
    pub(super) address: Option<String>,
    pub(super) job: Option<&'static str>,
    pub(super) person: Option<PersonStanding>,
    pub(super) organisation: Option<OrganisationStanding>,
    pub(super) sandbox: Option<SandboxStanding>,
    pub(super) governance: Governance,
}

/// What a resource's page may offer, action by action.
pub type Allowed = BTreeMap<String, AllowedVerdict>;

/// One entry of `allowed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AllowedVerdict {
    /// `allow`, `confirm` or `deny`.
    pub verdict: AllowedDecision,
    /// Why not, by code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Code>,
}

/// The verdicts that a page distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AllowedDecision {
    /// Would be done.
    Allow,
    /// Would ask for a confirmation.
    Confirm,
    /// Would be refused.
    Deny,
}

impl Context {
    /// A context with nothing known yet.
    pub(super) fn new(call: &Call, scope: Scope, at: Timestamp) -> Self {
        Self {
            at,
            scope,
            lang: call.lang,
            address: call.address.clone(),
            job: match call.caller {
                Caller::Job(name) => Some(name),
                _ => None,
            },
            person: None,
            organisation: None,
            sandbox: None,
            governance: Governance::default(),
        }
    }

    /// The one timestamp of the request.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Where the operation acts.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The reader's language.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// Who is signed in.
    pub fn person(&self) -> Option<&PersonStanding> {
        self.person.as_ref()
    }

    /// The signed-in account.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] where nobody is signed in.
    pub fn account(&self) -> Result<AccountId, Error> {
        self.person.as_ref().map(|person| person.account).ok_or(Error::Unauthenticated)
    }

    /// The caller's role in the organisation of the scope.
    pub fn organisation_role(&self) -> Option<OrganisationRole> {
        self.organisation.as_ref().and_then(|organisation| organisation.role)
    }

    /// The organisation of the scope.
    pub fn organisation(&self) -> Option<&OrganisationStanding> {
        self.organisation.as_ref()
    }

    /// The sandbox of the scope.
    pub fn sandbox(&self) -> Option<&SandboxStanding> {
        self.sandbox.as_ref()
    }

    /// Whether an emergency stop covers the scope.
    pub fn stopped(&self) -> bool {
        self.governance.stopped
    }

    /// The policy in force.
    pub fn governance(&self) -> &Governance {
        &self.governance
    }

    /// The client's network address.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Whether the caller's access covers `action` here.
    pub fn covers(&self, action: Action) -> Coverage {
        coverage(self, action)
    }

    /// The verdict on `action` here, with the slice's `own` on top.
    pub fn verdict(&self, action: Action, own: Decision) -> Verdict {
        let organisation = self.organisation.as_ref();
        decide(&Question {
            action,
            coverage: self.covers(action),
            organisation: self.governance.organisation.as_ref(),
            sandbox: self.governance.sandbox.as_ref(),
            owner: organisation.is_some_and(|organisation| organisation.role == Some(OrganisationRole::Owner)),
            sole_owner: organisation.is_some_and(|organisation| organisation.sole_owner),
            own,
            stopped: self.governance.stopped,
        })
    }

    /// The `allowed` map of a resource: each action with the slice's own verdict on it.
    pub fn allowed(&self, list: &[(Action, Decision)]) -> Allowed {
        list.iter()
            .map(|(action, own)| {
                let (verdict, reason) = match self.verdict(*action, *own).decision {
                    Decision::Allow => (AllowedDecision::Allow, None),
                    Decision::Confirm => (AllowedDecision::Confirm, None),
                    Decision::Deny(code) => (AllowedDecision::Deny, Some(code)),
                    Decision::Hide => (AllowedDecision::Deny, Some(Code::InsufficientAccess)),
                };
                (action.name().to_owned(), AllowedVerdict { verdict, reason })
            })
            .collect()
    }
}

/// The access rules, against a standing. Pure.
fn coverage(context: &Context, action: Action) -> Coverage {
    let line = action.line();
    match line.need {
        Need::Visitor => return within_life(context, action, Coverage::Covered),
        Need::Job => return if context.job.is_some() { Coverage::Covered } else { Coverage::Hidden },
        _ => {}
    }
    let Some(person) = &context.person else {
        return Coverage::Anonymous;
    };
    match line.need {
        Need::Account => return Coverage::Covered,
        Need::Operator => return if person.operator { Coverage::Covered } else { Coverage::Lacking },
        _ => {}
    }
    let Some(organisation) = &context.organisation else {
        return Coverage::Hidden;
    };
    let role = organisation.role;
    let sandbox = context.sandbox.as_ref();
    if context.scope.sandbox().is_some() && sandbox.is_none() {
        return Coverage::Hidden;
    }
    let governs = matches!(role, Some(OrganisationRole::Owner | OrganisationRole::Admin));
    let manages = governs || sandbox.is_some_and(|sandbox| sandbox.access.as_ref().is_some_and(|access| access.manage));
    let oversees = manages || role == Some(OrganisationRole::Auditor);
    // In a sandbox scope belonging means having access there; being in the organisation is not enough.
    let belongs = match sandbox {
        Some(sandbox) => oversees || sandbox.access.is_some(),
        None => role.is_some(),
    };
    if !belongs {
        return Coverage::Hidden;
    }
    let enough = match line.need {
        Need::Belong => true,
        Need::Oversee => oversees,
        Need::Administer => manages,
        Need::Own => role == Some(OrganisationRole::Owner) || sandbox.is_some_and(|sandbox| sandbox.is_owner),
        Need::Visitor | Need::Account | Need::Operator | Need::Job => false,
    };
    if enough { within_life(context, action, Coverage::Covered) } else { Coverage::Lacking }
}

/// In a scope that is being deleted only looking goes on.
fn within_life(context: &Context, action: Action, coverage: Coverage) -> Coverage {
    let ending = |status: Status| status == Status::Terminating;
    let terminating = context.organisation.as_ref().is_some_and(|organisation| ending(organisation.status))
        || context.sandbox.as_ref().is_some_and(|sandbox| ending(sandbox.status));
    if terminating && !action.is_read() { Coverage::Terminating } else { coverage }
}

#[cfg(test)]
impl Context {
    /// Somebody in a named position, for the table of who may what.
    pub(crate) fn imagined(call: &Call, scope: Scope, position: &str) -> Self {
        let mut context = Self { job: None, ..Self::new(call, scope, chrono::DateTime::UNIX_EPOCH) };
        let account: AccountId = super::operation::fresh();
        let role = match position {
            "visitor" | "outsider" => None,
            "sandbox owner" | "maintainer" | "writer" | "guest" => Some(OrganisationRole::Member),
            role => Some(role.parse().unwrap()),
        };
        if position != "visitor" {
            let (email, name) = (String::new(), String::new());
            context.person = Some(PersonStanding { account, email, name, operator: false, sign_in: None });
        }
        context.organisation = scope.organisation().map(|id| OrganisationStanding {
            id,
            status: Status::Active,
            role,
            sole_owner: false,
            entered: true,
        });
        let tier = |tier: &str| contract::access::Row::stored(tier, None, None, None).unwrap().resolve();
        context.sandbox = scope.sandbox().map(|id| SandboxStanding {
            id,
            status: Status::Active,
            owner: account,
            is_owner: position == "sandbox owner",
            member: None,
            access: match position {
                "owner" | "admin" | "sandbox owner" => Some(Access::managing()),
                "maintainer" | "writer" | "guest" => Some(tier(position)),
                _ => None,
            },
        });
        context
    }
}
