use super::super::policy_document::{PolicyDocument, Rule, RuleDecision};
use super::*;
use proptest::prelude::*;

const VECTORS: &str = include_str!("../../../tests/vectors/decision.json");

fn everything(decision: RuleDecision) -> PolicyDocument {
    let rule = Rule { action: "*".into(), decision, requires: None, priority: 0, reason: None };
    PolicyDocument { version: 1, rules: vec![rule] }
}

fn policy(name: &str) -> Option<PolicyDocument> {
    match name {
        "null" => None,
        "empty" => Some(PolicyDocument { version: 1, rules: vec![] }),
        "hostileAllow" => Some(everything(RuleDecision::Allow)),
        "hostileDeny" => Some(everything(RuleDecision::Deny)),
        "default" => Some(PolicyDocument::built_in()),
        other => panic!("the vectors name an unknown policy {other}"),
    }
}

fn ask(action: Action, organisation: Option<&PolicyDocument>, stopped: bool) -> Question<'_> {
    Question {
        action,
        coverage: Coverage::Covered,
        organisation,
        sandbox: None,
        owner: true,
        sole_owner: true,
        own: Decision::Allow,
        stopped,
    }
}

fn named(name: &str, document: Option<&PolicyDocument>, stopped: bool) -> Decision {
    match name.parse::<Action>() {
        Ok(action) => decide(&ask(action, document, stopped)).decision,
        Err(code) => Decision::Deny(code),
    }
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Confirm => "confirm",
        Decision::Deny(_) | Decision::Hide => "deny",
    }
}

#[test]
fn every_row_of_the_vectors_is_decided_as_it_says() {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).unwrap();
    let mut rows = 0;
    for case in vectors["cases"].as_array().unwrap() {
        let document = policy(case["policy"].as_str().unwrap());
        let decision = named(case["action"].as_str().unwrap(), document.as_ref(), case["stop"].as_bool().unwrap());
        assert_eq!(word(decision), case["verdict"], "{case}");
        if let Some(reason) = case["reason"].as_str() {
            assert_eq!(decision, Decision::Deny(reason.parse().unwrap()), "{case}");
        }
        rows += 1;
    }
    for case in vectors["always"].as_array().unwrap() {
        for name in vectors["policies"].as_array().unwrap() {
            for stopped in [false, true] {
                let document = policy(name.as_str().unwrap());
                let decision = named(case["action"].as_str().unwrap(), document.as_ref(), stopped);
                assert_eq!(word(decision), case["verdict"], "{case} {name} {stopped}");
                rows += 1;
            }
        }
    }
    assert_eq!(rows, 29);
}

fn any_action() -> impl Strategy<Value = Action> {
    prop::sample::select(Action::ALL)
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let actions: Vec<String> =
        Action::ALL.iter().map(|action| action.name().to_owned()).chain(["*".into(), "member.*".into()]).collect();
    let decisions = vec![RuleDecision::Allow, RuleDecision::Confirm, RuleDecision::Deny];
    (prop::sample::select(actions), prop::sample::select(decisions), 0..4i32)
        .prop_map(|(action, decision, priority)| Rule { action, decision, requires: None, priority, reason: None })
}

proptest! {
    #[test]
    fn a_floor_never_becomes_allow(action in any_action(), rules in prop::collection::vec(any_rule(), 0..8)) {
        let document = PolicyDocument { version: 1, rules };
        let verdict = decide(&ask(action, Some(&document), false));
        prop_assert!(!action.line().floor || verdict.decision >= Decision::Confirm);
    }

    #[test]
    fn a_stop_denies_all_that_is_not_exempt(action in any_action(), rules in prop::collection::vec(any_rule(), 0..8)) {
        let document = PolicyDocument { version: 1, rules };
        let verdict = decide(&ask(action, Some(&document), true));
        prop_assert!(action.line().exempt || verdict.decision == Decision::Deny(Code::EmergencyStop));
    }

    #[test]
    fn the_slices_own_verdict_only_makes_it_stricter(action in any_action(), rules in prop::collection::vec(any_rule(), 0..8), stopped: bool) {
        let document = PolicyDocument { version: 1, rules };
        let mild = ask(action, Some(&document), stopped);
        for own in [Decision::Confirm, Decision::Deny(Code::LastOwner), Decision::Hide] {
            let strict = decide(&Question { own, ..mild });
            prop_assert!(strict.decision >= decide(&mild).decision.min(Decision::Deny(Code::EmergencyStop)));
            prop_assert!(strict.decision != Decision::Allow);
        }
    }

    #[test]
    fn a_sandboxs_document_only_tightens(action in any_action(), wide in prop::collection::vec(any_rule(), 0..8), narrow in prop::collection::vec(any_rule(), 0..8)) {
        prop_assume!(!AVAILABLE.contains(&action));
        let (wide, narrow) = (PolicyDocument { version: 1, rules: wide }, PolicyDocument { version: 1, rules: narrow });
        let open = ask(action, Some(&wide), false);
        let fenced = decide(&Question { sandbox: Some(&narrow), ..open });
        prop_assert!(fenced.decision >= decide(&open).decision);
    }

    #[test]
    fn people_can_always_stop_recover_and_look(rules in prop::collection::vec(any_rule(), 0..8)) {
        let document = PolicyDocument { version: 1, rules };
        for action in AVAILABLE {
            let verdict = decide(&ask(action, Some(&document), false));
            prop_assert!(verdict.decision <= Decision::Confirm, "{action}");
            prop_assert_eq!(verdict.people, 1);
        }
    }

    #[test]
    fn without_access_nothing_else_matters(action in any_action(), rules in prop::collection::vec(any_rule(), 0..8), stopped: bool) {
        let document = PolicyDocument { version: 1, rules };
        let open = ask(action, Some(&document), stopped);
        let lacking = decide(&Question { coverage: Coverage::Lacking, ..open });
        prop_assert_eq!(lacking.decision, Decision::Deny(Code::InsufficientAccess));
        let hidden = decide(&Question { coverage: Coverage::Hidden, ..open });
        prop_assert_eq!(hidden.decision, Decision::Hide);
    }
}
