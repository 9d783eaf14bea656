//! The decision: a pure function of action, access, policy and emergency state. No clock, no I/O, no logging.

use contract::code::Code;
use serde::{Deserialize, Serialize};

use super::policy::{self, AVAILABLE, Action};
use super::policy_document::PolicyDocument;

/// A verdict, from mildest to strictest, so that combining two is `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Decision {
    /// Goes on.
    Allow,
    /// Goes on once a person has proven presence for exactly this.
    Confirm,
    /// Refused, with the reason.
    Deny(Code),
    /// Refused as if it did not exist: the caller may not know that it does.
    Hide,
}

/// A decision with the number of different people it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// What was decided.
    pub decision: Decision,
    /// How many different people have to confirm: 1 or 2. Meaningful for [`Decision::Confirm`] only.
    pub people: u8,
}

impl Verdict {
    pub(super) const fn of(decision: Decision) -> Self {
        Self { decision, people: 1 }
    }
}

/// Whether the caller's access covers the action, answered by their standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// It does.
    Covered,
    /// It does not, and they may know that the thing exists.
    Lacking,
    /// It does not, and they may not.
    Hidden,
    /// The scope is being deleted: nothing new happens in it.
    Terminating,
    /// Nobody is signed in.
    Anonymous,
}

/// Everything a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What is asked for.
    pub action: Action,
    /// Whether the caller's access covers it.
    pub coverage: Coverage,
    /// The organisation's document; none where it has none or the stored one does not validate.
    pub organisation: Option<&'a PolicyDocument>,
    /// The sandbox's narrowing document, likewise.
    pub sandbox: Option<&'a PolicyDocument>,
    /// The caller owns the organisation (they keep `policy.update` whatever a policy says).
    pub owner: bool,
    /// The organisation has a single owner, so that no second person can be asked for what must stay possible.
    pub sole_owner: bool,
    /// The slice's own verdict, which may only be stricter.
    pub own: Decision,
    /// An emergency stop covers the scope.
    pub stopped: bool,
}

/// Decides, in the order: access, policy rules, confirmation floor, availability floor, the slice's verdict, emergency stop.
/// (An unknown name never becomes an [`Action`]: parsing it is the first step, and denies `unknown_action`.)
pub fn decide(question: &Question<'_>) -> Verdict {
    let line = question.action.line();
    match question.coverage {
        Coverage::Covered => {}
        Coverage::Lacking => return Verdict::of(Decision::Deny(Code::InsufficientAccess)),
        Coverage::Terminating => return Verdict::of(Decision::Deny(Code::Terminating)),
        Coverage::Anonymous => return Verdict::of(Decision::Deny(Code::Unauthenticated)),
        Coverage::Hidden => return Verdict::of(Decision::Hide),
    }
    let mut verdict = by_policy(question);
    if line.floor && verdict.decision == Decision::Allow {
        verdict = Verdict::of(Decision::Confirm);
    }
    verdict = keep_available(question, verdict);
    let combined = verdict.decision.max(question.own);
    verdict = Verdict { decision: combined, people: verdict.people };
    if question.stopped && !line.exempt {
        return Verdict::of(verdict.decision.max(Decision::Deny(Code::EmergencyStop)).but(Code::EmergencyStop));
    }
    verdict
}

impl Decision {
    /// The reason of a denial becomes `reason`; what is hidden stays hidden.
    fn but(self, reason: Code) -> Self {
        match self {
            Decision::Hide => Decision::Hide,
            _ => Decision::Deny(reason),
        }
    }
}

/// The built-in policy's verdict: an explicit rule for every action.
pub fn built_in(action: Action) -> Verdict {
    Verdict::of(match action.line().default {
        policy::Default::Allow => Decision::Allow,
        policy::Default::Confirm => Decision::Confirm,
    })
}

fn by_policy(question: &Question<'_>) -> Verdict {
    // What only the server itself or a proof in the request can ask for is not a policy's to refuse.
    if matches!(question.action.line().need, policy::Need::Job) {
        return built_in(question.action);
    }
    let wide = match question.organisation {
        Some(document) => document.verdict(question.action).unwrap_or(Verdict::of(Decision::Deny(Code::Policy))),
        None => built_in(question.action),
    };
    // A sandbox's document narrows: where it has no matching rule the organisation's verdict stands.
    match question.sandbox.and_then(|document| document.verdict(question.action)) {
        Some(narrow) => {
            Verdict { decision: wide.decision.max(narrow.decision), people: wide.people.max(narrow.people) }
        }
        None => wide,
    }
}

fn keep_available(question: &Question<'_>, verdict: Verdict) -> Verdict {
    if !AVAILABLE.contains(&question.action) || (question.action == Action::PolicyUpdate && !question.owner) {
        return verdict;
    }
    let kept = match verdict.decision {
        Decision::Deny(_) => built_in(question.action),
        _ => verdict,
    };
    if question.sole_owner { Verdict { people: 1, ..kept } } else { kept }
}

#[cfg(test)]
mod tests;
