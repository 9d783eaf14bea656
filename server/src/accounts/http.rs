//! Routes of signing in and out, and of the first owner. The session cookie changes here and nowhere else.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::SET_COOKIE;
use axum::middleware::Next;
use axum::response::Response;
use chrono::{DateTime, Utc};
use contract::id::SignInId;
use contract::text;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_sessions::Session;
use utoipa::ToSchema;
use uuid::Uuid;

use super::first_owner::{self, BeginFirstOwner, ClaimFirstOwner, ShowFirstOwner};
use super::limits::CredentialLimits;
use super::operations::{EndSession, ReadSelf, SelfView, TouchSession};
use super::sign_in::{BeginSession, CreateSession};
use super::{Enrolment, Lifetime, Registration, SignedIn};
use crate::crypto::passkey::Claim as PasskeyClaim;
use crate::error::Error;
use crate::gate::{Call, Caller, Claim, Performed, Result, fresh, session_store};
use crate::http::{Api, App, Json, Problem};

/// The slice's routes.
pub fn routes() -> Api {
    Api::new()
        .routes(utoipa_axum::routes!(session_read))
        .routes(utoipa_axum::routes!(sign_in_begin))
        .routes(utoipa_axum::routes!(sign_in_finish))
        .routes(utoipa_axum::routes!(sign_out))
        .routes(utoipa_axum::routes!(first_owner_show))
        .routes(utoipa_axum::routes!(first_owner_begin))
        .routes(utoipa_axum::routes!(first_owner_finish))
}

/// No field: the answer depends on nothing but who asks.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Nothing {}

/// The first half of a passkey prompt.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ceremony {
    /// Names the ceremony in the second half. Good for five minutes and for one use.
    pub ceremony_id: Uuid,
    /// Options for `navigator.credentials`, in WebAuthn's JSON form.
    #[schema(value_type = Object)]
    pub public_key: Value,
}

/// The second half of a passkey prompt.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = FinishCeremony)]
pub struct Answered {
    /// From the first half.
    pub ceremony_id: Uuid,
    /// What `navigator.credentials` answered, in WebAuthn's JSON form.
    #[schema(value_type = Object)]
    pub credential: Value,
}

/// A link's token.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Token {
    /// What the link carries behind the `#`.
    #[schema(max_length = 256)]
    pub token: String,
}

/// What a first owner's link is good for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FirstOwnerLink {
    /// It works until then.
    pub expires_at: DateTime<Utc>,
}

/// Who becomes the first owner.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewFirstOwner)]
pub struct FirstOwner {
    /// What the link carries behind the `#`.
    #[schema(max_length = 256)]
    pub token: String,
    /// E-mail address.
    #[schema(max_length = 254)]
    pub email: String,
    /// Display name.
    #[schema(max_length = 100)]
    pub name: String,
}

/// Who is signed in, and where they belong.
#[utoipa::path(get, path = "/self", operation_id = "session_read", tag = "accounts",
    responses((status = 200, body = SelfView), (status = "4XX", body = Problem)))]
async fn session_read(State(app): State<App>, call: Call) -> Result<Response> {
    Ok(app.gate.perform(call, ReadSelf {}).await?.ok())
}

/// Begins a sign-in with a passkey.
#[utoipa::path(post, path = "/sign-in/begin", operation_id = "sign_in_begin", tag = "accounts", request_body = Nothing,
    responses((status = 200, body = Ceremony), (status = "4XX", body = Problem)))]
async fn sign_in_begin(State(app): State<App>, call: Call, Json(Nothing {}): Json<Nothing>) -> Result<Response> {
    app.recent.limits.check(call.address.as_deref(), None)?;
    let (public_key, state) = app.passkeys.start_sign_in().map_err(Error::internal)?;
    let ceremony_id = crate::gate::fresh_uuid();
    let begun = app.gate.perform(visitor(&call), BeginSession { ceremony: ceremony_id, state }).await?;
    Ok(begun.map(|()| Ceremony { ceremony_id, public_key }).ok())
}

/// Ends a sign-in with a passkey: the session is the person's from now on, under a new id.
#[utoipa::path(post, path = "/sign-in/finish", operation_id = "sign_in_finish", tag = "accounts", request_body = Answered,
    responses((status = 200, body = SelfView), (status = "4XX", body = Problem)))]
async fn sign_in_finish(
    State(app): State<App>,
    session: Session,
    call: Call,
    Json(body): Json<Answered>,
) -> Result<Response> {
    let claimed = PasskeyClaim::of(&body.credential).ok();
    app.recent.limits.check(call.address.as_deref(), claimed.as_ref().map(|claim| claim.credential_id.as_slice()))?;
    let operation = CreateSession {
        passkeys: app.passkeys.as_ref().clone(),
        ceremony: body.ceremony_id,
        credential: body.credential,
        sign_in: fresh(),
        lifetime: lifetime(&app),
    };
    let performed = app.gate.perform(visitor(&call), operation).await?;
    let signed_in = performed.output;
    answer_self(&app, &session, &call, performed, signed_in).await
}

/// Ends the sign-in everywhere it is open.
#[utoipa::path(post, path = "/sign-out", operation_id = "sign_out", tag = "accounts",
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn sign_out(State(app): State<App>, session: Session, call: Call) -> Result<Response> {
    let Caller::Person(claim) = &call.caller else {
        return Err(Error::Unauthenticated);
    };
    let operation = EndSession { sign_in: claim.sign_in() };
    let ended = app.gate.perform(call, operation).await;
    // A sign-in that had ended by itself leaves a session behind all the same.
    if matches!(ended, Ok(_) | Err(Error::Unauthenticated)) {
        session.flush().await.map_err(Error::internal)?;
    }
    let mut response = ended?.empty();
    response.headers_mut().append(SET_COOKIE, HeaderValue::from_static(session_store::REMOVAL));
    Ok(response)
}

/// Looks at a first owner's link.
#[utoipa::path(post, path = "/first-owner/show", operation_id = "first_owner_show", tag = "accounts", request_body = Token,
    responses((status = 200, body = FirstOwnerLink), (status = "4XX", body = Problem)))]
async fn first_owner_show(State(app): State<App>, call: Call, Json(body): Json<Token>) -> Result<Response> {
    let token_hash = first_owner::key(&app).hash(&body.token);
    app.recent.limits.check(call.address.as_deref(), Some(&token_hash))?;
    let shown = app.gate.perform(visitor(&call), ShowFirstOwner { token_hash }).await?;
    Ok(shown.map(|expires_at| FirstOwnerLink { expires_at }).ok())
}

/// Begins the registration of the first owner's passkey.
#[utoipa::path(post, path = "/first-owner/begin", operation_id = "first_owner_begin", tag = "accounts", request_body = FirstOwner,
    responses((status = 200, body = Ceremony), (status = "4XX", body = Problem)))]
async fn first_owner_begin(State(app): State<App>, call: Call, Json(body): Json<FirstOwner>) -> Result<Response> {
    let token_hash = first_owner::key(&app).hash(&body.token);
    app.recent.limits.check(call.address.as_deref(), Some(&token_hash))?;
    let email = text::email(&body.email).map_err(|error| Error::text("/email", error))?;
    let name = text::name(&body.name).map_err(|error| Error::text("/name", error))?;
    app.gate.perform(visitor(&call), ShowFirstOwner { token_hash: token_hash.clone() }).await?;
    let ceremony = crate::gate::fresh_uuid();
    let (public_key, state) =
        app.passkeys.start_registration(ceremony, &email.typed, &name, &[]).map_err(Error::internal)?;
    let registration = Registration { token_hash, email, name, state };
    let begun = app.gate.perform(visitor(&call), BeginFirstOwner { ceremony, registration }).await?;
    Ok(begun.map(|()| Ceremony { ceremony_id: ceremony, public_key }).ok())
}

/// Makes the first owner and signs them in.
#[utoipa::path(post, path = "/first-owner/finish", operation_id = "first_owner_finish", tag = "accounts", request_body = Answered,
    responses((status = 200, body = SelfView), (status = "4XX", body = Problem)))]
async fn first_owner_finish(
    State(app): State<App>,
    session: Session,
    call: Call,
    Json(body): Json<Answered>,
) -> Result<Response> {
    app.recent.limits.check(call.address.as_deref(), Some(body.ceremony_id.as_bytes()))?;
    let operation = ClaimFirstOwner { enrolment: enrolment(&app, body) };
    let performed = app.gate.perform(visitor(&call), operation).await?;
    first_owner::forget_link(&app.config);
    let signed_in = performed.output;
    answer_self(&app, &session, &call, performed, signed_in).await
}

/// The second half of a registration with fresh ids.
pub(crate) fn enrolment(app: &App, body: Answered) -> Enrolment {
    Enrolment {
        passkeys: app.passkeys.as_ref().clone(),
        ceremony: body.ceremony_id,
        credential: body.credential,
        passkey: fresh(),
        sign_in: fresh(),
        lifetime: lifetime(app),
    }
}

/// Opens the session on a sign-in that has just begun and answers who that is, with the receipt of what was done.
pub(crate) async fn answer_self<T>(
    app: &App,
    session: &Session,
    call: &Call,
    done: Performed<T>,
    signed_in: SignedIn,
) -> Result<Response> {
    let SignedIn { account, sign_in, expires_at } = signed_in;
    session_store::open(session, account, sign_in, expires_at).await.map_err(Error::internal)?;
    let caller = Caller::Person(Claim::of_session(account, sign_in));
    let call = Call { caller, idempotency: None, if_match: None, ..call.clone() };
    let myself = app.gate.perform(call, ReadSelf {}).await?.output;
    Ok(done.map(|_| myself).ok())
}

/// The same request from nobody in particular: what it brings has to prove who it is, whoever is signed in already.
pub(crate) fn visitor(call: &Call) -> Call {
    Call { caller: Caller::Visitor, idempotency: None, ..call.clone() }
}

pub(crate) fn lifetime(app: &App) -> Lifetime {
    let session = app.config.session;
    Lifetime { idle_seconds: session.idle.as_secs(), absolute_seconds: session.absolute.as_secs() }
}

/// What this process remembers of recent tries and uses.
#[derive(Default)]
pub struct Recent {
    /// Tries at credentials.
    pub limits: CredentialLimits,
    /// Uses of sign-ins.
    pub touched: Touched,
}

/// When each sign-in was last noted by this process, so that most requests cost nothing.
#[derive(Default)]
pub struct Touched {
    noted: Mutex<HashMap<SignInId, Instant>>,
}

const NOTE_EVERY: Duration = Duration::from_secs(60);
/// Beyond this, entries that have served their minute are dropped.
const REMEMBERED: usize = 10_000;

impl Touched {
    fn is_due(&self, sign_in: SignInId) -> bool {
        let now = Instant::now();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() > REMEMBERED {
            noted.retain(|_, at| now.duration_since(*at) < NOTE_EVERY);
        }
        match noted.get(&sign_in) {
            Some(at) if now.duration_since(*at) < NOTE_EVERY => false,
            _ => {
                noted.insert(sign_in, now);
                true
            }
        }
    }
}

#[cfg(test)]
impl Touched {
    /// As if a minute had passed.
    pub(crate) fn forget(&self) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Middleware: after a signed-in person's request, notes that their sign-in is in use.
pub(crate) async fn touch(State(app): State<App>, session: Session, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if !response.status().is_success() {
        return response;
    }
    if let Ok(Some(claim)) = session_store::claim(&session).await
        && app.recent.touched.is_due(claim.sign_in())
    {
        let call = Call { caller: Caller::Person(claim), ..Call::job("touch") };
        if let Err(error) = app.gate.perform(call, TouchSession { lifetime: lifetime(&app) }).await {
            tracing::debug!(error = %error, "a use of a sign-in was not noted");
        }
    }
    response
}
