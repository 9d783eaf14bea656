//! People in tests: an account, a session and a passkey on a device of their own.

use std::collections::HashMap;
use std::sync::Mutex;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use axum::response::Response;
use contract::id::{AccountId, OrganisationId, PasskeyId, SignInId};
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_sessions::SessionStore;
use tower_sessions::session::Record;
use uuid::Uuid;

use super::{ORIGIN, World};
use crate::crypto::soft_authenticator::SoftAuthenticator;
use crate::gate::session_store::{COOKIE, PgSessionStore};
use crate::gate::{Clock, fresh};

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: StatusCode,
    /// Body, null where there is none.
    pub json: Value,
    /// Headers.
    pub headers: HeaderMap,
}

impl Reply {
    /// The problem's code.
    pub fn code(&self) -> &str {
        self.json["code"].as_str().unwrap_or_default()
    }
}

/// Somebody who uses the API.
pub struct Persona {
    /// Their account; nil for a stranger.
    pub account: AccountId,
    /// Their address.
    pub email: String,
    /// Their sign-in.
    pub sign_in: SignInId,
    device: Mutex<SoftAuthenticator>,
    cookie: Option<String>,
    router: Router,
}

impl Persona {
    pub(super) fn visitor(world: &World) -> Self {
        Self {
            account: AccountId::from_uuid(Uuid::nil()),
            email: String::new(),
            sign_in: fresh(),
            device: Mutex::new(SoftAuthenticator::new(ORIGIN)),
            cookie: None,
            router: world.router.clone(),
        }
    }

    pub(super) async fn sign_up(world: &World, email: &str, operator: bool) -> Self {
        let account: AccountId = fresh();
        let now = world.clock.now();
        let name = email.split('@').next().unwrap();
        sqlx::query(
            "insert into account (id, email, email_typed, name, operator, created_at) values ($1, $2, $2, $3, $4, $5)",
        )
        .bind(account.uuid())
        .bind(email)
        .bind(name)
        .bind(operator)
        .bind(now)
        .execute(&world.admin)
        .await
        .unwrap();
        let mut device = SoftAuthenticator::new(ORIGIN);
        let passkeys = &world.app.passkeys;
        let (options, state) = passkeys.start_registration(account.uuid(), email, name, &[]).unwrap();
        let credential = passkeys.finish_registration(&device.register(&options), &state).unwrap();
        let passkey: PasskeyId = fresh();
        sqlx::query("insert into passkey (id, account_id, credential_id, credential, name, created_at) values ($1, $2, $3, $4, 'Passkey', $5)")
            .bind(passkey.uuid())
            .bind(account.uuid())
            .bind(credential.id())
            .bind(serde_json::to_value(&credential).unwrap())
            .bind(now)
            .execute(&world.admin)
            .await
            .unwrap();
        let mut persona = Self { account, email: email.to_owned(), device: Mutex::new(device), ..Self::visitor(world) };
        persona.sign_in_again(world).await;
        persona
    }

    /// Gives the person another sign-in and session.
    pub async fn sign_in_again(&mut self, world: &World) {
        let now = world.clock.now();
        self.sign_in = fresh();
        sqlx::query(
            "insert into sign_in (id, account_id, method, created_at, seen_at, idle_expires_at, expires_at)
             values ($1, $2, 'passkey', $3, $3, $3 + interval '12 hours', $3 + interval '7 days')",
        )
        .bind(self.sign_in.uuid())
        .bind(self.account.uuid())
        .bind(now)
        .execute(&world.admin)
        .await
        .unwrap();
        let mut record = Record {
            id: tower_sessions::session::Id::default(),
            data: HashMap::from_iter([
                ("signIn".to_owned(), json!(self.sign_in)),
                ("account".to_owned(), json!(self.account)),
            ]),
            expiry_date: time::OffsetDateTime::now_utc() + time::Duration::days(7),
        };
        PgSessionStore::new(world.admin.clone()).create(&mut record).await.unwrap();
        self.cookie = Some(format!("{COOKIE}={}", record.id));
    }

    /// Sends a request and leaves the answer's body open, for event streams; the path is below `/api/v1`.
    pub async fn open(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Option<Vec<u8>>) -> Response {
        let mut request =
            Request::builder().method(method).uri(format!("/api/v1{path}")).header(header::HOST, "localhost:8443");
        if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.map_or_else(Body::empty, Body::from)).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a request; the path is below `/api/v1`.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Option<Vec<u8>>) -> Reply {
        let response = self.open(method, path, headers, body).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 22).await.unwrap();
        let json = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap_or(Value::Null) };
        Reply { status, json, headers }
    }

    async fn with(&self, method: Method, path: &str, body: Value) -> Reply {
        self.send(method, path, &[], Some(serde_json::to_vec(&body).unwrap())).await
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, &[], None).await
    }

    /// POST with a body.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.with(Method::POST, path, body).await
    }

    /// PUT with a body.
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.with(Method::PUT, path, body).await
    }

    /// PATCH with a body.
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.with(Method::PATCH, path, body).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, &[], None).await
    }

    /// Answers `confirmation_required` with the person's passkey.
    pub async fn confirm(&self, reply: &Reply) -> Reply {
        assert_eq!(reply.code(), "confirmation_required", "{reply:?}");
        let proposal = &reply.json["proposal"];
        let organisation: OrganisationId = serde_json::from_value(proposal["organisationId"].clone()).unwrap();
        self.approve(organisation, proposal["proposalId"].as_str().unwrap()).await
    }

    /// Confirms a proposal with the person's passkey.
    pub async fn approve(&self, organisation: OrganisationId, proposal: &str) -> Reply {
        let challenge = self
            .send(Method::POST, &format!("/organisations/{organisation}/proposals/{proposal}/challenge"), &[], None)
            .await;
        if challenge.status != StatusCode::OK {
            return challenge;
        }
        let answer = self.assert(&challenge.json["publicKey"]);
        self.answer(organisation, proposal, answer).await
    }

    /// Sends an answer to a proposal.
    pub async fn answer(&self, organisation: OrganisationId, proposal: &str, credential: Value) -> Reply {
        self.post(
            &format!("/organisations/{organisation}/proposals/{proposal}/confirm"),
            json!({ "credential": credential }),
        )
        .await
    }

    /// What the person's device answers to request options.
    pub fn assert(&self, options: &Value) -> Value {
        self.device.lock().unwrap().assert(options)
    }
}
