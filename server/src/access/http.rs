//! The stream that tells a page that its access ended.

use axum::extract::State;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use contract::id::{OrganisationId, SandboxId};
use utoipa_axum::routes;

use crate::gate::{Result, Scope};
use crate::http::stream::{Watch, respond};
use crate::http::{Api, App, Call, Path, Problem};

/// Routes of this slice.
pub fn routes() -> Api {
    Api::new().routes(routes!(organisation)).routes(routes!(sandbox))
}

/// One `watching` event at once, one `revoked` when the caller may no longer look; then the stream ends.
#[utoipa::path(get, path = "/organisations/{org}/watch", operation_id = "organisation_watch", tag = "access",
    params(("org" = OrganisationId, Path)),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = "4XX", body = Problem)))]
async fn organisation(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    watch(&app, &call, Scope::Organisation(org)).await
}

/// One `watching` event at once, one `revoked` when the caller may no longer look; then the stream ends.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/watch", operation_id = "access_watch", tag = "access",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = "4XX", body = Problem)))]
async fn sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    watch(&app, &call, Scope::Sandbox(org, sbx)).await
}

async fn watch(app: &App, call: &Call, scope: Scope) -> Result<Response> {
    let watch = Watch::begin(app, call, scope).await?;
    let events = futures_util::stream::unfold(Progress::Begin(watch), |state| async {
        match state {
            Progress::Begin(watch) => Some((Event::default().event("watching").data("{}"), Progress::Wait(watch))),
            Progress::Wait(mut watch) => {
                watch.ended().await;
                Some((Event::default().event("revoked").data("{}"), Progress::Over))
            }
            Progress::Over => None,
        }
    });
    Ok(respond(app.stop.clone(), events).into_response())
}

enum Progress {
    Begin(Watch),
    Wait(Watch),
    Over,
}
