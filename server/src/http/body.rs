//! Strict extractors: what they refuse is a problem with a code and the field's name.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header;
use axum::http::request::Parts;
use contract::code::Code;
use serde::de::DeserializeOwned;

use super::call::BODY_LIMIT;
use crate::error::{Error, FieldProblem};

/// Deepest nesting of a body.
const MAX_DEPTH: usize = 16;

/// A JSON body: UTF-8, at most 1 MiB and 16 levels deep, without unknown fields.
#[derive(Debug, Clone)]
pub struct Json<T>(pub T);

/// Typed segments of the path. One that cannot be an id names nothing: not found.
#[derive(Debug, Clone)]
pub struct Path<T>(pub T);

/// Typed query parameters, without unknown ones.
#[derive(Debug, Clone)]
pub struct Query<T>(pub T);

fn malformed(status: StatusCode, code: Code, detail: impl Into<String>) -> Error {
    Error::Malformed { status: status.as_u16(), code, detail: detail.into(), fields: Vec::new() }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self, Error> {
        let kind =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return Err(malformed(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Code::InvalidJson,
                "Send JSON with Content-Type: application/json.",
            ));
        }
        let bytes = axum::body::to_bytes(request.into_body(), BODY_LIMIT).await.map_err(|_| {
            malformed(StatusCode::PAYLOAD_TOO_LARGE, Code::TooLarge, "The request's body is too large: at most 1 MiB.")
        })?;
        read(&bytes).map(Self)
    }
}

/// Reads a body.
///
/// # Errors
/// 400 where it is not JSON or too deep, 422 at the field where it does not fit the type.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| malformed(StatusCode::BAD_REQUEST, Code::InvalidJson, "The body is not UTF-8."))?;
    if depth(text) > MAX_DEPTH {
        return Err(malformed(
            StatusCode::BAD_REQUEST,
            Code::TooDeep,
            format!("The body is nested deeper than {MAX_DEPTH} levels."),
        ));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| refused(&error))?;
    reader
        .end()
        .map_err(|_| malformed(StatusCode::BAD_REQUEST, Code::InvalidJson, "Something follows the JSON value."))?;
    Ok(value)
}

fn refused(error: &serde_path_to_error::Error<serde_json::Error>) -> Error {
    let inner = error.inner();
    if inner.is_syntax() || inner.is_eof() {
        return malformed(StatusCode::BAD_REQUEST, Code::InvalidJson, format!("The body is not JSON: {inner}."));
    }
    let text = inner.to_string();
    // serde's messages are the only place that says which kind it was; a test pins them.
    let (code, named) = if let Some(rest) = text.strip_prefix("unknown field `") {
        (Code::UnknownField, rest.split('`').next())
    } else if let Some(rest) = text.strip_prefix("missing field `") {
        (Code::Required, rest.split('`').next())
    } else {
        (Code::InvalidField, None)
    };
    let mut pointer: String = error
        .path()
        .iter()
        .map(|segment| format!("/{}", segment.to_string().trim_matches(['[', ']'])))
        .collect::<String>()
        .replace("/?", "");
    if let Some(field) = named {
        // At an unknown field the path ends with the field itself; at a missing one with what should have it.
        if pointer.rsplit('/').next() != Some(field) {
            pointer = format!("{pointer}/{field}");
        }
    }
    let message = text.split(" at line ").next().unwrap_or_default().to_owned();
    Error::Invalid(vec![FieldProblem { pointer, code, message }])
}

/// Nesting of a JSON text, counted outside strings.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(_) => Err(Error::NotFound),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(rejection) => {
                let detail = rejection.body_text();
                let code = if detail.contains("unknown field") { Code::UnknownField } else { Code::InvalidField };
                Err(malformed(StatusCode::BAD_REQUEST, code, detail))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only the reading is tested")]
    struct Body {
        name: String,
        inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the reading is tested")]
    struct Inner {
        areas: Vec<String>,
    }

    fn field(text: &str) -> (String, Code) {
        match read::<Body>(text.as_bytes()) {
            Err(Error::Invalid(fields)) => (fields[0].pointer.clone(), fields[0].code),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_refusal_names_the_field() {
        assert_eq!(field(r#"{"name":"a","nmae":1}"#), ("/nmae".into(), Code::UnknownField));
        assert_eq!(field(r#"{}"#), ("/name".into(), Code::Required));
        assert_eq!(field(r#"{"name":7}"#), ("/name".into(), Code::InvalidField));
        assert_eq!(field(r#"{"name":"a","inner":{"areas":["x",3]}}"#), ("/inner/areas/1".into(), Code::InvalidField));
        assert_eq!(field(r#"{"name":"a","inner":{}}"#), ("/inner/areas".into(), Code::Required));
        assert_eq!(field(r#"{"name":"a","inner":{"areas":[],"x":1}}"#), ("/inner/x".into(), Code::UnknownField));
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        let code = |bytes: &[u8]| read::<Body>(bytes).map(drop).unwrap_err().code();
        assert_eq!(code(b"{"), Code::InvalidJson);
        assert_eq!(code(b"{\"name\":\"\xff\"}"), Code::InvalidJson);
        assert_eq!(code(br#"{"name":"a"} x"#), Code::InvalidJson);
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(code(deep.as_bytes()), Code::TooDeep);
        assert_eq!(depth(r#"{"a":"[[[[\"[["}"#), 1);
    }
}
