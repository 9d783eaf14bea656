//! Problems on the wire (RFC 9457): one shape, with a stable code from the contract's list.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::code::Code;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::call::RequestId;
use crate::error::{Error, FieldProblem};
use crate::gate::ProposalNotice;

/// What a client reads when a request was not done.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `about:blank#` and the code.
    pub r#type: String,
    /// The status in words.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// The one thing to switch on.
    pub code: Code,
    /// What happened and what to do, for people.
    pub detail: String,
    /// Refused fields.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fields: Vec<FieldProblem>,
    /// Names the request in the server's logs.
    pub request_id: String,
    /// What to confirm, with code `confirmation_required`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalNotice>,
}

/// A problem on its way out; the outermost layer adds the request id and writes it.
#[derive(Debug, Clone)]
struct Draft {
    status: StatusCode,
    code: Code,
    detail: String,
    fields: Vec<FieldProblem>,
    proposal: Option<ProposalNotice>,
    retry_after: Option<u64>,
}

impl Draft {
    fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), fields: Vec::new(), proposal: None, retry_after: None }
    }
}

impl From<Error> for Draft {
    fn from(error: Error) -> Self {
        let code = error.code();
        match error.settled() {
            Error::Unauthenticated => Self::new(StatusCode::UNAUTHORIZED, code, "Sign in first."),
            Error::NotFound => Self::new(StatusCode::NOT_FOUND, code, "There is nothing here that you may see."),
            Error::Denied(Code::SignInFirst) => Self::new(StatusCode::UNAUTHORIZED, code, denied(code)),
            Error::Denied(_) => Self::new(StatusCode::FORBIDDEN, code, denied(code)),
            Error::ConfirmationRequired(notice) => {
                let mut draft =
                    Self::new(StatusCode::FORBIDDEN, code, "Confirm with your passkey that you want exactly this.");
                draft.proposal = Some(*notice);
                draft
            }
            Error::Malformed { status, detail, fields, .. } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
                Self { fields, ..Self::new(status, code, detail) }
            }
            Error::Invalid(fields) => {
                let detail = fields.first().map_or_else(String::new, |field| field.message.clone());
                Self { fields, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail) }
            }
            Error::Conflict { detail, .. } => Self::new(StatusCode::CONFLICT, code, detail),
            Error::Stale => Self::new(
                StatusCode::PRECONDITION_FAILED,
                code,
                "Somebody changed this meanwhile. Load it again and repeat your change.",
            ),
            Error::Gone { detail, .. } => Self::new(StatusCode::GONE, code, detail),
            Error::Limited(after) => Self {
                retry_after: Some(after.as_secs().max(1)),
                ..Self::new(StatusCode::TOO_MANY_REQUESTS, code, "Too many tries. Wait a moment.")
            },
            Error::Unavailable(detail) => {
                Self { retry_after: Some(1), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable, detail) }
            }
            Error::Internal(error) => {
                tracing::error!(error = format!("{error:#}"), "a request failed by a fault of ours");
                Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    Code::Internal,
                    "Something went wrong on our side. The request id finds it in the server's logs.",
                )
            }
            // settled() leaves none.
            Error::Database(error) => {
                tracing::error!(error = %error, "a request failed at the database");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Internal, "Something went wrong on our side.")
            }
        }
    }
}

/// What to do about a denial, in words; the console has its own for each code, in the reader's language.
fn denied(code: Code) -> &'static str {
    match code {
        Code::InsufficientAccess => "Your access does not cover this. Ask an administrator of this place.",
        Code::Policy => "The policy of this place does not allow it.",
        Code::EmergencyStop => "An emergency stop is engaged here. It has to be released first.",
        Code::Terminating => "This is being deleted.",
        Code::ConfirmationInvalid => "The passkey's answer does not fit this proposal. Ask for a new challenge.",
        Code::PasskeyCounter => "This passkey answered with an old counter and may have been copied. Use another one.",
        Code::PasskeyUnknown => "No account here answers to this passkey.",
        Code::CeremonyInvalid => "The passkey's answer does not fit what was asked. Begin again.",
        Code::WrongAccount => "This invitation is for another address than the account that is signed in.",
        Code::SignInFirst => "This address has an account. Sign in to it first.",
        Code::OwnerRow => "The owner's access cannot be changed here. Transfer the sandbox instead.",
        Code::Outranked => "This person's role is above yours.",
        Code::LastOwner => "An organisation keeps at least one owner.",
        _ => "This is not allowed.",
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let draft = Draft::from(self);
        let mut response = draft.status.into_response();
        response.extensions_mut().insert(draft);
        response
    }
}

/// The outermost layer: whatever went wrong leaves as a problem with the request's id.
pub(super) async fn layer(request: Request, next: Next) -> Response {
    let id = RequestId::fresh();
    let mut request = request;
    request.extensions_mut().insert(id.clone());
    let is_api = request.uri().path().starts_with("/api/");
    let span = tracing::info_span!("request", id = %id.0, method = %request.method(), path = request.uri().path());
    let started = tokio::time::Instant::now();
    let response = tracing::Instrument::instrument(next.run(request), span.clone()).await;
    let _entered = span.enter();
    let status = response.status();
    metrics::histogram!("bailiwick_http_request_seconds", "status" => class(status))
        .record(started.elapsed().as_secs_f64());
    tracing::info!(status = status.as_u16(), milliseconds = started.elapsed().as_millis() as u64, "answered");
    let mut response = finish(response, &id, is_api);
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => "other",
    }
}

fn finish(mut response: Response, id: &RequestId, is_api: bool) -> Response {
    let draft = match response.extensions_mut().remove::<Draft>() {
        Some(draft) => draft,
        None if is_api && response.status().is_client_error() | response.status().is_server_error() => {
            plain(response.status())
        }
        None => return response,
    };
    let problem = Problem {
        r#type: format!("about:blank#{}", draft.code),
        title: draft.status.canonical_reason().unwrap_or("Error").to_owned(),
        status: draft.status.as_u16(),
        code: draft.code,
        detail: draft.detail,
        fields: draft.fields,
        request_id: id.0.to_string(),
        proposal: draft.proposal,
    };
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let (mut parts, _) = response.into_parts();
    parts.status = draft.status;
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = draft.retry_after {
        parts.headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    Response::from_parts(parts, Body::from(body))
}

/// A refusal of a library's layer, which knows only a status.
fn plain(status: StatusCode) -> Draft {
    let (code, detail) = match status {
        StatusCode::NOT_FOUND => (Code::NotFound, "There is nothing at this address."),
        StatusCode::METHOD_NOT_ALLOWED => (Code::NotFound, "This address does not answer to this method."),
        StatusCode::PAYLOAD_TOO_LARGE => (Code::TooLarge, "The request's body is too large: at most 1 MiB."),
        StatusCode::FORBIDDEN => (Code::CrossSite, "The request came from another site."),
        StatusCode::REQUEST_TIMEOUT => (Code::Unavailable, "The request took too long."),
        StatusCode::SERVICE_UNAVAILABLE => (Code::Busy, "The server is busy. Try again in a moment."),
        status if status.is_server_error() => (Code::Internal, "Something went wrong on our side."),
        _ => (Code::InvalidField, "The request cannot be understood."),
    };
    let retry_after = (status == StatusCode::SERVICE_UNAVAILABLE).then_some(1);
    Draft { retry_after, ..Draft::new(status, code, detail) }
}
