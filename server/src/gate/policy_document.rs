//! A policy document: versioned rules that an organisation writes, optionally narrowed per sandbox. Pure.

use contract::code::Code;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::decide::{Decision, Verdict};
use super::policy::{AVAILABLE, Action};

/// Most rules a document may have.
pub const MAX_RULES: usize = 500;
/// Longest reason, in characters.
const MAX_REASON: usize = 200;
/// Priorities lie within ± this.
const MAX_PRIORITY: i32 = 1_000_000;

/// Rules `{action, decision, priority}`; the highest priority that matches wins and a tie keeps the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Policy)]
pub struct PolicyDocument {
    /// Version of the format: 1.
    pub version: i32,
    /// At most 500.
    #[schema(max_items = 500)]
    pub rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PolicyRule)]
pub struct Rule {
    /// An action's name, a prefix with `.*`, or `*`.
    pub action: String,
    /// What happens to it.
    pub decision: RuleDecision,
    /// How many different people confirm: 1 (the default) or 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<i32>,
    /// Higher wins.
    pub priority: i32,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = PolicyDecision)]
pub enum RuleDecision {
    /// Goes on.
    Allow,
    /// Asks for presence.
    Confirm,
    /// Refused.
    Deny,
}

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PolicyProblem)]
pub struct Fault {
    /// JSON pointer into the document.
    pub pointer: String,
    /// Stable code.
    pub code: Code,
    /// What to do, for people.
    pub message: String,
}

/// Whether a document stands alone or narrows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// An organisation's: what it does not mention is denied.
    Organisation,
    /// A sandbox's: what it does not mention is left to the organisation's.
    Sandbox,
}

impl Rule {
    fn matches(&self, action: Action) -> bool {
        match self.action.strip_suffix(".*") {
            Some(prefix) => action.name().strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.')),
            None => self.action == "*" || self.action == action.name(),
        }
    }
}

impl PolicyDocument {
    /// The built-in policy written as a document: one explicit rule for every action.
    pub fn built_in() -> Self {
        let rules = Action::ALL
            .iter()
            .map(|action| Rule {
                action: action.name().to_owned(),
                decision: match super::decide::built_in(*action).decision {
                    Decision::Confirm => RuleDecision::Confirm,
                    _ => RuleDecision::Allow,
                },
                requires: None,
                priority: 0,
                reason: None,
            })
            .collect();
        Self { version: 1, rules }
    }

    /// The verdict of the rule that wins, or none where no rule matches.
    pub fn verdict(&self, action: Action) -> Option<Verdict> {
        let mut winner: Option<&Rule> = None;
        for rule in self.rules.iter().filter(|rule| rule.matches(action)) {
            if winner.is_none_or(|held| rule.priority > held.priority) {
                winner = Some(rule);
            }
        }
        winner.map(|rule| match rule.decision {
            RuleDecision::Allow => Verdict::of(Decision::Allow),
            // Nobody confirms a read. The schema refuses such a rule; one that got round it denies.
            RuleDecision::Confirm if action.is_read() => Verdict::of(Decision::Deny(Code::Policy)),
            RuleDecision::Confirm => {
                Verdict { decision: Decision::Confirm, people: if rule.requires.unwrap_or(1) >= 2 { 2 } else { 1 } }
            }
            RuleDecision::Deny => Verdict::of(Decision::Deny(Code::Policy)),
        })
    }

    /// Reads a stored document. One that does not parse or validate is `Err` as a whole, with what is wrong.
    pub fn read(stored: &serde_json::Value, breadth: Breadth) -> Result<Self, Vec<Fault>> {
        let document: Self = serde_json::from_value(stored.clone()).map_err(|error| {
            vec![Fault { pointer: String::new(), code: Code::InvalidField, message: error.to_string() }]
        })?;
        let faults = document.faults(breadth);
        if faults.is_empty() { Ok(document) } else { Err(faults) }
    }

    /// Everything that the schema refuses in this document.
    pub fn faults(&self, breadth: Breadth) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.version != 1 {
            faults.push(fault("/version", Code::InvalidField, "The version of the format is 1.".into()));
        }
        if self.rules.len() > MAX_RULES {
            faults.push(fault("/rules", Code::TooLarge, format!("At most {MAX_RULES} rules.")));
            return faults;
        }
        for (index, rule) in self.rules.iter().enumerate() {
            faults_of_rule(index, rule, &mut faults);
        }
        if faults.is_empty() {
            faults_of_effect(self, breadth, &mut faults);
        }
        faults
    }
}

fn fault(pointer: &str, code: Code, message: String) -> Fault {
    Fault { pointer: pointer.to_owned(), code, message }
}

fn faults_of_rule(index: usize, rule: &Rule, faults: &mut Vec<Fault>) {
    let at = |field: &str| format!("/rules/{index}/{field}");
    if !Action::ALL.iter().any(|action| rule.matches(*action)) {
        let message =
            format!("No action is called “{}”. Name an action, a prefix with .* or *.", shortened(&rule.action));
        faults.push(fault(&at("action"), Code::UnknownAction, message));
    }
    if let Some(people) = rule.requires {
        if !(1..=2).contains(&people) {
            faults.push(fault(&at("requires"), Code::InvalidField, "One or two people can be asked for.".into()));
        } else if rule.decision != RuleDecision::Confirm {
            faults.push(fault(&at("requires"), Code::InvalidField, "Only a confirmation asks for people.".into()));
        }
    }
    if !(-MAX_PRIORITY..=MAX_PRIORITY).contains(&rule.priority) {
        faults.push(fault(&at("priority"), Code::InvalidField, format!("Priorities lie within ±{MAX_PRIORITY}.")));
    }
    if rule.reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON) {
        faults.push(fault(&at("reason"), Code::TooLong, format!("At most {MAX_REASON} characters.")));
    }
    if let Ok(action) = rule.action.parse::<Action>()
        && action.line().floor
        && rule.decision == RuleDecision::Allow
    {
        let message = format!("{action} always asks for a confirmation: it can be confirm or deny.");
        faults.push(fault(&at("decision"), Code::Policy, message));
    }
}

fn faults_of_effect(document: &PolicyDocument, breadth: Breadth, faults: &mut Vec<Fault>) {
    for action in AVAILABLE {
        let lost = match document.verdict(action) {
            Some(verdict) => matches!(verdict.decision, Decision::Deny(_)),
            None => breadth == Breadth::Organisation,
        };
        if lost {
            let message =
                format!("{action} cannot be denied or left out: people must stay able to stop, recover and look.");
            faults.push(fault("/rules", Code::Policy, message));
        }
    }
    for action in Action::ALL.iter().filter(|action| action.is_read() && !AVAILABLE.contains(action)) {
        let winner = document.rules.iter().filter(|rule| rule.matches(*action)).max_by(|a, b| {
            // max_by keeps the last of equals; the first has to win.
            a.priority.cmp(&b.priority).then(std::cmp::Ordering::Greater)
        });
        if winner.is_some_and(|rule| rule.decision == RuleDecision::Confirm) {
            let message = format!("{action} only reads, and a read cannot ask for a confirmation: allow or deny it.");
            faults.push(fault("/rules", Code::InvalidField, message));
            return;
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(action: &str, decision: RuleDecision, priority: i32) -> Rule {
        Rule { action: action.into(), decision, requires: None, priority, reason: None }
    }

    fn with(mut extra: Vec<Rule>) -> PolicyDocument {
        let mut document = PolicyDocument::built_in();
        extra.append(&mut document.rules);
        PolicyDocument { version: 1, rules: extra }
    }

    #[test]
    fn the_built_in_policy_validates_and_has_a_rule_for_every_action() {
        let document = PolicyDocument::built_in();
        assert_eq!(document.faults(Breadth::Organisation), []);
        for action in Action::ALL {
            assert_eq!(document.verdict(*action), Some(super::super::decide::built_in(*action)), "{action}");
        }
    }

    #[test]
    fn the_highest_priority_wins_and_a_tie_keeps_the_first() {
        let document = with(vec![
            rule("area.*", RuleDecision::Deny, 5),
            rule("area.create", RuleDecision::Allow, 5),
            rule("area.rename", RuleDecision::Confirm, 9),
        ]);
        let decision = |action| document.verdict(action).map(|verdict| verdict.decision);
        assert_eq!(decision(Action::AreaCreate), Some(Decision::Deny(Code::Policy)));
        assert_eq!(decision(Action::AreaRename), Some(Decision::Confirm));
        assert_eq!(decision(Action::SandboxRename), Some(Decision::Allow));
    }

    #[test]
    fn a_prefix_ends_at_a_dot() {
        assert!(rule("os.*", RuleDecision::Deny, 0).matches(Action::OsUpdateApply));
        assert!(!rule("member.re.*", RuleDecision::Deny, 0).matches(Action::MemberRemove));
        assert!(!rule("organisation", RuleDecision::Deny, 0).matches(Action::OrganisationRead));
    }

    #[test]
    fn each_contradiction_is_refused_where_it_stands() {
        let refused = |document: &PolicyDocument| {
            document.faults(Breadth::Organisation).into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        };
        assert_eq!(refused(&with(vec![rule("no.such", RuleDecision::Deny, 1)])), ["/rules/0/action"]);
        assert_eq!(refused(&with(vec![rule("member.remove", RuleDecision::Allow, 1)])), ["/rules/0/decision"]);
        assert_eq!(refused(&with(vec![rule("audit.*", RuleDecision::Deny, 1)])), ["/rules"]);
        assert_eq!(refused(&with(vec![rule("member.list", RuleDecision::Confirm, 1)])), ["/rules"]);
        assert_eq!(refused(&PolicyDocument { version: 2, ..with(vec![]) }), ["/version"]);
        let mut two = rule("member.list", RuleDecision::Allow, 1);
        two.requires = Some(2);
        assert_eq!(refused(&with(vec![two])), ["/rules/0/requires"]);
        assert_eq!(PolicyDocument { version: 1, rules: vec![] }.faults(Breadth::Organisation).len(), AVAILABLE.len());
        assert_eq!(PolicyDocument { version: 1, rules: vec![] }.faults(Breadth::Sandbox), []);
    }
}
