use axum::http::{Method, StatusCode, header};
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::issue_first_owner;
use crate::crypto::soft_authenticator::SoftAuthenticator;
use crate::testing::{ORIGIN, Persona, Reply, World};

/// A browser: keeps its session cookie over requests.
struct Browser {
    visitor: Persona,
    cookie: String,
}

impl Browser {
    fn new(world: &World) -> Self {
        Self { visitor: world.stranger(), cookie: "unrelated=1".to_owned() }
    }

    async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> Reply {
        let body = body.map(|body| body.to_string().into_bytes());
        let reply = self.visitor.send(method, path, &[("cookie", &self.cookie)], body).await;
        if let Some(set) = reply.headers.get(header::SET_COOKIE) {
            self.cookie = set.to_str().unwrap().split(';').next().unwrap().to_owned();
        }
        reply
    }

    async fn post(&mut self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some(body)).await
    }

    async fn get(&mut self, path: &str) -> Reply {
        self.send(Method::GET, path, None).await
    }

    /// Signs in with whatever answers the challenge.
    async fn sign_in(&mut self, answer: impl FnOnce(&Value) -> Value) -> Reply {
        let begun = self.post("/sign-in/begin", json!({})).await;
        assert_eq!(begun.status, StatusCode::OK, "{begun:?}");
        let credential = answer(&begun.json["publicKey"]);
        self.post("/sign-in/finish", json!({"ceremonyId": begun.json["ceremonyId"], "credential": credential})).await
    }
}

#[track_caller]
fn refused(reply: &Reply, status: StatusCode, code: &str) {
    assert_eq!((reply.status, reply.code()), (status, code), "{reply:?}");
}

async fn refusals(world: &World, reason: &str) -> i64 {
    sqlx::query_scalar("select count(*) from audit_record where action = 'session.create' and reason = $1")
        .bind(reason)
        .fetch_one(&world.admin)
        .await
        .unwrap()
}

async fn link(world: &World, always: bool) -> Option<String> {
    let link = issue_first_owner(&world.app, always).await.unwrap()?;
    Some(link.strip_prefix(&format!("{ORIGIN}/first-owner#")).unwrap().to_owned())
}

#[tokio::test]
async fn the_first_owner_comes_in_by_the_link_and_operates_the_installation() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new().await;
    let token = link(&world, false).await.unwrap();
    let file = world.data_directory().join("first-owner-link");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), format!("{ORIGIN}/first-owner#{token}"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let mut browser = Browser::new(&world);
    assert_eq!(browser.post("/first-owner/show", json!({"token": token})).await.status, StatusCode::OK);
    let who = json!({"token": token, "email": " Ada@Example.ORG ", "name": "Ada Łącka"});
    let begun = browser.post("/first-owner/begin", who).await;
    assert_eq!(begun.status, StatusCode::OK, "{begun:?}");
    let mut device = SoftAuthenticator::new(ORIGIN);
    let answer =
        json!({"ceremonyId": begun.json["ceremonyId"], "credential": device.register(&begun.json["publicKey"])});
    let claimed = browser.post("/first-owner/finish", answer.clone()).await;
    assert_eq!(claimed.status, StatusCode::OK, "{claimed:?}");
    assert!(claimed.headers.contains_key("audit-receipt"));
    assert_eq!(claimed.json["account"]["email"], "ada@example.org");
    assert_eq!(claimed.json["account"]["operator"], true);
    assert_eq!(claimed.json["allowed"]["organisation.create"]["verdict"], "allow");
    assert_eq!(browser.get("/self").await.json["account"], claimed.json["account"]);
    assert!(!file.exists(), "a used link does not stay in a file");

    refused(&browser.post("/first-owner/show", json!({"token": token})).await, StatusCode::GONE, "token_used");
    refused(&browser.post("/first-owner/finish", answer).await, StatusCode::GONE, "ceremony_expired");
    assert_eq!(link(&world, false).await, None, "no link is made once somebody has an account");
    assert_eq!(world.records("first_owner.claim", "done").await, 1);
    assert_eq!(world.records("first_owner.issue", "done").await, 1);

    let mut elsewhere = Browser::new(&world);
    assert_eq!(elsewhere.sign_in(|options| device.assert(options)).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_first_owners_link_ends_by_time_by_a_newer_one_and_is_never_guessed() {
    let world = World::new().await;
    let mut browser = Browser::new(&world);
    let first = link(&world, false).await.unwrap();
    let second = link(&world, false).await.unwrap();
    refused(&browser.post("/first-owner/show", json!({"token": first})).await, StatusCode::GONE, "token_expired");
    for guess in ["", "AAAA", &second[1..]] {
        refused(&browser.post("/first-owner/show", json!({"token": guess})).await, StatusCode::GONE, "token_invalid");
    }
    let who = json!({"token": second, "email": "ada@example.org", "name": "Ada"});
    let begun = browser.post("/first-owner/begin", who.clone()).await;
    world.clock.advance(TimeDelta::hours(24));
    refused(&browser.post("/first-owner/begin", who).await, StatusCode::GONE, "token_expired");
    let credential = SoftAuthenticator::new(ORIGIN).register(&begun.json["publicKey"]);
    let answer = json!({"ceremonyId": begun.json["ceremonyId"], "credential": credential});
    refused(&browser.post("/first-owner/finish", answer).await, StatusCode::GONE, "ceremony_expired");
    let stored: i64 = sqlx::query_scalar("select count(*) from first_owner_link where position($1 in token_hash) > 0")
        .bind(second.as_bytes())
        .fetch_one(&world.admin)
        .await
        .unwrap();
    assert_eq!(stored, 0);
}

#[tokio::test]
async fn a_link_that_ended_after_the_prompt_began_makes_nobody_an_owner() {
    let world = World::new().await;
    let mut browser = Browser::new(&world);
    let token = link(&world, false).await.unwrap();
    let begun = browser.post("/first-owner/begin", json!({"token": token, "email": "a@b.example", "name": "A"})).await;
    let credential = SoftAuthenticator::new(ORIGIN).register(&begun.json["publicKey"]);
    link(&world, true).await.unwrap();
    let answer = json!({"ceremonyId": begun.json["ceremonyId"], "credential": credential});
    refused(&browser.post("/first-owner/finish", answer).await, StatusCode::GONE, "token_expired");
    let accounts: i64 = sqlx::query_scalar("select count(*) from account").fetch_one(&world.admin).await.unwrap();
    assert_eq!(accounts, 0);
}

#[tokio::test]
async fn signing_in_changes_the_session_and_signing_out_ends_it_for_good() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let mut browser = Browser::new(&world);
    browser.cookie = "__Host-bailiwick=AAAAAAAAAAAAAAAAAAAAAA".to_owned();
    let signed_in = browser.sign_in(|options| ada.assert(options)).await;
    assert_eq!(signed_in.status, StatusCode::OK, "{signed_in:?}");
    assert_eq!(signed_in.json["signIn"]["method"], "passkey");
    let set = signed_in.headers.get(header::SET_COOKIE).unwrap().to_str().unwrap();
    assert!(set.starts_with("__Host-bailiwick=") && !set.contains("AAAAAAAAAAAAAAAAAAAAAA"), "{set}");
    for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"] {
        assert!(set.contains(attribute), "{set}");
    }
    let first = browser.cookie.clone();
    assert_eq!(browser.sign_in(|options| ada.assert(options)).await.status, StatusCode::OK);
    assert_ne!(browser.cookie, first, "every sign-in has a session id of its own");
    let second = browser.cookie.clone();
    browser.cookie = first;
    refused(&browser.get("/self").await, StatusCode::UNAUTHORIZED, "unauthenticated");

    let bea = world.person("bea@example.org").await;
    let mut shared = Browser { visitor: world.stranger(), cookie: second.clone() };
    let other = shared.sign_in(|options| bea.assert(options)).await;
    assert_eq!(other.json["account"]["email"], "bea@example.org", "{other:?}");
    browser.sign_in(|options| ada.assert(options)).await;
    let second = browser.cookie.clone();

    browser.cookie = second.clone();
    let gone = browser.send(Method::POST, "/sign-out", None).await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT, "{gone:?}");
    let removals: Vec<_> =
        gone.headers.get_all(header::SET_COOKIE).iter().map(|value| value.to_str().unwrap()).collect();
    assert!(removals.iter().any(|set| set.contains("Max-Age=0") && set.contains("Secure")), "{removals:?}");
    browser.cookie = second;
    refused(&browser.get("/self").await, StatusCode::UNAUTHORIZED, "unauthenticated");
    assert_eq!(world.records("session.end", "done").await, 1);
    let (ended, told): (i64, i64) = sqlx::query_as(
        "select count(*) filter (where s.ended_reason = 'signed_out' and s.ended_at is not null), count(r.id)
         from sign_in s left join revocation r on r.sign_in_id = s.id",
    )
    .fetch_one(&world.admin)
    .await
    .unwrap();
    assert_eq!((ended, told), (1, 1), "the sign-in itself ends, and open streams are told");
    assert_eq!(world.records("session.create", "done").await, 4);
    assert_eq!(ada.get("/self").await.status, StatusCode::OK, "other sign-ins go on");
}

#[tokio::test]
async fn an_ended_sign_in_opens_nothing_even_with_its_session() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    sqlx::query("update sign_in set ended_at = now() where id = $1")
        .bind(ada.sign_in.uuid())
        .execute(&world.admin)
        .await
        .unwrap();
    refused(&ada.get("/self").await, StatusCode::UNAUTHORIZED, "unauthenticated");
    refused(&ada.send(Method::POST, "/sign-out", &[], None).await, StatusCode::UNAUTHORIZED, "unauthenticated");
    let sessions: i64 = sqlx::query_scalar("select count(*) from session").fetch_one(&world.admin).await.unwrap();
    assert_eq!(sessions, 0, "its session is cleared away");
}

#[tokio::test]
async fn every_refused_sign_in_is_on_record_and_tells_nobody_which_passkeys_exist() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let mut browser = Browser::new(&world);

    let mut stranger = SoftAuthenticator::new(ORIGIN);
    let (options, _) =
        world.app.passkeys.start_registration(crate::gate::fresh_uuid(), "x@y.example", "X", &[]).unwrap();
    stranger.register(&options);
    let unknown = browser.sign_in(|options| stranger.assert(options)).await;
    refused(&unknown, StatusCode::FORBIDDEN, "passkey_unknown");

    let forged = browser
        .sign_in(|options| {
            let mut answer = ada.assert(options);
            answer["response"]["signature"] = stranger.assert(options)["response"]["signature"].clone();
            answer
        })
        .await;
    refused(&forged, StatusCode::FORBIDDEN, "passkey_unknown");
    assert_eq!(forged.json["detail"], unknown.json["detail"]);

    let begun = browser.post("/sign-in/begin", json!({})).await;
    let other = browser.post("/sign-in/begin", json!({})).await;
    let crossed = json!({"ceremonyId": begun.json["ceremonyId"], "credential": ada.assert(&other.json["publicKey"])});
    refused(&browser.post("/sign-in/finish", crossed).await, StatusCode::FORBIDDEN, "passkey_unknown");
    assert_eq!(refusals(&world, "passkey_unknown").await, 3);

    let garbage = browser.sign_in(|_| json!({"id": "x"})).await;
    refused(&garbage, StatusCode::FORBIDDEN, "ceremony_invalid");
    assert_eq!(refusals(&world, "ceremony_invalid").await, 1);
    refused(&browser.get("/self").await, StatusCode::UNAUTHORIZED, "unauthenticated");
}

#[tokio::test]
async fn a_ceremony_is_good_for_five_minutes_and_for_one_use() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let mut browser = Browser::new(&world);
    let begun = browser.post("/sign-in/begin", json!({})).await;
    let answer = json!({"ceremonyId": begun.json["ceremonyId"], "credential": ada.assert(&begun.json["publicKey"])});
    assert_eq!(browser.post("/sign-in/finish", answer.clone()).await.status, StatusCode::OK);
    refused(&browser.post("/sign-in/finish", answer).await, StatusCode::GONE, "ceremony_expired");

    let begun = browser.post("/sign-in/begin", json!({})).await;
    world.clock.advance(TimeDelta::minutes(5));
    let answer = json!({"ceremonyId": begun.json["ceremonyId"], "credential": ada.assert(&begun.json["publicKey"])});
    refused(&browser.post("/sign-in/finish", answer).await, StatusCode::GONE, "ceremony_expired");
    assert_eq!(refusals(&world, "ceremony_expired").await, 2);
    browser.post("/sign-in/begin", json!({})).await;
    let kept: i64 = sqlx::query_scalar("select count(*) from ceremony").fetch_one(&world.admin).await.unwrap();
    assert_eq!(kept, 1, "what was never finished is cleared away");
}

#[tokio::test]
async fn a_passkey_whose_counter_goes_back_is_refused_by_name() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let mut browser = Browser::new(&world);
    assert_eq!(browser.sign_in(|options| ada.assert(options)).await.status, StatusCode::OK);
    sqlx::query("update passkey set credential = jsonb_set(credential, '{cred,counter}', '1000')")
        .execute(&world.admin)
        .await
        .unwrap();
    let copied = browser.sign_in(|options| ada.assert(options)).await;
    refused(&copied, StatusCode::FORBIDDEN, "passkey_counter");
    assert_eq!(refusals(&world, "passkey_counter").await, 1);
}

#[tokio::test]
async fn a_used_counter_is_kept() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let mut browser = Browser::new(&world);
    for expected in 1..=2 {
        assert_eq!(browser.sign_in(|options| ada.assert(options)).await.status, StatusCode::OK);
        let (counter, used): (i32, bool) =
            sqlx::query_as("select (credential #>> '{cred,counter}')::int, last_used_at is not null from passkey")
                .fetch_one(&world.admin)
                .await
                .unwrap();
        assert_eq!((counter, used), (expected, true));
    }
}

#[tokio::test]
async fn a_sign_in_ends_when_idle_and_in_any_case_and_use_puts_only_the_first_off() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    for _ in 0..13 {
        // The throttle in memory runs on the machine's clock: forgetting it stands for a minute that has passed.
        world.app.recent.touched.forget();
        assert_eq!(ada.get("/self").await.status, StatusCode::OK);
        world.clock.advance(TimeDelta::hours(11));
    }
    assert_eq!(ada.get("/self").await.status, StatusCode::OK);
    world.clock.advance(TimeDelta::days(2));
    refused(&ada.get("/self").await, StatusCode::UNAUTHORIZED, "unauthenticated");

    let bea = world.person("bea@example.org").await;
    assert_eq!(bea.get("/self").await.status, StatusCode::OK);
    world.clock.advance(TimeDelta::hours(12) + TimeDelta::minutes(1));
    refused(&bea.get("/self").await, StatusCode::UNAUTHORIZED, "unauthenticated");
}

#[tokio::test]
async fn a_use_is_noted_at_most_once_a_minute() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let seen = async || -> chrono::DateTime<chrono::Utc> {
        sqlx::query_scalar("select seen_at from sign_in").fetch_one(&world.admin).await.unwrap()
    };
    let before = seen().await;
    ada.get("/self").await;
    assert_eq!(seen().await, before, "it was just made");
    world.clock.advance(TimeDelta::seconds(61));
    ada.get("/self").await;
    assert_eq!(seen().await, before, "this process has noted it within the minute");
    world.app.recent.touched.forget();
    ada.get("/self").await;
    assert!(seen().await > before);
    assert_eq!(world.records("session.touch", "done").await, 0, "being there is not on record");
}

#[tokio::test]
async fn guessing_is_limited_and_says_when_to_come_back() {
    let world = World::new().await;
    let ada = world.person("ada@example.org").await;
    let mut browser = Browser::new(&world);
    let begun = browser.post("/sign-in/begin", json!({})).await;
    let wrong = json!({"ceremonyId": crate::gate::fresh_uuid(), "credential": ada.assert(&begun.json["publicKey"])});
    let mut last = None;
    for _ in 0..25 {
        let reply = browser.post("/sign-in/finish", wrong.clone()).await;
        if reply.status == StatusCode::TOO_MANY_REQUESTS {
            last = Some(reply);
            break;
        }
        refused(&reply, StatusCode::GONE, "ceremony_expired");
    }
    let limited = last.unwrap();
    assert_eq!(limited.code(), "rate_limited");
    let wait: u64 = limited.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=3).contains(&wait), "{wait}");
}

#[tokio::test]
async fn a_body_with_anything_else_in_it_is_refused() {
    let world = World::new().await;
    let mut browser = Browser::new(&world);
    for (path, body) in [
        ("/sign-in/begin", json!({"more": 1})),
        ("/sign-in/finish", json!({"ceremonyId": uuid::Uuid::nil(), "credential": {}, "more": 1})),
        ("/first-owner/show", json!({"token": "x", "more": 1})),
        ("/first-owner/begin", json!({"token": "x", "email": "a@b.example", "name": "A", "more": 1})),
    ] {
        assert_eq!(browser.post(path, body).await.code(), "unknown_field", "{path}");
    }
    let token = link(&world, false).await.unwrap();
    for (email, name, code) in [("no address", "A", "invalid_text"), ("a@b.example", " ", "required")] {
        let reply = browser.post("/first-owner/begin", json!({"token": token, "email": email, "name": name})).await;
        refused(&reply, StatusCode::UNPROCESSABLE_ENTITY, code);
    }
}
