//! Routes of the emergency stop.

use axum::extract::State;
use axum::response::Response;
use contract::id::{OrganisationId, SandboxId};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::operations::{Emergency, EngageEmergency, ReadEmergency, ResetEmergency};
use crate::gate::emergency::StopReason;
use crate::gate::{Result, Scope};
use crate::http::{Api, App, Call, Json, Path, Problem};

/// Routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(read))
        .routes(routes!(engage))
        .routes(routes!(reset))
        .routes(routes!(read_sandbox))
        .routes(routes!(engage_sandbox))
        .routes(routes!(reset_sandbox))
}

/// Why everything is stopped.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EngageBody {
    reason: StopReason,
}

/// The organisation's emergency stop.
#[utoipa::path(get, path = "/organisations/{org}/emergency", operation_id = "emergency_read", tag = "emergency",
    params(("org" = OrganisationId, Path)), responses((status = 200, body = Emergency), (status = "4XX", body = Problem)))]
async fn read(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, ReadEmergency { scope: Scope::Organisation(org) }).await?.ok())
}

/// Stops everything in the organisation, at once and without a confirmation.
#[utoipa::path(post, path = "/organisations/{org}/emergency/engage", operation_id = "emergency_engage", tag = "emergency",
    params(("org" = OrganisationId, Path)), request_body = EngageBody,
    responses((status = 200, body = Emergency), (status = "4XX", body = Problem)))]
async fn engage(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Json(body): Json<EngageBody>,
) -> Result<Response> {
    Ok(app.gate.perform(call, EngageEmergency { scope: Scope::Organisation(org), reason: body.reason }).await?.ok())
}

/// Releases the organisation's emergency stop. Always asks for a confirmation.
#[utoipa::path(post, path = "/organisations/{org}/emergency/reset", operation_id = "emergency_reset", tag = "emergency",
    params(("org" = OrganisationId, Path)), responses((status = 200, body = Emergency), (status = "4XX", body = Problem)))]
async fn reset(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, ResetEmergency { scope: Scope::Organisation(org) }).await?.ok())
}

/// The sandbox's emergency stop.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/emergency", operation_id = "sandbox_emergency_read", tag = "emergency",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = Emergency), (status = "4XX", body = Problem)))]
async fn read_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ReadEmergency { scope: Scope::Sandbox(org, sbx) }).await?.ok())
}

/// Stops everything in the sandbox, at once and without a confirmation.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/emergency/engage", operation_id = "sandbox_emergency_engage", tag = "emergency",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = EngageBody,
    responses((status = 200, body = Emergency), (status = "4XX", body = Problem)))]
async fn engage_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<EngageBody>,
) -> Result<Response> {
    Ok(app.gate.perform(call, EngageEmergency { scope: Scope::Sandbox(org, sbx), reason: body.reason }).await?.ok())
}

/// Releases the sandbox's emergency stop. Always asks for a confirmation.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/emergency/reset", operation_id = "sandbox_emergency_reset", tag = "emergency",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = Emergency), (status = "4XX", body = Problem)))]
async fn reset_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ResetEmergency { scope: Scope::Sandbox(org, sbx) }).await?.ok())
}
