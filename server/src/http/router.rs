//! Every route, and the layers around them.

use std::time::Duration;

use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::CsrfLayer;
use tower_http::timeout::TimeoutLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_swagger_ui::SwaggerUi;

use super::{address, call, console, guard, health, problem};
use crate::app::App;

/// Routes of a slice with their description.
pub type Api = OpenApiRouter<App>;

/// How long a request may take before its answer begins.
const PATIENCE: Duration = Duration::from_secs(30);
/// Requests that are worked on at once; more are told to come back.
const CONCURRENT: usize = 1_024;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Bailiwick",
        version = "1",
        description = "The console's API. Errors are problem+json with a stable code."
    ),
    components(schemas(problem::Problem))
)]
struct Document;

fn api() -> Api {
    let slices = Api::new()
        .merge(crate::access::http::routes())
        .merge(crate::accounts::routes())
        .merge(crate::audit::http::routes())
        .merge(crate::emergency::http::routes())
        .merge(crate::invitations::routes())
        .merge(crate::members::http::routes())
        .merge(crate::organisations::http::routes())
        .merge(crate::policies::http::routes())
        .merge(crate::proposals::http::routes())
        .merge(crate::sandboxes::http::routes());
    Api::with_openapi(Document::openapi()).nest("/api/v1", slices)
}

/// The description of the API, as committed in `openapi/console.json`.
pub fn description() -> utoipa::openapi::OpenApi {
    api().split_for_parts().1
}

/// The whole service.
///
/// # Errors
/// The public origin cannot be an origin.
pub fn router(app: App) -> anyhow::Result<axum::Router> {
    let (routes, description) = api().split_for_parts();
    let csrf = CsrfLayer::new().add_trusted_origin(app.origin())?;
    let sessions = crate::gate::session_store::layer(app.session_pool());
    let guarded = ServiceBuilder::new()
        .layer(from_fn_with_state(app.clone(), address::layer))
        .layer(csrf)
        .layer(sessions)
        .layer(from_fn_with_state(app.clone(), crate::accounts::touch))
        .layer(from_fn_with_state(app.clone(), call::idempotency));
    let around = ServiceBuilder::new()
        .layer(from_fn(problem::layer))
        .layer(from_fn(guard::layer))
        .layer(CatchPanicLayer::new())
        .layer(axum::error_handling::HandleErrorLayer::new(overloaded))
        .load_shed()
        .concurrency_limit(CONCURRENT)
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, PATIENCE))
        .layer(CompressionLayer::new());
    let docs = SwaggerUi::new("/docs").url("/api/openapi.json", description);
    Ok(routes
        .layer(guarded)
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .merge(axum::Router::<App>::from(docs).layer(from_fn(docs_policy)))
        .fallback(console::serve)
        .layer(around)
        .with_state(app))
}

async fn overloaded(_: tower::BoxError) -> StatusCode {
    metrics::counter!("bailiwick_http_shed_total").increment(1);
    StatusCode::SERVICE_UNAVAILABLE
}

/// The documentation page brings its own scripts and inline styles, all from this server.
async fn docs_policy(request: axum::extract::Request, next: axum::middleware::Next) -> axum::response::Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(
        axum::http::header::CONTENT_SECURITY_POLICY,
        axum::http::HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    );
    response
}
