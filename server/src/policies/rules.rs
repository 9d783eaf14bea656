//! What changes when one policy takes another's place. Pure.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::policy::Need;
use crate::gate::policy_document::{PolicyDocument, Rule, RuleDecision};
use crate::gate::{Action, Coverage, Decision, Question, decide};

/// Whom a change concerns: everybody whose access covers the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PolicyConcerned)]
pub enum Concerned {
    /// Whoever brings a link or a credential.
    Visitor,
    /// Any signed-in account.
    Account,
    /// The installation's operator.
    Operator,
    /// Everybody who belongs.
    Belong,
    /// Administrators and auditors.
    Oversee,
    /// Owners, admins and, in sandboxes, whoever manages them.
    Administer,
    /// Owners only.
    Own,
}

/// A verdict as a page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PolicyEffect)]
pub struct Effect {
    /// What happens.
    pub decision: RuleDecision,
    /// How many different people confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires: Option<i32>,
}

/// One action that would be decided otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PolicyChange)]
pub struct Change {
    /// Its name.
    pub action: String,
    /// Whom it concerns.
    pub who: Concerned,
    /// As it is now.
    pub before: Effect,
    /// As it would be.
    pub after: Effect,
}

/// The documents that are in force together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pair<'a> {
    /// The organisation's; none is the built-in.
    pub organisation: Option<&'a PolicyDocument>,
    /// The sandbox's; none narrows nothing.
    pub sandbox: Option<&'a PolicyDocument>,
}

fn concerned(action: Action) -> Option<Concerned> {
    Some(match action.line().need {
        Need::Visitor => Concerned::Visitor,
        Need::Account => Concerned::Account,
        Need::Operator => Concerned::Operator,
        Need::Belong => Concerned::Belong,
        Need::Oversee => Concerned::Oversee,
        Need::Administer => Concerned::Administer,
        Need::Own => Concerned::Own,
        Need::Job => return None,
    })
}

/// What the documents decide on an action for somebody whose access covers it, floors included.
pub fn effect(action: Action, pair: Pair<'_>) -> Effect {
    let verdict = decide(&Question {
        action,
        coverage: Coverage::Covered,
        organisation: pair.organisation,
        sandbox: pair.sandbox,
        owner: true,
        sole_owner: false,
        own: Decision::Allow,
        stopped: false,
    });
    match verdict.decision {
        Decision::Allow => Effect { decision: RuleDecision::Allow, requires: None },
        Decision::Confirm => Effect { decision: RuleDecision::Confirm, requires: Some(i32::from(verdict.people)) },
        Decision::Deny(_) | Decision::Hide => Effect { decision: RuleDecision::Deny, requires: None },
    }
}

/// Every action that is decided otherwise, in the table's order.
pub fn changes(before: Pair<'_>, after: Pair<'_>) -> Vec<Change> {
    Action::ALL
        .iter()
        .filter_map(|action| {
            let (was, will) = (effect(*action, before), effect(*action, after));
            let who = concerned(*action)?;
            (was != will).then(|| Change { action: action.name().to_owned(), who, before: was, after: will })
        })
        .collect()
}

/// Rules of `after` that `before` lacks.
pub fn missing_from<'a>(before: Option<&PolicyDocument>, after: Option<&'a PolicyDocument>) -> Vec<&'a Rule> {
    let known = before.map(|document| document.rules.as_slice()).unwrap_or_default();
    after.map(|document| document.rules.iter().filter(|rule| !known.contains(rule)).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_names_what_changes_and_for_whom_and_nothing_else() {
        let mut document = PolicyDocument::built_in();
        document.rules.insert(
            0,
            Rule {
                action: "area.create".into(),
                decision: RuleDecision::Confirm,
                requires: Some(2),
                priority: 1,
                reason: None,
            },
        );
        let after = Pair { organisation: Some(&document), sandbox: None };
        let changes = changes(Pair::default(), after);
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].action, "area.create");
        assert_eq!(changes[0].who, Concerned::Administer);
        assert_eq!(changes[0].before, Effect { decision: RuleDecision::Allow, requires: None });
        assert_eq!(changes[0].after, Effect { decision: RuleDecision::Confirm, requires: Some(2) });
        assert_eq!(missing_from(None, Some(&document)).len(), document.rules.len());
        assert_eq!(missing_from(Some(&PolicyDocument::built_in()), Some(&document)).len(), 1);
    }

    #[test]
    fn a_floor_shows_through_a_rule_that_would_allow() {
        let rule =
            Rule { action: "*".into(), decision: RuleDecision::Allow, requires: None, priority: 0, reason: None };
        let document = PolicyDocument { version: 1, rules: vec![rule] };
        let pair = Pair { organisation: Some(&document), sandbox: None };
        assert_eq!(effect(Action::MemberRemove, pair).decision, RuleDecision::Confirm);
    }
}
