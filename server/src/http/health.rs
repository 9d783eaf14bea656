//! Whether the process lives, whether it can serve, and its figures.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::app::App;

/// The process answers.
pub(super) async fn livez() -> &'static str {
    "ok\n"
}

#[derive(Serialize)]
struct Ready {
    ready: bool,
    database: &'static str,
    key: &'static str,
    schema: i64,
    audit: &'static str,
}

/// The parts that serving needs, one by one; 503 while one is missing.
pub(super) async fn readyz(State(app): State<App>) -> Response {
    let database = app.gate.ping().await.is_ok();
    let audit = database && app.audit_writable().await;
    let word = |ok: bool| if ok { "ok" } else { "unavailable" };
    let ready = database && audit;
    let body = Ready {
        ready,
        database: word(database),
        // A server whose key does not fit its database does not start.
        key: "ok",
        schema: crate::migrate::needed(),
        audit: word(audit),
    };
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, axum::Json(body)).into_response()
}

/// Prometheus text.
pub(super) async fn metrics(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics()).into_response()
}
