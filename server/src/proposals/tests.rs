use axum::http::StatusCode;
use chrono::TimeDelta;
use contract::access::OrganisationRole;
use contract::id::OrganisationId;
use serde_json::{Value, json};

use crate::testing::{Persona, Reply, World};

struct Place {
    world: World,
    owner: Persona,
    second: Persona,
    org: OrganisationId,
}

async fn place() -> Place {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let second = world.person("second@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    world.belongs(org, second.account, OrganisationRole::Owner).await;
    Place { world, owner, second, org }
}

fn rules(requires: i32) -> Value {
    let mut rules: Vec<Value> = crate::gate::policy_document::PolicyDocument::built_in()
        .rules
        .into_iter()
        .map(|rule| serde_json::to_value(rule).unwrap())
        .collect();
    rules.push(json!({"action": "policy.update", "decision": "confirm", "requires": requires, "priority": 5}));
    json!({ "document": { "version": 1, "rules": rules } })
}

impl Place {
    fn path(&self, rest: &str) -> String {
        format!("/organisations/{}/{rest}", self.org)
    }

    async fn propose(&self, who: &Persona, requires: i32) -> Reply {
        who.put(&self.path("policy"), rules(requires)).await
    }

    async fn challenge(&self, who: &Persona, proposal: &str) -> Value {
        let reply = who.post(&self.path(&format!("proposals/{proposal}/challenge")), json!({})).await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        reply.json["publicKey"].clone()
    }
}

fn id(reply: &Reply) -> &str {
    assert_eq!(reply.code(), "confirmation_required", "{reply:?}");
    reply.json["proposal"]["proposalId"].as_str().unwrap()
}

#[tokio::test]
async fn a_confirmed_change_is_done_once_and_recorded_once() {
    let place = place().await;
    let asked = place.propose(&place.owner, 1).await;
    assert_eq!(asked.status, StatusCode::FORBIDDEN);
    let done = place.owner.confirm(&asked).await;
    assert_eq!((done.status, &done.json["version"]), (StatusCode::OK, &json!(1)), "{done:?}");
    assert!(done.headers.contains_key("audit-receipt"));
    let again = place.owner.approve(place.org, id(&asked)).await;
    assert_eq!((again.status, again.code()), (StatusCode::CONFLICT, "proposal_closed"));
    assert_eq!(place.world.records("policy.update", "done").await, 1);
}

#[tokio::test]
async fn a_replayed_altered_or_foreign_answer_proves_nothing() {
    let place = place().await;
    let (first, other) = (place.propose(&place.owner, 1).await, place.propose(&place.owner, 2).await);
    let foreign = place.owner.assert(&place.challenge(&place.owner, id(&other)).await);
    place.challenge(&place.owner, id(&first)).await;
    let refused = place.owner.answer(place.org, id(&first), foreign).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::FORBIDDEN, "confirmation_invalid"));

    let stale = place.owner.assert(&place.challenge(&place.owner, id(&first)).await);
    let fresh = place.challenge(&place.owner, id(&first)).await;
    assert_eq!(place.owner.answer(place.org, id(&first), stale).await.code(), "confirmation_invalid");

    let mut altered = place.owner.assert(&fresh);
    let signature = altered["response"]["signature"].as_str().unwrap().to_owned();
    // In the middle: the last character may be the one that would be put there, and often only pads.
    let other = if &signature[40..41] == "A" { "B" } else { "A" };
    altered["response"]["signature"] = json!(format!("{}{other}{}", &signature[..40], &signature[41..]));
    assert_eq!(place.owner.answer(place.org, id(&first), altered).await.code(), "confirmation_invalid");
    assert_eq!(place.owner.answer(place.org, id(&first), json!({"id": 7})).await.code(), "confirmation_invalid");
    // Somebody else's challenge is not mine.
    let theirs = place.second.assert(&place.challenge(&place.second, id(&first)).await);
    assert_eq!(place.owner.answer(place.org, id(&first), theirs).await.code(), "confirmation_invalid");
    assert_eq!(place.world.records("policy.update", "done").await, 0);
    assert_eq!(place.world.records("proposal.confirm", "denied").await, 5);
    assert_eq!(place.owner.get(&place.path("policy")).await.json["version"], 0);
}

#[tokio::test]
async fn two_different_people_are_needed_where_the_policy_says_so() {
    let place = place().await;
    place.owner.confirm(&place.propose(&place.owner, 2).await).await;

    let asked = place.propose(&place.owner, 1).await;
    let parked = place.owner.confirm(&asked).await;
    assert_eq!((parked.status, &parked.json["approvals"]), (StatusCode::ACCEPTED, &json!(1)), "{parked:?}");
    let twice = place.owner.approve(place.org, id(&asked)).await;
    assert_eq!((twice.status, &twice.json["approvals"]), (StatusCode::ACCEPTED, &json!(1)), "nobody approves twice");

    let waits = place.second.get(&place.path("waits")).await;
    assert_eq!(waits.json["items"][0]["mayApprove"], true, "{waits:?}");
    let member = place.world.person("member@example.org").await;
    place.world.belongs(place.org, member.account, OrganisationRole::Member).await;
    assert_eq!(member.get(&place.path("waits")).await.json["items"], json!([]));
    assert_eq!(member.approve(place.org, id(&asked)).await.status, StatusCode::FORBIDDEN);

    let done = place.second.approve(place.org, id(&asked)).await;
    assert_eq!((done.status, &done.json["version"]), (StatusCode::OK, &json!(2)), "{done:?}");
    let bytes: String = sqlx::query_scalar(
        "select convert_from(bytes, 'UTF8') from audit_record where action = 'policy.update' order by at desc limit 1",
    )
    .fetch_one(&place.world.admin)
    .await
    .unwrap();
    assert!(bytes.contains(&place.second.account.to_string()), "the approver is on record: {bytes}");
}

#[tokio::test]
async fn a_proposal_is_void_when_policy_access_or_target_changed() {
    let place = place().await;
    // The target's revision: another update came first.
    let late = place.propose(&place.owner, 1).await;
    place.second.confirm(&place.propose(&place.second, 1).await).await;
    let void = place.owner.approve(place.org, id(&late)).await;
    assert_eq!((void.status, void.code()), (StatusCode::CONFLICT, "proposal_void"), "{void:?}");
    assert_eq!(place.owner.approve(place.org, id(&late)).await.code(), "proposal_closed");
    assert_eq!(place.world.records("policy.update", "aborted").await, 1);
    // Access: the proposer has lost theirs, and the other's presence does not lend it.
    place.owner.confirm(&place.propose(&place.owner, 2).await).await;
    let asked = place.propose(&place.owner, 1).await;
    assert_eq!(place.owner.confirm(&asked).await.status, StatusCode::ACCEPTED);
    sqlx::query("update organisation_member set role = 'auditor' where account_id = $1")
        .bind(place.owner.account.uuid())
        .execute(&place.world.admin)
        .await
        .unwrap();
    assert_eq!(place.second.approve(place.org, id(&asked)).await.code(), "proposal_void");
}

#[tokio::test]
async fn a_rejected_or_expired_proposal_changes_nothing() {
    let place = place().await;
    let asked = place.propose(&place.owner, 1).await;
    let rejected = place.second.post(&place.path(&format!("proposals/{}/reject", id(&asked))), json!({})).await;
    assert_eq!((rejected.status, &rejected.json["state"]), (StatusCode::OK, &json!("rejected")), "{rejected:?}");

    let late = place.propose(&place.owner, 1).await;
    place.world.clock.advance(TimeDelta::minutes(11));
    assert_eq!(place.owner.approve(place.org, id(&late)).await.code(), "proposal_expired");
    place.world.app.gate.expire_proposals().await.unwrap();
    place.world.app.gate.expire_proposals().await.unwrap();
    let shown = place.owner.get(&place.path(&format!("proposals/{}", id(&late)))).await;
    assert_eq!((&shown.json["state"], &shown.json["reason"]), (&json!("expired"), &json!("expired")), "{shown:?}");
    assert_eq!(place.world.records("policy.update", "aborted").await, 2);
    assert_eq!(place.owner.get(&place.path("policy")).await.json["version"], 0);
}

#[tokio::test]
async fn a_stop_holds_the_clock_of_what_waits() {
    let place = place().await;
    let asked = place.propose(&place.owner, 1).await;
    let engaged = place.owner.post(&place.path("emergency/engage"), json!({"reason": "drill"})).await;
    assert_eq!(engaged.json["targets"][0]["kind"], "proposal", "{engaged:?}");
    assert_eq!(place.owner.approve(place.org, id(&asked)).await.code(), "emergency_stop");
    place.world.clock.advance(TimeDelta::hours(5));
    place.world.app.gate.expire_proposals().await.unwrap();
    place.owner.confirm(&place.owner.post(&place.path("emergency/reset"), json!({})).await).await;
    let done = place.owner.approve(place.org, id(&asked)).await;
    assert_eq!(done.status, StatusCode::OK, "{done:?}");
}

#[tokio::test]
async fn who_cannot_own_a_place_is_not_asked_to_approve_its_end() {
    let place = place().await;
    let admin = place.world.person("admin@example.org").await;
    place.world.belongs(place.org, admin.account, OrganisationRole::Admin).await;
    let sbx = place.world.sandbox(place.org, &place.owner, "Web").await;
    let asked = place.owner.delete(&place.path(&format!("sandboxes/{sbx}"))).await;
    let shown = admin.get(&place.path(&format!("proposals/{}", id(&asked)))).await;
    assert_eq!(shown.status, StatusCode::NOT_FOUND, "{shown:?}");
    let shown = place.second.get(&place.path(&format!("proposals/{}", id(&asked)))).await;
    assert_eq!(shown.json["mayApprove"], true, "{shown:?}");
}
