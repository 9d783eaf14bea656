//! Transport of the members' routes: body to operation, and nothing else.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use contract::access::{Agents, EditGrant, Grant, Reach, Tier, check, tidy};
use contract::code::Code;
use contract::id::{MemberId, OrganisationId, SandboxId};
use contract::text;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::model::{Member, MemberPage, MemberStanding};
use super::operations::{
    ChangeMember, FindMember, GrantMember, LeaveSandbox, ListMembers, ReadMember, ReadSelf, RemoveMember,
};
use crate::error::Error;
use crate::gate::{Result, fresh};
use crate::http::{Api, App, Call, Json, Page, Path, Problem, Query, cursor};
use crate::search;

/// The routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(list, grant, remove_addressed))
        .routes(routes!(read_self, leave))
        .routes(routes!(read, change, remove))
}

/// Access to give to somebody who belongs to the organisation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MemberGrant {
    /// The person's address.
    #[schema(max_length = 508)]
    email: String,
    /// Must be the tier that the answers make.
    role: Tier,
    /// Names of the areas seen; absent is the whole workspace, an empty list is nothing.
    #[schema(max_items = 20)]
    areas: Option<Vec<String>>,
    /// Absent takes the role's meaning.
    agents: Option<Agents>,
    /// Absent takes the role's meaning.
    edit: Option<EditGrant>,
    /// Absent keeps what the row says.
    email_sign_in: Option<bool>,
    /// Refused: reach is not set here.
    credentials: Option<Reach>,
}

/// Access to write over a row.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MemberChange {
    /// Must be the tier that the answers make.
    role: Tier,
    /// Names of the areas seen; absent is the whole workspace, an empty list is nothing.
    #[schema(max_items = 20)]
    areas: Option<Vec<String>>,
    /// Absent takes the role's meaning.
    agents: Option<Agents>,
    /// Absent takes the role's meaning.
    edit: Option<EditGrant>,
    /// Absent keeps what the row says.
    email_sign_in: Option<bool>,
    /// Refused: reach is not set here.
    credentials: Option<Reach>,
}

/// Whom to remove.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MemberAddress {
    /// The person's address.
    #[schema(max_length = 508)]
    email: String,
}

/// A grant that makes sense by itself, before anything is looked up.
fn sensible(grant: Grant) -> Result<Grant> {
    let refused = |refusal: contract::access::Refusal| Error::invalid(refusal.pointer, refusal.code, refusal.message);
    let grant = tidy(grant).map_err(refused)?;
    check(&grant).map_err(refused)?;
    if grant.credentials.is_some() {
        let message = "The reach of credentials cannot be set on this server yet.";
        return Err(Error::invalid("/credentials", Code::ReachUnavailable, message));
    }
    Ok(grant)
}

fn address(typed: &str) -> Result<String> {
    Ok(text::email(typed).map_err(|error| Error::text("/email", error))?.address)
}

/// The row of whoever has the address. Where the caller may not look, the change itself will be refused and recorded, so
/// nothing is said here.
async fn row_of(app: &App, call: &Call, find: FindMember) -> MemberId {
    let found = app.gate.perform(call.clone(), find).await;
    found.ok().and_then(|found| found.output).unwrap_or_else(fresh)
}

/// Lists a sandbox's members.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/members", operation_id = "member_list", tag = "members",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), Page),
    responses((status = 200, body = MemberPage), (status = "4XX", body = Problem)))]
async fn list(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
    Query(page): Query<Page>,
) -> Result<Response> {
    let after = page.cursor.as_deref().map(|text| cursor::decode(&app.cursor_key, text)).transpose()?;
    let search = search::pattern(page.search()?.as_deref());
    let limit = page.limit()?;
    let listed = app.gate.perform(call, ListMembers { organisation, sandbox, search, after, limit }).await?.output;
    let next_cursor = listed.next.map(|next| cursor::encode(&app.cursor_key, &next)).transpose()?;
    Ok(axum::Json(MemberPage { members: listed.members, owner: listed.owner, next_cursor }).into_response())
}

/// Gives somebody who belongs to the organisation access to the sandbox; a second grant writes over the first.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/members", operation_id = "member_grant", tag = "members",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = MemberGrant,
    responses((status = 200, body = Member), (status = 201, body = Member), (status = "4XX", body = Problem)))]
async fn grant(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<MemberGrant>,
) -> Result<Response> {
    let MemberGrant { email, role, areas, agents, edit, email_sign_in, credentials } = body;
    let address = address(&email)?;
    let grant = sensible(Grant { role, areas, agents, edit, credentials })?;
    let member = row_of(&app, &call, FindMember { organisation, sandbox, address: address.clone() }).await;
    let expected = call.if_match;
    let operation = GrantMember { member, organisation, sandbox, address, grant, email_sign_in, expected };
    let performed = app.gate.perform(call, operation).await?;
    // A row's first revision is 1.
    Ok(if performed.output.revision == 1 { performed.created() } else { performed.ok() })
}

/// Reads one row of the roster.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/members/{mbr}", operation_id = "member_read",
    tag = "members", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), ("mbr" = MemberId, Path)),
    responses((status = 200, body = Member), (status = "4XX", body = Problem)))]
async fn read(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox, member)): Path<(OrganisationId, SandboxId, MemberId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ReadMember { organisation, sandbox, member }).await?.ok())
}

/// Writes over a member's access.
#[utoipa::path(put, path = "/organisations/{org}/sandboxes/{sbx}/members/{mbr}", operation_id = "member_change",
    tag = "members", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), ("mbr" = MemberId, Path)),
    request_body = MemberChange, responses((status = 200, body = Member), (status = "4XX", body = Problem)))]
async fn change(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox, member)): Path<(OrganisationId, SandboxId, MemberId)>,
    Json(body): Json<MemberChange>,
) -> Result<Response> {
    let MemberChange { role, areas, agents, edit, email_sign_in, credentials } = body;
    let grant = sensible(Grant { role, areas, agents, edit, credentials })?;
    let expected = call.if_match;
    let operation = ChangeMember { organisation, sandbox, member, grant, email_sign_in, expected };
    Ok(app.gate.perform(call, operation).await?.ok())
}

/// Takes a member's access away.
#[utoipa::path(delete, path = "/organisations/{org}/sandboxes/{sbx}/members/{mbr}", operation_id = "member_remove",
    tag = "members", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), ("mbr" = MemberId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn remove(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox, member)): Path<(OrganisationId, SandboxId, MemberId)>,
) -> Result<Response> {
    let expected = call.if_match;
    let operation = RemoveMember { organisation, sandbox, member, address: None, expected };
    Ok(app.gate.perform(call, operation).await?.empty())
}

/// Takes a member's access away, naming them by address.
#[utoipa::path(delete, path = "/organisations/{org}/sandboxes/{sbx}/members", operation_id = "member_remove_by_email",
    tag = "members", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = MemberAddress,
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn remove_addressed(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<MemberAddress>,
) -> Result<Response> {
    let address = address(&body.email)?;
    let member = row_of(&app, &call, FindMember { organisation, sandbox, address: address.clone() }).await;
    let expected = call.if_match;
    let operation = RemoveMember { organisation, sandbox, member, address: Some(address), expected };
    Ok(app.gate.perform(call, operation).await?.empty())
}

/// Reads what the signed-in person may do in the sandbox.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/members/self", operation_id = "member_self",
    tag = "members", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = MemberStanding), (status = "4XX", body = Problem)))]
async fn read_self(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ReadSelf { organisation, sandbox }).await?.ok())
}

/// Gives up one's own access to the sandbox.
#[utoipa::path(delete, path = "/organisations/{org}/sandboxes/{sbx}/members/self", operation_id = "member_leave",
    tag = "members", params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn leave(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, LeaveSandbox { organisation, sandbox }).await?.empty())
}
