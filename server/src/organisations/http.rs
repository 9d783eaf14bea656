//! Transport of the organisations' routes: body to operation, and nothing else.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::DateTime;
use contract::access::OrganisationRole;
use contract::id::{OrganisationId, OrganisationMemberId};
use contract::text;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

use super::model::{Organisation, OrganisationMember, OrganisationMemberPage, OrganisationPage};
use super::operations::{
    CreateOrganisation, DeleteOrganisation, GrantOrganisation, LeaveOrganisation, ListOrganisationMembers,
    ListOrganisations, ReadOrganisation, RenameOrganisation, RevokeOrganisation,
};
use crate::error::Error;
use crate::gate::{Result, fresh};
use crate::http::{Api, App, Call, Json, Page, Path, Problem, Query, cursor};
use crate::search;

/// The routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(list, create))
        .routes(routes!(read, rename, delete))
        .routes(routes!(members))
        .routes(routes!(leave))
        .routes(routes!(grant, revoke))
}

/// A name to give.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OrganisationName {
    /// Up to 100 characters.
    #[schema(min_length = 1, max_length = 400)]
    name: String,
}

/// A role to give.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OrganisationGrant {
    /// The new role.
    role: OrganisationRole,
}

/// Lists the organisations that the signed-in person belongs to.
#[utoipa::path(get, path = "/organisations", operation_id = "organisation_list", tag = "organisations",
    responses((status = 200, body = OrganisationPage), (status = "4XX", body = Problem)))]
async fn list(State(app): State<App>, call: Call) -> Result<Response> {
    Ok(app.gate.perform(call, ListOrganisations {}).await?.ok())
}

/// Creates an organisation and makes the operator who asks its owner.
#[utoipa::path(post, path = "/organisations", operation_id = "organisation_create", tag = "organisations",
    request_body = OrganisationName,
    responses((status = 201, body = Organisation), (status = "4XX", body = Problem)))]
async fn create(State(app): State<App>, call: Call, Json(body): Json<OrganisationName>) -> Result<Response> {
    let name = text::name(&body.name).map_err(|error| Error::text("/name", error))?;
    Ok(app.gate.perform(call, CreateOrganisation { id: fresh(), member: fresh(), name }).await?.created())
}

/// Reads an organisation.
#[utoipa::path(get, path = "/organisations/{org}", operation_id = "organisation_read", tag = "organisations",
    params(("org" = OrganisationId, Path)),
    responses((status = 200, body = Organisation), (status = "4XX", body = Problem)))]
async fn read(State(app): State<App>, call: Call, Path(organisation): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, ReadOrganisation { organisation }).await?.ok())
}

/// Gives an organisation another name.
#[utoipa::path(patch, path = "/organisations/{org}", operation_id = "organisation_rename", tag = "organisations",
    params(("org" = OrganisationId, Path)), request_body = OrganisationName,
    responses((status = 200, body = Organisation), (status = "4XX", body = Problem)))]
async fn rename(
    State(app): State<App>,
    call: Call,
    Path(organisation): Path<OrganisationId>,
    Json(body): Json<OrganisationName>,
) -> Result<Response> {
    let name = text::name(&body.name).map_err(|error| Error::text("/name", error))?;
    let expected = call.if_match;
    Ok(app.gate.perform(call, RenameOrganisation { organisation, name, expected }).await?.ok())
}

/// Ends an organisation's life; what it holds is removed afterwards.
#[utoipa::path(delete, path = "/organisations/{org}", operation_id = "organisation_delete", tag = "organisations",
    params(("org" = OrganisationId, Path)),
    responses((status = 202, body = Organisation), (status = "4XX", body = Problem)))]
async fn delete(State(app): State<App>, call: Call, Path(organisation): Path<OrganisationId>) -> Result<Response> {
    let expected = call.if_match;
    Ok(app.gate.perform(call, DeleteOrganisation { organisation, expected }).await?.accepted())
}

/// Lists who belongs to an organisation.
#[utoipa::path(get, path = "/organisations/{org}/members", operation_id = "organisation_member_list",
    tag = "organisations", params(("org" = OrganisationId, Path), Page),
    responses((status = 200, body = OrganisationMemberPage), (status = "4XX", body = Problem)))]
async fn members(
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
    let listed = app.gate.perform(call, ListOrganisationMembers { organisation, search, after, limit }).await?.output;
    let next_cursor = listed.next.map(|next| cursor::encode(&app.cursor_key, &next)).transpose()?;
    Ok(axum::Json(OrganisationMemberPage { items: listed.items, next_cursor }).into_response())
}

/// Gives somebody who belongs to the organisation another role.
#[utoipa::path(patch, path = "/organisations/{org}/members/{omb}", operation_id = "organisation_grant",
    tag = "organisations", params(("org" = OrganisationId, Path), ("omb" = OrganisationMemberId, Path)),
    request_body = OrganisationGrant,
    responses((status = 200, body = OrganisationMember), (status = "4XX", body = Problem)))]
async fn grant(
    State(app): State<App>,
    call: Call,
    Path((organisation, member)): Path<(OrganisationId, OrganisationMemberId)>,
    Json(body): Json<OrganisationGrant>,
) -> Result<Response> {
    let expected = call.if_match;
    let operation = GrantOrganisation { organisation, member, role: body.role, expected };
    Ok(app.gate.perform(call, operation).await?.ok())
}

/// Removes somebody from the organisation and from all its sandboxes.
#[utoipa::path(delete, path = "/organisations/{org}/members/{omb}", operation_id = "organisation_revoke",
    tag = "organisations", params(("org" = OrganisationId, Path), ("omb" = OrganisationMemberId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn revoke(
    State(app): State<App>,
    call: Call,
    Path((organisation, member)): Path<(OrganisationId, OrganisationMemberId)>,
) -> Result<Response> {
    let expected = call.if_match;
    Ok(app.gate.perform(call, RevokeOrganisation { organisation, member, expected }).await?.empty())
}

/// Leaves the organisation and all its sandboxes.
#[utoipa::path(delete, path = "/organisations/{org}/members/self", operation_id = "organisation_leave",
    tag = "organisations", params(("org" = OrganisationId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn leave(State(app): State<App>, call: Call, Path(organisation): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, LeaveOrganisation { organisation }).await?.empty())
}
