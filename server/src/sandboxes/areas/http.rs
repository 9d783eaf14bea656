//! Transport of the areas' routes: body to operation, and nothing else.

use axum::extract::State;
use axum::response::Response;
use contract::id::{AreaId, OrganisationId, SandboxId};
use contract::text;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::model::{Area, AreaList};
use super::operations::{CreateArea, DeleteArea, ListAreas, RenameArea};
use crate::error::Error;
use crate::gate::{Result, fresh};
use crate::http::{Api, App, Call, Json, Path, Problem};

/// The routes of this slice.
pub(in crate::sandboxes) fn routes() -> Api {
    Api::new().routes(routes!(list, create)).routes(routes!(rename, delete))
}

/// A name to give.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AreaName {
    /// Up to 60 characters.
    #[schema(min_length = 1, max_length = 240)]
    name: String,
}

/// Lists the areas that the signed-in person sees.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/areas", operation_id = "area_list", tag = "areas",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = AreaList), (status = "4XX", body = Problem)))]
async fn list(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ListAreas { organisation, sandbox }).await?.ok())
}

/// Names a part of the workspace.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/areas", operation_id = "area_create", tag = "areas",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = AreaName,
    responses((status = 201, body = Area), (status = "4XX", body = Problem)))]
async fn create(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<AreaName>,
) -> Result<Response> {
    let name = text::area_name(&body.name).map_err(|error| Error::text("/name", error))?;
    Ok(app.gate.perform(call, CreateArea { id: fresh(), organisation, sandbox, name }).await?.created())
}

/// Gives an area another name, also in every row that names it.
#[utoipa::path(patch, path = "/organisations/{org}/sandboxes/{sbx}/areas/{are}", operation_id = "area_rename",
    tag = "areas", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), ("are" = AreaId, Path)),
    request_body = AreaName, responses((status = 200, body = Area), (status = "4XX", body = Problem)))]
async fn rename(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox, area)): Path<(OrganisationId, SandboxId, AreaId)>,
    Json(body): Json<AreaName>,
) -> Result<Response> {
    let name = text::area_name(&body.name).map_err(|error| Error::text("/name", error))?;
    let expected = call.if_match;
    Ok(app.gate.perform(call, RenameArea { organisation, sandbox, area, name, expected }).await?.ok())
}

/// Removes an area that nobody's row names.
#[utoipa::path(delete, path = "/organisations/{org}/sandboxes/{sbx}/areas/{are}", operation_id = "area_delete",
    tag = "areas", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), ("are" = AreaId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn delete(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox, area)): Path<(OrganisationId, SandboxId, AreaId)>,
) -> Result<Response> {
    let expected = call.if_match;
    Ok(app.gate.perform(call, DeleteArea { organisation, sandbox, area, expected }).await?.empty())
}
