//! The API: its description is current, and every route of it refuses who has no business there.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::testing::World;

/// Answered to anybody who is signed in, about themselves.
const OWN: &[&str] = &["session_read", "organisation_list", "sign_out"];

fn description() -> Value {
    serde_json::to_value(crate::http::description()).unwrap()
}

#[test]
fn the_description_is_current() {
    super::current("openapi/console.json", &format!("{:#}\n", description()));
}

fn operations() -> Vec<(Method, String, String)> {
    let mut all = Vec::new();
    for (path, methods) in description()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Ok(method) = method.to_uppercase().parse::<Method>() else { continue };
            let path = path.strip_prefix("/api/v1").unwrap().to_owned();
            all.push((method, path, operation["operationId"].as_str().unwrap().to_owned()));
        }
    }
    all
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let mut names: Vec<String> = operations().into_iter().map(|(.., name)| name).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[tokio::test]
async fn every_route_refuses_visitors_and_outsiders() {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let sbx = world.sandbox(org, &owner, "Web").await;
    let member = world.person("member@example.org").await;
    world.belongs(org, member.account, contract::access::OrganisationRole::Member).await;
    let row = world.granted(org, sbx, member.account, "viewer").await;
    let (visitor, outsider) = (world.stranger(), world.person("outsider@example.org").await);
    let changes_before: i64 =
        sqlx::query_scalar("select count(*) from audit_record where outcome = 'done' and action not like 'session.%'")
            .fetch_one(&world.admin)
            .await
            .unwrap();
    let mut tried = 0;
    for (method, path, name) in operations() {
        let filled = path
            .replace("{org}", &org.to_string())
            .replace("{sbx}", &sbx.to_string())
            .replace("{mbr}", &contract::id::MemberId::from_uuid(row).to_string());
        let filled = ["omb", "inv", "are", "prp", "rec"].iter().fold(filled, |path, prefix| {
            path.replace(&format!("{{{prefix}}}"), &format!("{prefix}_00000000000000000000000000000001"))
        });
        assert!(!filled.contains('{'), "{filled}");
        // The body does not fit most routes: what is refused before it is read is what matters, and 4xx is all one gets.
        let body = (method != Method::GET).then(|| serde_json::to_vec(&json!({})).unwrap());
        for persona in [&visitor, &outsider] {
            let reply = persona.send(method.clone(), &filled, &[], body.clone()).await;
            let own = OWN.contains(&name.as_str()) && persona.account == outsider.account;
            let begins = name == "sign_in_begin";
            assert_eq!(reply.status.is_success(), own || begins, "{name} for {}: {reply:?}", persona.email);
            assert!(reply.status.is_success() || reply.status.is_client_error(), "{name}: {reply:?}");
            assert!(reply.status.is_success() || !reply.code().is_empty(), "{name} answers a problem: {reply:?}");
            if path.contains("{org}") && persona.account == outsider.account && method == Method::GET {
                assert_eq!(reply.status, StatusCode::NOT_FOUND, "{name} tells an outsider that it exists: {reply:?}");
            }
        }
        tried += 1;
    }
    assert!(tried > 50, "{tried}");
    let changes: i64 =
        sqlx::query_scalar("select count(*) from audit_record where outcome = 'done' and action not like 'session.%'")
            .fetch_one(&world.admin)
            .await
            .unwrap();
    assert_eq!(changes, changes_before);
}
