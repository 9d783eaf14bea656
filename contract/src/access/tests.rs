//! The vectors, and properties that hold for every row.

use std::path::Path;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::*;
use crate::code::Code;

const VECTORS: &str = include_str!("../../tests/vectors/member-access.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    #[serde(rename = "about")]
    _about: String,
    resolve: Vec<Resolve>,
    tier: Vec<Named>,
    refuse: Vec<Refused>,
    limits: Limits,
    grant: Vec<Granted>,
}

#[derive(Deserialize)]
struct Resolve {
    row: Row,
    access: Access,
}

#[derive(Deserialize)]
struct Named {
    access: Access,
    tier: Tier,
}

#[derive(Deserialize)]
struct Refused {
    access: Access,
    refused: bool,
    #[serde(default)]
    mentions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Limits {
    areas: usize,
    edit: usize,
    reach_capabilities: usize,
    reach_secrets: usize,
}

#[derive(Deserialize)]
struct Granted {
    grant: Grant,
    refused: bool,
}

fn vectors() -> Vectors {
    serde_json::from_str(VECTORS).unwrap()
}

#[test]
fn every_row_resolves_as_the_vectors_say() {
    let rows = vectors().resolve;
    assert!(!rows.is_empty());
    for Resolve { row, access } in rows {
        assert_eq!(row.resolve(), access, "{row:?}");
    }
}

#[test]
fn every_access_has_the_tier_that_the_vectors_say() {
    let rows = vectors().tier;
    assert!(!rows.is_empty());
    for Named { access, tier } in rows {
        assert_eq!(access.tier(), tier, "{access:?}");
    }
}

#[test]
fn the_accesses_that_the_vectors_refuse_are_refused_with_their_words() {
    let rows = vectors().refuse;
    assert!(!rows.is_empty());
    for Refused { access, refused, mentions } in rows {
        let refusal = refuse(&access).err();
        assert_eq!(refusal.is_some(), refused, "{access:?}");
        for words in mentions {
            let said = refusal.as_ref().unwrap();
            assert_eq!(said.code, Code::AccessRefused);
            assert!(said.message.contains(&words), "{said:?} lacks {words:?}");
        }
    }
}

#[test]
fn the_grants_that_the_vectors_refuse_are_refused() {
    let rows = vectors().grant;
    assert!(!rows.is_empty());
    for Granted { grant, refused } in rows {
        assert_eq!(check(&grant).is_err(), refused, "{grant:?}");
    }
}

#[test]
fn the_limits_are_those_of_the_vectors() {
    let limits = vectors().limits;
    assert_eq!((limits.areas, limits.edit), (AREAS_LIMIT, AREAS_LIMIT));
    assert_eq!((limits.reach_capabilities, limits.reach_secrets), (REACH_LIMIT, REACH_LIMIT));
}

/// The copy beside the tests is what runs everywhere; where the original lies in a folder beside the project, it must
/// be the same.
#[test]
fn the_copy_of_the_vectors_is_the_original() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let original =
        here.ancestors().map(|folder| folder.join("shared/vectors/member-access.json")).find(|f| f.is_file());
    if let Some(original) = original {
        let original: Value = serde_json::from_slice(&std::fs::read(original).unwrap()).unwrap();
        let copy: Value = serde_json::from_str(VECTORS).unwrap();
        assert_eq!(copy, original);
    }
}

fn viewer() -> Grant {
    Grant { role: Tier::Viewer, areas: None, agents: None, edit: None, credentials: None }
}

#[test]
fn a_refusal_says_which_field_is_at_fault_and_why() {
    let many: Vec<String> = (0..=AREAS_LIMIT).map(|n| format!("a{n}")).collect();
    let cases = [
        (Grant { areas: Some(many.clone()), ..viewer() }, Code::TooLarge, "/areas"),
        (Grant { role: Tier::Writer, edit: Some(EditGrant::Areas(many)), ..viewer() }, Code::TooLarge, "/edit"),
        (Grant { role: Tier::Writer, ..viewer() }, Code::RoleMismatch, "/role"),
        (Grant { role: Tier::Guest, ..viewer() }, Code::AccessRefused, "/areas"),
        (Grant { role: Tier::Writer, edit: Some(EditGrant::Areas(vec![])), ..viewer() }, Code::AccessRefused, "/edit"),
    ];
    for (grant, code, pointer) in cases {
        let refusal = check(&grant).unwrap_err();
        assert_eq!((refusal.code, refusal.pointer), (code, pointer), "{grant:?}");
    }
    let reach = Reach::Listed { capabilities: vec!["x".to_owned(); REACH_LIMIT + 1], secrets: vec![] };
    let refusal = check(&Grant { credentials: Some(reach), ..viewer() }).unwrap_err();
    assert_eq!((refusal.code, refusal.pointer), (Code::TooLarge, "/credentials/capabilities"));
}

#[test]
fn area_names_are_tidied_and_empty_ones_refused() {
    let areas = Some(vec![" web ".to_owned(), "web".to_owned(), "Zoe\u{301}".to_owned()]);
    assert_eq!(tidy(Grant { areas, ..viewer() }).unwrap().areas.unwrap(), ["web", "Zoé"]);
    let refusal = tidy(Grant { areas: Some(vec![" ".to_owned()]), ..viewer() }).unwrap_err();
    assert_eq!((refusal.code, refusal.pointer), (Code::Required, "/areas"));
}

#[test]
fn the_wire_forms_are_words_or_lists() {
    let row = |json: &str| serde_json::from_str::<Row>(json);
    assert!(row(r#"{"role":"writer","edit":"none"}"#).is_err(), "a row cannot say none");
    assert!(row(r#"{"role":"owner"}"#).is_err());
    let access = Access::managing();
    let json = serde_json::to_value(&access).unwrap();
    assert_eq!(json, serde_json::json!({"manage": true, "agents": "run", "see": null, "edit": "all"}));
}

#[test]
fn a_stored_row_reads_back_and_rubbish_in_a_column_is_told() {
    let edit = serde_json::json!(["web"]);
    let row = Row::stored("writer", Some(vec!["web".to_owned()]), Some("off"), Some(&edit)).unwrap();
    assert_eq!(row.agents, Some(Agents::Off));
    assert_eq!(row.edit, Some(EditGrant::Areas(vec!["web".to_owned()])));
    assert!(Row::stored("king", None, None, None).is_err());
    assert!(Row::stored("viewer", None, Some("loud"), None).is_err());
    assert!(Row::stored("viewer", None, None, Some(&serde_json::json!("none"))).is_err());
}

fn any_area() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["web", "support", "finance", "docs"]).prop_map(str::to_owned)
}

fn any_areas() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_area(), 0..4)
}

prop_compose! {
    fn any_row()(
        role in prop::sample::select(Tier::ALL),
        areas in prop::option::of(any_areas()),
        agents in prop::option::of(prop::sample::select(Agents::ALL)),
        edit in prop::option::of(prop_oneof![Just(EditGrant::All), any_areas().prop_map(EditGrant::Areas)]),
    ) -> Row {
        Row { role, areas, agents, edit }
    }
}

proptest! {
    #[test]
    fn only_a_maintainer_manages(row in any_row()) {
        prop_assert_eq!(row.resolve().manage, row.role == Tier::Maintainer);
    }

    #[test]
    fn somebody_who_only_chats_never_edits(row in any_row()) {
        let access = row.resolve();
        prop_assert!(access.agents != Agents::Chat || access.edit == Edit::None);
    }

    #[test]
    fn an_accepted_grant_edits_only_what_it_sees(row in any_row()) {
        let grant = Grant { role: row.role, areas: row.areas, agents: row.agents, edit: row.edit, credentials: None };
        if let Ok(access) = check(&grant) {
            prop_assert_eq!(access.tier(), grant.role);
            match &access.edit {
                Edit::None => {}
                Edit::All => prop_assert!(access.see.is_none()),
                Edit::Areas(areas) => {
                    prop_assert!(!areas.is_empty());
                    prop_assert!(areas.iter().all(|area| access.sees(area)));
                }
            }
        }
    }

    #[test]
    fn a_row_and_an_access_survive_the_wire(row in any_row()) {
        let json = serde_json::to_string(&row).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Row>(&json).unwrap(), &row);
        let access = row.resolve();
        let json = serde_json::to_string(&access).unwrap();
        prop_assert_eq!(serde_json::from_str::<Access>(&json).unwrap(), access);
    }

    #[test]
    fn renaming_an_area_leaves_no_trace_of_the_old_name_and_changes_no_tier(row in any_row()) {
        let before = row.resolve().tier();
        let renamed = row.with_area_renamed("web", "site");
        prop_assert!(!renamed.named_areas().contains("web"));
        prop_assert_eq!(renamed.resolve().tier(), before);
    }
}

#[test]
fn the_description_names_words_as_they_are_on_the_wire() {
    for (schema, first) in
        [(Tier::schema(), "guest"), (OrganisationRole::schema(), "member"), (Agents::schema(), "off")]
    {
        let words = serde_json::to_value(schema).unwrap();
        assert_eq!(words["enum"][0], first);
    }
}
