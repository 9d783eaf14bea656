//! Transport of the sandboxes' routes: body to operation, and nothing else.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::DateTime;
use contract::id::{MemberId, OrganisationId, SandboxId};
use contract::text;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

use super::model::{Sandbox, SandboxPage};
use super::operations::{CreateSandbox, DeleteSandbox, ListSandboxes, ReadSandbox, RenameSandbox, TransferSandbox};
use crate::error::Error;
use crate::gate::{Result, fresh};
use crate::http::{Api, App, Call, Json, Page, Path, Problem, Query, cursor};
use crate::search;

/// The routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(list, create))
        .routes(routes!(read, rename, delete))
        .routes(routes!(transfer))
        .merge(super::areas::http::routes())
}

/// A name to give.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SandboxName {
    /// Up to 100 characters.
    #[schema(min_length = 1, max_length = 400)]
    name: String,
}

/// Whom ownership passes to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewOwner {
    /// A member of the sandbox.
    member_id: MemberId,
}

/// Lists the organisation's sandboxes that the signed-in person has access to.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes", operation_id = "sandbox_list", tag = "sandboxes",
    params(("org" = OrganisationId, Path), Page),
    responses((status = 200, body = SandboxPage), (status = "4XX", body = Problem)))]
async fn list(
    State(app): State<App>,
    call: Call,
    Path(organisation): Path<OrganisationId>,
    Query(page): Query<Page>,
) -> Result<Response> {
    let after = match &page.cursor {
        Some(text) => cursor::decode(&app.cursor_key, text)?,
        None => (DateTime::UNIX_EPOCH, Uuid::nil()),
    };
    let search = search::pattern(page.search()?.as_deref());
    let limit = page.limit()?;
    let listed = app.gate.perform(call, ListSandboxes { organisation, search, after, limit }).await?.output;
    let next_cursor = listed.next.map(|next| cursor::encode(&app.cursor_key, &next)).transpose()?;
    Ok(axum::Json(SandboxPage { items: listed.items, next_cursor }).into_response())
}

/// Creates a sandbox and makes whoever asks its owner.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes", operation_id = "sandbox_create", tag = "sandboxes",
    params(("org" = OrganisationId, Path)), request_body = SandboxName,
    responses((status = 201, body = Sandbox), (status = "4XX", body = Problem)))]
async fn create(
    State(app): State<App>,
    call: Call,
    Path(organisation): Path<OrganisationId>,
    Json(body): Json<SandboxName>,
) -> Result<Response> {
    let name = text::name(&body.name).map_err(|error| Error::text("/name", error))?;
    Ok(app.gate.perform(call, CreateSandbox { id: fresh(), organisation, name }).await?.created())
}

/// Reads a sandbox.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}", operation_id = "sandbox_read", tag = "sandboxes",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = Sandbox), (status = "4XX", body = Problem)))]
async fn read(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ReadSandbox { organisation, sandbox }).await?.ok())
}

/// Gives a sandbox another name.
#[utoipa::path(patch, path = "/organisations/{org}/sandboxes/{sbx}", operation_id = "sandbox_rename", tag = "sandboxes",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = SandboxName,
    responses((status = 200, body = Sandbox), (status = "4XX", body = Problem)))]
async fn rename(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<SandboxName>,
) -> Result<Response> {
    let name = text::name(&body.name).map_err(|error| Error::text("/name", error))?;
    let expected = call.if_match;
    Ok(app.gate.perform(call, RenameSandbox { organisation, sandbox, name, expected }).await?.ok())
}

/// Ends a sandbox's life; what it holds is removed afterwards.
#[utoipa::path(delete, path = "/organisations/{org}/sandboxes/{sbx}", operation_id = "sandbox_delete", tag = "sandboxes",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 202, body = Sandbox), (status = "4XX", body = Problem)))]
async fn delete(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    let expected = call.if_match;
    Ok(app.gate.perform(call, DeleteSandbox { organisation, sandbox, expected }).await?.accepted())
}

/// Makes a member the sandbox's owner; the owner until then becomes a maintainer.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/owner", operation_id = "sandbox_transfer",
    tag = "sandboxes", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = NewOwner,
    responses((status = 200, body = Sandbox), (status = "4XX", body = Problem)))]
async fn transfer(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<NewOwner>,
) -> Result<Response> {
    let expected = call.if_match;
    let operation = TransferSandbox { organisation, sandbox, member: body.member_id, row: fresh(), expected };
    Ok(app.gate.perform(call, operation).await?.ok())
}
