//! The circumstances of a request, as the gate wants them.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::code::Code;
use sha2::{Digest, Sha256};
use tower_sessions::Session;

use super::address::ClientAddress;
use crate::app::App;
use crate::error::Error;
use crate::gate::{Call, Caller, Idempotency, Lang, session_store};

/// Largest body that is read, in bytes.
pub(super) const BODY_LIMIT: usize = 1 << 20;
/// Longest `Idempotency-Key`.
const KEY_LIMIT: usize = 200;

/// Names a request in logs, problems and records. Always ours.
#[derive(Debug, Clone)]
pub(super) struct RequestId(pub(super) Arc<str>);

impl RequestId {
    #[expect(clippy::disallowed_methods, reason = "a request's id is made at the edge")]
    pub(super) fn fresh() -> Self {
        Self(format!("req_{}", uuid::Uuid::now_v7().simple()).into())
    }
}

impl FromRequestParts<App> for Call {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Error> {
        let claim = match parts.extensions.get::<Session>() {
            Some(session) => session_store::claim(session).await.map_err(unreachable_sessions)?,
            None => None,
        };
        Ok(Self {
            caller: claim.map_or(Caller::Visitor, Caller::Person),
            request: parts.extensions.get::<RequestId>().map(|id| Arc::clone(&id.0)),
            address: parts.extensions.get::<ClientAddress>().map(ClientAddress::to_string),
            lang: language(&parts.headers),
            idempotency: parts.extensions.get::<Idempotency>().cloned(),
            if_match: if_match(&parts.headers)?,
        })
    }
}

fn unreachable_sessions(error: tower_sessions::session::Error) -> Error {
    tracing::error!(error = %error, "sessions cannot be read");
    Error::Unavailable("The database cannot be reached at the moment. Nothing was changed; try again.".into())
}

/// Polish where the reader's list puts it before English.
fn language(headers: &HeaderMap) -> Lang {
    let list = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    for entry in list.split(',') {
        let tag = entry.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if tag == "pl" || tag.starts_with("pl-") {
            return Lang::Pl;
        }
        if tag == "en" || tag.starts_with("en-") {
            return Lang::En;
        }
    }
    Lang::En
}

/// `If-Match: "7"` names revision 7.
fn if_match(headers: &HeaderMap) -> Result<Option<i64>, Error> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    let number = value.to_str().ok().and_then(|text| text.trim().trim_matches('"').parse::<i64>().ok());
    number.map(Some).ok_or_else(|| Error::Malformed {
        status: 400,
        code: Code::InvalidField,
        detail: "If-Match names a revision, such as \"3\".".into(),
        fields: Vec::new(),
    })
}

/// Reads the body of a request with an `Idempotency-Key` once, so that the key can be bound to it.
pub(super) async fn idempotency(State(_): State<App>, request: Request, next: Next) -> Response {
    let Some(key) = request.headers().get("idempotency-key") else {
        return next.run(request).await;
    };
    if key.is_empty() || key.len() > KEY_LIMIT {
        return Error::Malformed {
            status: 400,
            code: Code::InvalidField,
            detail: format!("An Idempotency-Key has 1 to {KEY_LIMIT} characters."),
            fields: Vec::new(),
        }
        .into_response();
    }
    let key_hash: [u8; 32] = Sha256::digest(key.as_bytes()).into();
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, BODY_LIMIT).await else {
        return Error::Malformed {
            status: 413,
            code: Code::TooLarge,
            detail: "The request's body is too large: at most 1 MiB.".into(),
            fields: Vec::new(),
        }
        .into_response();
    };
    let request_digest = Sha256::new()
        .chain_update(parts.method.as_str())
        .chain_update([0])
        .chain_update(parts.uri.path())
        .chain_update([0])
        .chain_update(&bytes)
        .finalize()
        .into();
    parts.extensions.insert(Idempotency { key_hash, request_digest });
    next.run(Request::from_parts(parts, bytes.into())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn the_first_language_that_we_speak_wins() {
        let of = |list: &str| language(&headers(header::ACCEPT_LANGUAGE, list));
        assert_eq!(of("pl-PL,pl;q=0.9,en;q=0.8"), Lang::Pl);
        assert_eq!(of("de, en-GB, pl"), Lang::En);
        assert_eq!(of("fr"), Lang::En);
    }

    #[test]
    fn a_revision_is_a_number() {
        assert_eq!(if_match(&headers(header::IF_MATCH, "\"12\"")).unwrap(), Some(12));
        assert!(if_match(&headers(header::IF_MATCH, "*")).is_err());
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), None);
    }
}
