//! The vocabulary: printed for people, decided for every persona, and backed by operations.

use std::fmt::Write as _;

use contract::access::OrganisationRole;

use crate::gate::policy::{Default, Kind, Need};
use crate::gate::{Action, Call, Context, Decision, Scope};

/// Named in the vocabulary for the sake of policies; their operations come with their slices.
const AWAITING: &[Action] = &[
    Action::SecretWrite,
    Action::SecretClear,
    Action::SecretReveal,
    Action::DeviceRemove,
    Action::OsUpdateApply,
    Action::OsRollbackApply,
    Action::OsReboot,
    Action::AuditSettingsUpdate,
    Action::RetentionShorten,
    Action::VaultRotate,
    Action::PersonErase,
    Action::AccountOffboard,
];

/// Changes that are decided and recorded by the gate itself, or that share commits: they cannot wait for a confirmation.
const NEVER_STORED: &[(Action, &str)] = &[
    (Action::SessionEnter, "shares commits; noted by the gate"),
    (Action::ProposalConfirm, "the answer to a stored operation is not stored itself"),
    (Action::ProposalReject, "ends a stored operation"),
];

#[test]
fn every_change_can_be_stored_and_carried_out_later() {
    let registry = crate::app::registry();
    // What the server does by itself never waits for a person.
    let by_people = |action: &&Action| !action.is_read() && action.line().need != Need::Job;
    for action in Action::ALL.iter().filter(by_people) {
        let expected = !AWAITING.contains(action) && !NEVER_STORED.iter().any(|(never, _)| never == action);
        assert_eq!(registry.knows(*action), expected, "{action}");
    }
}

const PERSONAS: [&str; 10] =
    ["owner", "admin", "auditor", "sandbox owner", "maintainer", "writer", "guest", "member", "outsider", "visitor"];

fn verdict(action: Action, persona: &str) -> &'static str {
    let scope = match action.line().field {
        crate::gate::policy::Field::Organisation => Scope::Organisation(crate::gate::fresh()),
        crate::gate::policy::Field::Installation => Scope::Installation,
        crate::gate::policy::Field::Account => Scope::Account,
        _ => Scope::Sandbox(crate::gate::fresh(), crate::gate::fresh()),
    };
    let context = Context::imagined(&Call::job("matrix"), scope, persona);
    match context.verdict(action, Decision::Allow).decision {
        Decision::Allow => "allow",
        Decision::Confirm => "confirm",
        Decision::Deny(_) => "–",
        Decision::Hide => "hidden",
    }
}

fn table() -> String {
    let mut text = String::from(
        "# Actions\n\nGenerated from `server/src/gate/policy.rs`; a test fails when this page is not current.\n\n\
         `allow` and `confirm` are the built-in policy's verdict for somebody in that position; – is refused with 403, `hidden` with\n\
         404. A floor cannot be loosened by any policy. *exempt* goes on during an emergency stop. Slices may be stricter: granting\n\
         a maintainer or an organisation's owner or admin always asks for a confirmation, for instance.\n\n\
         | action | needs | kind | built-in | floor | stop | recorded parameters |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for action in Action::ALL {
        let line = action.line();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            line.name,
            format!("{:?}", line.need).to_lowercase(),
            if line.kind == Kind::Read { "read" } else { "change" },
            if line.default == Default::Allow { "allow" } else { "confirm" },
            if line.floor { "confirm" } else { "" },
            if line.exempt { "exempt" } else { "" },
            line.recorded.join(", "),
        );
    }
    let _ = writeln!(
        text,
        "\n## Who may what\n\n| action | {} |\n| --- |{}",
        PERSONAS.join(" | "),
        " --- |".repeat(PERSONAS.len())
    );
    for action in Action::ALL {
        let verdicts: Vec<&str> = PERSONAS.iter().map(|persona| verdict(*action, persona)).collect();
        let _ = writeln!(text, "| `{action}` | {} |", verdicts.join(" | "));
    }
    text
}

#[test]
fn the_table_of_actions_is_current() {
    super::current("docs/actions.md", &table());
}

#[test]
fn an_organisation_role_is_known_to_the_matrix() {
    for role in OrganisationRole::ALL {
        assert!(PERSONAS.contains(&role.as_str()), "{role}");
    }
}
