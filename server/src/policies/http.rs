//! Routes of policies.

use axum::extract::State;
use axum::response::Response;
use contract::id::{OrganisationId, SandboxId};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::operations::{
    ListPolicyVersions, PolicyPreview, PolicyVersions, PolicyView, PreviewPolicy, ReadPolicy, UpdatePolicy, breadth,
};
use crate::error::{Error, FieldProblem};
use crate::gate::policy_document::PolicyDocument;
use crate::gate::{Result, Scope};
use crate::http::{Api, App, Call, Json, Path, Problem};

/// Routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(read, update))
        .routes(routes!(preview))
        .routes(routes!(versions))
        .routes(routes!(read_sandbox, update_sandbox))
        .routes(routes!(preview_sandbox))
        .routes(routes!(versions_sandbox))
}

/// A document to put in force or to preview.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PolicyBody {
    /// Null takes the document away.
    document: Option<PolicyDocument>,
}

async fn put(app: &App, call: Call, scope: Scope, body: PolicyBody) -> Result<Response> {
    let faults = body.document.as_ref().map(|document| document.faults(breadth(scope))).unwrap_or_default();
    if !faults.is_empty() {
        let field = |fault: crate::gate::policy_document::Fault| FieldProblem {
            pointer: format!("/document{}", fault.pointer),
            code: fault.code,
            message: fault.message,
        };
        return Err(Error::Invalid(faults.into_iter().map(field).collect()));
    }
    let operation = UpdatePolicy { scope, document: body.document, expected: call.if_match };
    Ok(app.gate.perform(call, operation).await?.ok())
}

/// The organisation's policy.
#[utoipa::path(get, path = "/organisations/{org}/policy", operation_id = "policy_read", tag = "policies",
    params(("org" = OrganisationId, Path)), responses((status = 200, body = PolicyView), (status = "4XX", body = Problem)))]
async fn read(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, ReadPolicy { scope: Scope::Organisation(org) }).await?.ok())
}

/// Replaces the organisation's policy. Asks for a confirmation.
#[utoipa::path(put, path = "/organisations/{org}/policy", operation_id = "policy_update", tag = "policies",
    params(("org" = OrganisationId, Path)), request_body = PolicyBody,
    responses((status = 200, body = PolicyView), (status = "4XX", body = Problem)))]
async fn update(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Json(body): Json<PolicyBody>,
) -> Result<Response> {
    put(&app, call, Scope::Organisation(org), body).await
}

/// What a document would change, for whom.
#[utoipa::path(post, path = "/organisations/{org}/policy/preview", operation_id = "policy_preview", tag = "policies",
    params(("org" = OrganisationId, Path)), request_body = PolicyBody,
    responses((status = 200, body = PolicyPreview), (status = "4XX", body = Problem)))]
async fn preview(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Json(body): Json<PolicyBody>,
) -> Result<Response> {
    let operation = PreviewPolicy { scope: Scope::Organisation(org), document: body.document };
    Ok(app.gate.perform(call, operation).await?.ok())
}

/// The organisation's stored versions, newest first.
#[utoipa::path(get, path = "/organisations/{org}/policy/versions", operation_id = "policy_versions", tag = "policies",
    params(("org" = OrganisationId, Path)), responses((status = 200, body = PolicyVersions), (status = "4XX", body = Problem)))]
async fn versions(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, ListPolicyVersions { scope: Scope::Organisation(org) }).await?.ok())
}

/// The sandbox's narrowing policy.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/policy", operation_id = "sandbox_policy_read", tag = "policies",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = PolicyView), (status = "4XX", body = Problem)))]
async fn read_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ReadPolicy { scope: Scope::Sandbox(org, sbx) }).await?.ok())
}

/// Replaces the sandbox's narrowing policy. Asks for a confirmation.
#[utoipa::path(put, path = "/organisations/{org}/sandboxes/{sbx}/policy", operation_id = "sandbox_policy_update", tag = "policies",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = PolicyBody,
    responses((status = 200, body = PolicyView), (status = "4XX", body = Problem)))]
async fn update_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<PolicyBody>,
) -> Result<Response> {
    put(&app, call, Scope::Sandbox(org, sbx), body).await
}

/// What a narrowing document would change, for whom.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/policy/preview", operation_id = "sandbox_policy_preview", tag = "policies",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = PolicyBody,
    responses((status = 200, body = PolicyPreview), (status = "4XX", body = Problem)))]
async fn preview_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<PolicyBody>,
) -> Result<Response> {
    let operation = PreviewPolicy { scope: Scope::Sandbox(org, sbx), document: body.document };
    Ok(app.gate.perform(call, operation).await?.ok())
}

/// The sandbox's stored versions, newest first.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/policy/versions", operation_id = "sandbox_policy_versions", tag = "policies",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)),
    responses((status = 200, body = PolicyVersions), (status = "4XX", body = Problem)))]
async fn versions_sandbox(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ListPolicyVersions { scope: Scope::Sandbox(org, sbx) }).await?.ok())
}
