use axum::http::{Method, StatusCode, header};
use chrono::TimeDelta;
use contract::access::OrganisationRole;
use contract::id::{OrganisationId, SandboxId};
use serde_json::{Value, json};

use crate::crypto::soft_authenticator::SoftAuthenticator;
use crate::testing::{ORIGIN, Persona, Reply, World};

#[track_caller]
fn refused(reply: &Reply, status: StatusCode, code: &str) {
    assert_eq!((reply.status, reply.code()), (status, code), "{reply:?}");
}

#[track_caller]
fn token(reply: &Reply) -> String {
    let link = reply.json["link"].as_str().unwrap_or_else(|| panic!("{reply:?}"));
    link.strip_prefix(&format!("{ORIGIN}/invitation#")).unwrap().to_owned()
}

/// An organisation with a sandbox, both owned by `owner`.
struct Place {
    world: World,
    owner: Persona,
    org: OrganisationId,
    sbx: SandboxId,
}

impl Place {
    async fn new() -> Self {
        let world = World::new().await;
        let owner = world.person("owner@example.org").await;
        let org = world.organisation(&owner, "Acme").await;
        let sbx = world.sandbox(org, &owner, "Lab").await;
        Self { world, owner, org, sbx }
    }

    fn organisation_path(&self) -> String {
        format!("/organisations/{}/invitations", self.org)
    }

    fn sandbox_path(&self) -> String {
        format!("/organisations/{}/sandboxes/{}/invitations", self.org, self.sbx)
    }

    async fn invite(&self, body: Value) -> Reply {
        self.owner.post(&self.organisation_path(), body).await
    }

    async fn invite_to_sandbox(&self, body: Value) -> Reply {
        self.owner.post(&self.sandbox_path(), body).await
    }

    async fn area(&self, name: &str) {
        sqlx::query(
            "insert into area (org_id, sandbox_id, id, name, created_at) values ($1, $2, gen_random_uuid(), $3, now())",
        )
        .bind(self.org.uuid())
        .bind(self.sbx.uuid())
        .bind(name)
        .execute(&self.world.admin)
        .await
        .unwrap();
    }

    async fn role_of(&self, person: &Persona) -> Option<String> {
        sqlx::query_scalar("select role from organisation_member where org_id = $1 and account_id = $2")
            .bind(self.org.uuid())
            .bind(person.account.uuid())
            .fetch_optional(&self.world.admin)
            .await
            .unwrap()
    }

    async fn tier_of(&self, person: &Persona) -> Option<String> {
        sqlx::query_scalar("select role from sandbox_member where sandbox_id = $1 and account_id = $2")
            .bind(self.sbx.uuid())
            .bind(person.account.uuid())
            .fetch_optional(&self.world.admin)
            .await
            .unwrap()
    }
}

async fn answer(person: &Persona, verb: &str, token: &str) -> Reply {
    person.post(&format!("/invitations/{verb}"), json!({ "token": token })).await
}

/// Begins and finishes the registration of a new person.
async fn join(visitor: &Persona, token: &str, name: &str) -> Reply {
    let begun = visitor.post("/invitations/begin", json!({"token": token, "name": name})).await;
    if begun.status != StatusCode::OK {
        return begun;
    }
    let credential = SoftAuthenticator::new(ORIGIN).register(&begun.json["publicKey"]);
    let body = json!({"token": token, "ceremonyId": begun.json["ceremonyId"], "credential": credential});
    visitor.post("/invitations/accept", body).await
}

#[tokio::test]
async fn a_new_person_gets_account_passkey_session_and_role_at_once() {
    let place = Place::new().await;
    let invited = place.invite(json!({"email": "New@Example.org", "role": "auditor"})).await;
    assert_eq!(invited.status, StatusCode::CREATED, "{invited:?}");
    let token = token(&invited);
    let visitor = place.world.stranger();
    let shown = answer(&visitor, "show", &token).await;
    assert_eq!(shown.json["organisationName"], "Acme");
    assert_eq!(shown.json["email"], "new@example.org");
    assert_eq!(shown.json["role"], "auditor");
    assert_eq!(shown.json["accountExists"], false);
    refused(&answer(&visitor, "accept", &token).await, StatusCode::UNAUTHORIZED, "unauthenticated");

    let joined = join(&visitor, &token, "Nowa Osoba").await;
    assert_eq!(joined.status, StatusCode::OK, "{joined:?}");
    assert_eq!(joined.json["account"]["name"], "Nowa Osoba");
    assert_eq!(joined.json["account"]["operator"], false);
    assert_eq!(joined.json["organisations"][0]["role"], "auditor");
    let cookie = joined.headers[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    let read = visitor.send(Method::GET, "/self", &[("cookie", &cookie)], None).await;
    assert_eq!(read.json["account"], joined.json["account"]);
    refused(&answer(&visitor, "show", &token).await, StatusCode::GONE, "token_used");
    refused(&join(&visitor, &token, "Again").await, StatusCode::GONE, "token_used");
    assert_eq!(place.world.records("invitation.accept", "done").await, 1);
}

#[tokio::test]
async fn a_signed_in_person_accepts_a_sandbox_with_the_whole_grant_and_belongs_to_its_organisation() {
    let place = Place::new().await;
    place.area("north").await;
    let bea = place.world.person("bea@example.org").await;
    let offer = json!({"email": "bea@example.org", "role": "writer", "areas": ["north"], "edit": ["north"], "agents": "run", "emailSignIn": true});
    let invited = place.invite_to_sandbox(offer).await;
    let token = token(&invited);
    assert_eq!(invited.json["invitation"]["edit"], json!(["north"]));
    assert_eq!(invited.json["invitation"]["emailSignIn"], true);
    let shown = answer(&bea, "show", &token).await;
    assert_eq!((&shown.json["sandboxName"], &shown.json["areas"]), (&json!("Lab"), &json!(["north"])));
    assert_eq!(shown.json["accountExists"], true);

    let accepted = answer(&bea, "accept", &token).await;
    assert_eq!(accepted.status, StatusCode::OK, "{accepted:?}");
    assert!(accepted.headers.contains_key("audit-receipt"));
    assert_eq!(accepted.json["sandboxes"][0]["role"], "writer");
    assert_eq!(place.role_of(&bea).await.as_deref(), Some("member"));
    let row: (Vec<String>, String, Value, bool) =
        sqlx::query_as("select areas, agents, edit, email_sign_in from sandbox_member where account_id = $1")
            .bind(bea.account.uuid())
            .fetch_one(&place.world.admin)
            .await
            .unwrap();
    assert_eq!(row, (vec!["north".to_owned()], "run".to_owned(), json!(["north"]), true));
    refused(&answer(&bea, "accept", &token).await, StatusCode::GONE, "token_used");
}

#[tokio::test]
async fn only_the_invited_person_accepts() {
    let place = Place::new().await;
    let bea = place.world.person("bea@example.org").await;
    let eve = place.world.person("eve@example.org").await;
    let token = token(&place.invite(json!({"email": "bea@example.org", "role": "member"})).await);
    refused(&answer(&eve, "accept", &token).await, StatusCode::FORBIDDEN, "wrong_account");
    let visitor = place.world.stranger();
    let first = answer(&visitor, "accept", &token).await;
    refused(&first, StatusCode::UNAUTHORIZED, "sign_in_first");
    refused(&join(&visitor, &token, "Bea").await, StatusCode::UNAUTHORIZED, "sign_in_first");
    assert_eq!(place.role_of(&eve).await, None);
    assert_eq!(place.role_of(&bea).await, None);
    assert_eq!(place.world.records("invitation.accept", "denied").await, 2);
    assert_eq!(answer(&bea, "accept", &token).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_registration_begun_for_another_invitation_or_address_is_refused() {
    let place = Place::new().await;
    let visitor = place.world.stranger();
    let low = token(&place.invite(json!({"email": "low@example.org", "role": "member"})).await);
    let high = token(&place.invite(json!({"email": "high@example.org", "role": "auditor"})).await);
    let begun = visitor.post("/invitations/begin", json!({"token": low, "name": "Low"})).await;
    let credential = SoftAuthenticator::new(ORIGIN).register(&begun.json["publicKey"]);
    let crossed = json!({"token": high, "ceremonyId": begun.json["ceremonyId"], "credential": credential});
    refused(&visitor.post("/invitations/accept", crossed).await, StatusCode::FORBIDDEN, "ceremony_invalid");
    let half = json!({"token": low, "ceremonyId": begun.json["ceremonyId"]});
    refused(&visitor.post("/invitations/accept", half).await, StatusCode::UNPROCESSABLE_ENTITY, "required");
}

#[tokio::test]
async fn a_newer_invitation_replaces_the_open_one() {
    let place = Place::new().await;
    let bea = place.world.person("bea@example.org").await;
    let old = token(&place.invite(json!({"email": "bea@example.org", "role": "member"})).await);
    let new = token(&place.invite(json!({"email": "BEA@example.org", "role": "auditor"})).await);
    let listed = place.owner.get(&place.organisation_path()).await;
    assert_eq!(listed.json["items"].as_array().unwrap().len(), 1, "{listed:?}");
    assert_eq!(listed.json["items"][0]["role"], "auditor");
    assert_eq!(listed.json["items"][0]["invitedBy"]["name"], "owner");
    assert_eq!(listed.json["items"][0]["allowed"]["invitation.revoke"]["verdict"], "allow");
    refused(&answer(&bea, "accept", &old).await, StatusCode::GONE, "token_invalid");
    assert_eq!(answer(&bea, "accept", &new).await.status, StatusCode::OK);
    assert_eq!(place.role_of(&bea).await.as_deref(), Some("auditor"));
    let again = place.invite(json!({"email": "bea@example.org", "role": "member"})).await;
    refused(&again, StatusCode::CONFLICT, "already_member");
}

#[tokio::test]
async fn an_invitation_ends_by_time_by_declining_and_by_being_taken_back() {
    let place = Place::new().await;
    let bea = place.world.person("bea@example.org").await;
    let visitor = place.world.stranger();

    let declined = token(&place.invite(json!({"email": "bea@example.org", "role": "member"})).await);
    assert_eq!(answer(&visitor, "decline", &declined).await.status, StatusCode::NO_CONTENT);
    refused(&answer(&bea, "accept", &declined).await, StatusCode::GONE, "token_used");
    refused(&answer(&visitor, "decline", &declined).await, StatusCode::GONE, "token_used");

    let invited = place.invite(json!({"email": "bea@example.org", "role": "member"})).await;
    let path = format!("{}/{}", place.organisation_path(), invited.json["invitation"]["id"].as_str().unwrap());
    let stale = place.owner.send(Method::DELETE, &path, &[("if-match", "\"7\"")], None).await;
    refused(&stale, StatusCode::PRECONDITION_FAILED, "stale_revision");
    assert_eq!(place.owner.delete(&path).await.status, StatusCode::NO_CONTENT);
    refused(&place.owner.delete(&path).await, StatusCode::CONFLICT, "conflict");
    refused(&answer(&bea, "accept", &token(&invited)).await, StatusCode::GONE, "token_invalid");

    let late = token(&place.invite(json!({"email": "bea@example.org", "role": "member"})).await);
    place.world.clock.advance(TimeDelta::days(7));
    refused(&answer(&visitor, "show", &late).await, StatusCode::GONE, "token_expired");
    refused(&answer(&visitor, "decline", &late).await, StatusCode::GONE, "token_expired");
    assert_eq!(place.role_of(&bea).await, None);
    assert_eq!(place.world.records("invitation.decline", "done").await, 1);
    assert_eq!(place.world.records("invitation.revoke", "done").await, 1);
}

#[tokio::test]
async fn a_token_is_kept_as_a_keyed_hash_and_no_other_opens_anything() {
    let place = Place::new().await;
    let token = token(&place.invite(json!({"email": "bea@example.org", "role": "member"})).await);
    let text: String = sqlx::query_scalar("select string_agg(i::text, '') from invitation i")
        .fetch_one(&place.world.admin)
        .await
        .unwrap();
    assert!(!text.contains(&token));
    let records: String = sqlx::query_scalar("select coalesce(string_agg(r::text, ''), '') from audit_record r")
        .fetch_one(&place.world.admin)
        .await
        .unwrap();
    assert!(!records.contains("bea@example.org"), "an address is in records as ciphertext only");

    let visitor = place.world.stranger();
    let mut guess = token.clone();
    let last = if guess.ends_with('A') { 'E' } else { 'A' };
    guess.pop();
    guess.push(last);
    let elsewhere = super::rules::Token::new(place.org, Some(place.sbx), [1; 32]).text;
    let nowhere = super::rules::Token::new(OrganisationId::from_uuid(uuid::Uuid::nil()), None, [1; 32]).text;
    for guess in ["", "AAAA", &guess, &token[4..], &elsewhere, &nowhere] {
        refused(&answer(&visitor, "show", guess).await, StatusCode::GONE, "token_invalid");
        refused(&answer(&visitor, "accept", guess).await, StatusCode::GONE, "token_invalid");
    }
    // The right secret under another scope does not open the invitation either.
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, &token).unwrap();
    let secret: [u8; 32] = bytes[32..].try_into().unwrap();
    let moved = super::rules::Token::new(place.org, Some(place.sbx), secret).text;
    refused(&answer(&visitor, "show", &moved).await, StatusCode::GONE, "token_invalid");
}

#[tokio::test]
async fn only_who_administers_invites_lists_and_takes_back() {
    let place = Place::new().await;
    let world = &place.world;
    let member = world.person("member@example.org").await;
    world.belongs(place.org, member.account, OrganisationRole::Member).await;
    world.granted(place.org, place.sbx, member.account, "writer").await;
    let auditor = world.person("auditor@example.org").await;
    world.belongs(place.org, auditor.account, OrganisationRole::Auditor).await;
    let foreigner = world.person("foreigner@example.org").await;
    world.organisation(&foreigner, "Other").await;
    let visitor = world.stranger();
    let invited = place.invite_to_sandbox(json!({"email": "x@example.org", "role": "viewer"})).await;
    let one = format!("{}/{}", place.sandbox_path(), invited.json["invitation"]["id"].as_str().unwrap());

    for path in [place.organisation_path(), place.sandbox_path()] {
        let role = if path.contains("sandboxes") { "viewer" } else { "member" };
        let body = json!({"email": "y@example.org", "role": role});
        for (person, status) in [
            (&member, StatusCode::FORBIDDEN),
            (&auditor, StatusCode::FORBIDDEN),
            (&foreigner, StatusCode::NOT_FOUND),
            (&visitor, StatusCode::UNAUTHORIZED),
        ] {
            assert_eq!(person.post(&path, body.clone()).await.status, status, "{} {path}", person.email);
        }
        for (person, status) in [
            (&member, StatusCode::FORBIDDEN),
            (&auditor, StatusCode::OK),
            (&foreigner, StatusCode::NOT_FOUND),
            (&visitor, StatusCode::UNAUTHORIZED),
        ] {
            assert_eq!(person.get(&path).await.status, status, "{} {path}", person.email);
        }
    }
    for (person, status) in [
        (&member, StatusCode::FORBIDDEN),
        (&auditor, StatusCode::FORBIDDEN),
        (&foreigner, StatusCode::NOT_FOUND),
        (&visitor, StatusCode::UNAUTHORIZED),
    ] {
        assert_eq!(person.delete(&one).await.status, status, "{}", person.email);
    }
    let organisation = format!("{}/{}", place.organisation_path(), invited.json["invitation"]["id"].as_str().unwrap());
    refused(&place.owner.delete(&organisation).await, StatusCode::NOT_FOUND, "not_found");
    assert_eq!(place.owner.get(&place.sandbox_path()).await.json["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn power_is_offered_only_by_who_has_it_and_with_a_passkey() {
    let place = Place::new().await;
    let world = &place.world;
    let admin = world.person("admin@example.org").await;
    world.belongs(place.org, admin.account, OrganisationRole::Admin).await;
    let path = place.organisation_path();
    let outranked = admin.post(&path, json!({"email": "x@example.org", "role": "owner"})).await;
    refused(&outranked, StatusCode::FORBIDDEN, "outranked");

    let asked = place.invite(json!({"email": "bea@example.org", "role": "owner"})).await;
    refused(&asked, StatusCode::FORBIDDEN, "confirmation_required");
    let listed = place.owner.get(&path).await;
    assert_eq!(listed.json["items"], json!([]), "nothing happens before the confirmation");
    let stored: String =
        sqlx::query_scalar("select operation::text from proposal").fetch_one(&world.admin).await.unwrap();
    let confirmed = place.owner.confirm(&asked).await;
    assert_eq!(confirmed.json["invitation"]["role"], "owner", "{confirmed:?}");
    assert_eq!(confirmed.json.get("sealedToken"), None);
    let token = token(&confirmed);
    assert!(!stored.contains(&token), "a stored proposal holds the token as ciphertext only");
    let bea = world.person("bea@example.org").await;
    assert_eq!(answer(&bea, "accept", &token).await.status, StatusCode::OK);
    assert_eq!(place.role_of(&bea).await.as_deref(), Some("owner"));

    let asked = admin.post(&path, json!({"email": "c@example.org", "role": "admin"})).await;
    refused(&asked, StatusCode::FORBIDDEN, "confirmation_required");
    let asked = place.invite_to_sandbox(json!({"email": "c@example.org", "role": "maintainer"})).await;
    refused(&asked, StatusCode::FORBIDDEN, "confirmation_required");
}

#[tokio::test]
async fn a_grant_that_makes_no_sense_cannot_be_attached() {
    let place = Place::new().await;
    place.area("north").await;
    for (body, code) in [
        (json!({"email": "x@example.org", "role": "guest"}), "access_refused"),
        (json!({"email": "x@example.org", "role": "viewer", "agents": "run"}), "role_mismatch"),
        (json!({"email": "x@example.org", "role": "writer", "edit": []}), "access_refused"),
        (json!({"email": "x@example.org", "role": "writer", "areas": ["north"], "edit": ["south"]}), "access_refused"),
        (json!({"email": "x@example.org", "role": "guest", "areas": ["south"]}), "areas_unknown"),
        (json!({"email": "no address", "role": "viewer"}), "invalid_text"),
    ] {
        let reply = place.invite_to_sandbox(body.clone()).await;
        refused(&reply, StatusCode::UNPROCESSABLE_ENTITY, code);
    }
    let reach = json!({"email": "x@example.org", "role": "viewer", "credentials": "all"});
    assert_eq!(place.invite_to_sandbox(reach).await.code(), "unknown_field");
    assert_eq!(place.owner.get(&place.sandbox_path()).await.json["items"], json!([]));
}

#[tokio::test]
async fn an_area_that_was_deleted_meanwhile_stops_the_acceptance() {
    let place = Place::new().await;
    place.area("north").await;
    let bea = place.world.person("bea@example.org").await;
    let invited =
        place.invite_to_sandbox(json!({"email": "bea@example.org", "role": "guest", "areas": ["north"]})).await;
    let token = token(&invited);
    sqlx::query("delete from area").execute(&place.world.admin).await.unwrap();
    refused(&answer(&bea, "accept", &token).await, StatusCode::CONFLICT, "areas_unknown");
    assert_eq!((place.role_of(&bea).await, place.tier_of(&bea).await), (None, None));
    place.area("north").await;
    assert_eq!(answer(&bea, "accept", &token).await.status, StatusCode::OK);
    assert_eq!(place.tier_of(&bea).await.as_deref(), Some("guest"));
}

#[tokio::test]
async fn a_scope_that_is_stopped_or_ending_takes_nobody_in() {
    let place = Place::new().await;
    let bea = place.world.person("bea@example.org").await;
    let token = token(&place.invite_to_sandbox(json!({"email": "bea@example.org", "role": "viewer"})).await);
    let engage = format!("/organisations/{}/sandboxes/{}/emergency/engage", place.org, place.sbx);
    assert_eq!(place.owner.post(&engage, json!({"reason": "drill"})).await.status, StatusCode::OK);
    refused(&answer(&bea, "accept", &token).await, StatusCode::FORBIDDEN, "emergency_stop");
    let reply = place.invite_to_sandbox(json!({"email": "c@example.org", "role": "viewer"})).await;
    refused(&reply, StatusCode::FORBIDDEN, "emergency_stop");
    sqlx::query("delete from emergency").execute(&place.world.admin).await.unwrap();

    for table in ["sandbox", "organisation"] {
        let statement = format!("update {table} set status = 'terminating'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&place.world.admin).await.unwrap();
        refused(&answer(&bea, "accept", &token).await, StatusCode::FORBIDDEN, "terminating");
        let reply = place.invite_to_sandbox(json!({"email": "c@example.org", "role": "viewer"})).await;
        refused(&reply, StatusCode::FORBIDDEN, "terminating");
    }
    assert_eq!((place.role_of(&bea).await, place.tier_of(&bea).await), (None, None));
}

#[tokio::test]
async fn who_came_in_meanwhile_is_raised_and_never_lowered() {
    let place = Place::new().await;
    let world = &place.world;
    let bea = world.person("bea@example.org").await;
    let auditor = token(&place.invite(json!({"email": "bea@example.org", "role": "auditor"})).await);
    let viewer = token(&place.invite_to_sandbox(json!({"email": "bea@example.org", "role": "viewer"})).await);
    assert_eq!(answer(&bea, "accept", &viewer).await.status, StatusCode::OK);
    assert_eq!(place.role_of(&bea).await.as_deref(), Some("member"));
    assert_eq!(answer(&bea, "accept", &auditor).await.status, StatusCode::OK);
    assert_eq!(place.role_of(&bea).await.as_deref(), Some("auditor"));

    let cleo = world.person("cleo@example.org").await;
    let lower = token(&place.invite(json!({"email": "cleo@example.org", "role": "member"})).await);
    let tier = token(&place.invite_to_sandbox(json!({"email": "cleo@example.org", "role": "viewer"})).await);
    world.belongs(place.org, cleo.account, OrganisationRole::Admin).await;
    world.granted(place.org, place.sbx, cleo.account, "writer").await;
    assert_eq!(answer(&cleo, "accept", &lower).await.status, StatusCode::OK);
    assert_eq!(answer(&cleo, "accept", &tier).await.status, StatusCode::OK);
    assert_eq!(place.role_of(&cleo).await.as_deref(), Some("admin"));
    assert_eq!(place.tier_of(&cleo).await.as_deref(), Some("writer"));
}

#[tokio::test]
async fn whoever_goes_takes_their_open_invitations_along() {
    let place = Place::new().await;
    let world = &place.world;
    let bea = world.person("bea@example.org").await;
    let cleo = world.person("cleo@example.org").await;
    let into = token(&place.invite_to_sandbox(json!({"email": "bea@example.org", "role": "viewer"})).await);
    let back = token(&place.invite(json!({"email": "bea@example.org", "role": "auditor"})).await);
    world.belongs(place.org, bea.account, OrganisationRole::Admin).await;
    let row = world.granted(place.org, place.sbx, bea.account, "viewer").await;
    let sent = bea.post(&place.organisation_path(), json!({"email": "cleo@example.org", "role": "member"})).await;
    let sent = token(&sent);

    let member = contract::id::MemberId::from_uuid(row);
    let path = format!("/organisations/{}/sandboxes/{}/members/{member}", place.org, place.sbx);
    let removed = place.owner.confirm(&place.owner.delete(&path).await).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT, "{removed:?}");
    refused(&answer(&bea, "accept", &into).await, StatusCode::GONE, "token_invalid");
    assert_eq!(answer(&bea, "show", &back).await.status, StatusCode::OK, "only the sandbox's ends with its row");

    let left = bea.delete(&format!("/organisations/{}/members/self", place.org)).await;
    assert_eq!(left.status, StatusCode::NO_CONTENT, "{left:?}");
    refused(&answer(&bea, "accept", &back).await, StatusCode::GONE, "token_invalid");
    refused(&answer(&cleo, "accept", &sent).await, StatusCode::GONE, "token_invalid");
}

#[tokio::test]
async fn lists_go_on_where_the_page_ended() {
    let place = Place::new().await;
    for name in ["a", "b", "c"] {
        place.invite(json!({"email": format!("{name}@example.org"), "role": "member"})).await;
    }
    let path = place.organisation_path();
    let first = place.owner.get(&format!("{path}?limit=2")).await;
    assert_eq!(first.json["items"].as_array().unwrap().len(), 2);
    let cursor = first.json["nextCursor"].as_str().unwrap();
    let second = place.owner.get(&format!("{path}?limit=2&cursor={cursor}")).await;
    assert_eq!(second.json["items"][0]["email"], "c@example.org");
    assert_eq!(second.json.get("nextCursor"), None);
    let sandbox = place.owner.get(&place.sandbox_path()).await;
    assert_eq!(sandbox.json["items"], json!([]), "an organisation's invitations are not a sandbox's");
}

#[tokio::test]
async fn guessing_links_is_limited() {
    let place = Place::new().await;
    let visitor = place.world.stranger();
    let guess = super::rules::Token::new(place.org, None, [1; 32]).text;
    let mut limited = false;
    for _ in 0..25 {
        limited |= answer(&visitor, "show", &guess).await.status == StatusCode::TOO_MANY_REQUESTS;
    }
    assert!(limited);
}
