//! Routes of waits and proposals.

use axum::extract::State;
use axum::response::Response;
use contract::id::{OrganisationId, ProposalId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::operations::{ListWaits, Proposal, ReadProposal, Waits};
use crate::gate::{Confirmed, Result};
use crate::http::{Api, App, Call, Json, Path, Performed, Problem};

/// Routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(waits))
        .routes(routes!(read))
        .routes(routes!(challenge))
        .routes(routes!(confirm))
        .routes(routes!(reject))
}

/// What a passkey has to answer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProposalChallenge {
    /// What is confirmed by it.
    proposal: Proposal,
    /// WebAuthn request options in their JSON form.
    #[schema(value_type = Object)]
    public_key: Value,
}

/// A passkey's answer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ConfirmBody {
    /// A WebAuthn assertion in its JSON form.
    #[schema(value_type = Object)]
    credential: Value,
}

/// What needs a person: confirmations that wait.
#[utoipa::path(get, path = "/organisations/{org}/waits", operation_id = "wait_list", tag = "proposals",
    params(("org" = OrganisationId, Path)), responses((status = 200, body = Waits), (status = "4XX", body = Problem)))]
async fn waits(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    Ok(app.gate.perform(call, ListWaits { organisation: org }).await?.ok())
}

/// One proposal.
#[utoipa::path(get, path = "/organisations/{org}/proposals/{prp}", operation_id = "proposal_read", tag = "proposals",
    params(("org" = OrganisationId, Path), ("prp" = ProposalId, Path)),
    responses((status = 200, body = Proposal), (status = "4XX", body = Problem)))]
async fn read(
    State(app): State<App>,
    call: Call,
    Path((org, prp)): Path<(OrganisationId, ProposalId)>,
) -> Result<Response> {
    Ok(app.gate.perform(call, ReadProposal { organisation: org, proposal: prp }).await?.ok())
}

/// A fresh challenge, bound to the proposal and to the reader.
#[utoipa::path(post, path = "/organisations/{org}/proposals/{prp}/challenge", operation_id = "proposal_challenge", tag = "proposals",
    params(("org" = OrganisationId, Path), ("prp" = ProposalId, Path)),
    responses((status = 200, body = ProposalChallenge), (status = "4XX", body = Problem)))]
async fn challenge(
    State(app): State<App>,
    call: Call,
    Path((org, prp)): Path<(OrganisationId, ProposalId)>,
) -> Result<Response> {
    let public_key = app.gate.challenge(&call, org, prp).await?;
    let shown = app.gate.perform(call, ReadProposal { organisation: org, proposal: prp }).await?;
    Ok(shown.map(|proposal| ProposalChallenge { proposal, public_key }).ok())
}

/// Confirms with a passkey. Answers the operation's own success, or 202 while another person is needed.
#[utoipa::path(post, path = "/organisations/{org}/proposals/{prp}/confirm", operation_id = "proposal_confirm", tag = "proposals",
    params(("org" = OrganisationId, Path), ("prp" = ProposalId, Path)), request_body = ConfirmBody,
    responses((status = 200, body = Object), (status = 202, body = Proposal), (status = 204), (status = "4XX", body = Problem)))]
async fn confirm(
    State(app): State<App>,
    call: Call,
    Path((org, prp)): Path<(OrganisationId, ProposalId)>,
    Json(body): Json<ConfirmBody>,
) -> Result<Response> {
    match app.gate.confirm(&call, org, prp, &body.credential).await? {
        Confirmed::Executed(done) if done.output.is_null() => Ok(done.empty()),
        Confirmed::Executed(Performed { output, receipt }) => {
            Ok(Performed { output: crate::invitations::reveal(&app, output)?, receipt }.ok())
        }
        Confirmed::Parked => {
            let shown = app.gate.perform(call, ReadProposal { organisation: org, proposal: prp }).await?;
            Ok(shown.accepted())
        }
    }
}

/// Ends a proposal without doing anything.
#[utoipa::path(post, path = "/organisations/{org}/proposals/{prp}/reject", operation_id = "proposal_reject", tag = "proposals",
    params(("org" = OrganisationId, Path), ("prp" = ProposalId, Path)),
    responses((status = 200, body = Proposal), (status = "4XX", body = Problem)))]
async fn reject(
    State(app): State<App>,
    call: Call,
    Path((org, prp)): Path<(OrganisationId, ProposalId)>,
) -> Result<Response> {
    app.gate.reject(&call, org, prp).await?;
    Ok(app.gate.perform(call, ReadProposal { organisation: org, proposal: prp }).await?.ok())
}
