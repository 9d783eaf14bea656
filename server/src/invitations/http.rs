//! Routes of invitations: those of an organisation, those of a sandbox, and those of the invited person.

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use contract::access::{self, Agents, EditGrant, Grant, OrganisationRole, Tier};
use contract::code::Code;
use contract::id::{InvitationId, OrganisationId, SandboxId};
use contract::text;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_sessions::Session;
use utoipa::ToSchema;
use uuid::Uuid;

use super::answer::{AcceptInvitation, BeginInvitation, DeclineInvitation, Named, ShowInvitation, Shown, invalid};
use super::operations::{InvitationView, Invite, ListInvitations, RevokeInvitation};
use super::rules::{self, Offer};
use crate::accounts::{self, Answered, Ceremony, Registration, SelfView, Token};
use crate::crypto::link_token::LinkKey;
use crate::error::Error;
use crate::gate::{Call, Caller, Result, fresh};
use crate::http::{Api, App, Json, Page, Path, Performed, Problem, Query, cursor};

/// The slice's routes.
pub fn routes() -> Api {
    Api::new()
        .routes(utoipa_axum::routes!(organisation_invitation_list, organisation_invite))
        .routes(utoipa_axum::routes!(organisation_invitation_revoke))
        .routes(utoipa_axum::routes!(invitation_list, invitation_create))
        .routes(utoipa_axum::routes!(invitation_revoke))
        .routes(utoipa_axum::routes!(invitation_show))
        .routes(utoipa_axum::routes!(invitation_begin))
        .routes(utoipa_axum::routes!(invitation_accept))
        .routes(utoipa_axum::routes!(invitation_decline))
}

/// Whom to invite to an organisation.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrganisationInvitation {
    /// E-mail address.
    #[schema(max_length = 254)]
    pub email: String,
    /// What they become.
    pub role: OrganisationRole,
}

/// Whom to invite to a sandbox, with the whole grant.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSandboxInvitation {
    /// E-mail address.
    #[schema(max_length = 254)]
    pub email: String,
    /// The tier that the answers make.
    pub role: Tier,
    /// Areas seen; absent is the whole workspace.
    pub areas: Option<Vec<String>>,
    /// Absent takes the role's meaning.
    pub agents: Option<Agents>,
    /// Absent takes the role's meaning.
    pub edit: Option<EditGrant>,
    /// Whether they may sign in by e-mail code.
    pub email_sign_in: Option<bool>,
}

/// Open invitations.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationList {
    /// Oldest first.
    pub items: Vec<InvitationView>,
    /// Where the list goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A new invitation. The link is shown this once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedInvitation {
    /// It.
    pub invitation: InvitationView,
    /// To be handed to the invited person; handing it over vouches for their address.
    pub link: String,
}

/// What is offered, as the invited person sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationOffer {
    /// Where.
    pub organisation_name: String,
    /// In which sandbox, if in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_name: Option<String>,
    /// Whom.
    pub email: String,
    /// Role in the organisation, or tier in the sandbox.
    pub role: String,
    /// Areas seen; absent is the whole workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<String>>,
    /// What the person may do with assistants, where the invitation says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Agents>,
    /// Where the person may edit, where the invitation says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditGrant>,
    /// It can be answered until then.
    pub expires_at: DateTime<Utc>,
    /// The address has an account, whose person signs in to accept.
    pub account_exists: bool,
}

impl From<Shown> for InvitationOffer {
    fn from(shown: Shown) -> Self {
        let row = shown.offer.row();
        Self {
            role: shown.offer.role().to_owned(),
            areas: row.and_then(|row| row.areas.clone()),
            agents: row.and_then(|row| row.agents),
            edit: row.and_then(|row| row.edit.clone()),
            organisation_name: shown.organisation_name,
            sandbox_name: shown.sandbox_name,
            email: shown.email,
            expires_at: shown.expires_at,
            account_exists: shown.account_exists,
        }
    }
}

/// An invited person without an account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewInvitedPerson {
    /// What the link carries behind the `#`.
    #[schema(max_length = 256)]
    pub token: String,
    /// Display name.
    #[schema(max_length = 100)]
    pub name: String,
}

/// Accepting: a signed-in person sends the token only, a new one also their passkey's answer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AcceptInvitation)]
pub struct Acceptance {
    /// What the link carries behind the `#`.
    #[schema(max_length = 256)]
    pub token: String,
    /// From `invitation_begin`.
    pub ceremony_id: Option<Uuid>,
    /// What `navigator.credentials` answered, in WebAuthn's JSON form.
    #[schema(value_type = Option<Object>)]
    pub credential: Option<Value>,
}

/// Open invitations to an organisation.
#[utoipa::path(get, path = "/organisations/{org}/invitations", operation_id = "organisation_invitation_list", tag = "invitations",
    params(("org" = OrganisationId, Path), Page),
    responses((status = 200, body = InvitationList), (status = "4XX", body = Problem)))]
async fn organisation_invitation_list(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Query(page): Query<Page>,
) -> Result<Response> {
    list(&app, call, org, None, &page).await
}

/// Open invitations to a sandbox.
#[utoipa::path(get, path = "/organisations/{org}/sandboxes/{sbx}/invitations", operation_id = "invitation_list", tag = "invitations",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), Page),
    responses((status = 200, body = InvitationList), (status = "4XX", body = Problem)))]
async fn invitation_list(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
    Query(page): Query<Page>,
) -> Result<Response> {
    list(&app, call, org, Some(sbx), &page).await
}

async fn list(
    app: &App,
    call: Call,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
    page: &Page,
) -> Result<Response> {
    let after = page.cursor.as_deref().map(|cursor| cursor::decode(&app.cursor_key, cursor)).transpose()?;
    let operation = ListInvitations { organisation, sandbox, after, limit: page.limit()?, search: page.search()? };
    let listed = app.gate.perform(call, operation).await?;
    let next_cursor = listed.output.next.map(|next| cursor::encode(&app.cursor_key, &next)).transpose()?;
    Ok(listed.map(|listed| InvitationList { items: listed.items, next_cursor }).ok())
}

/// Invites to an organisation.
#[utoipa::path(post, path = "/organisations/{org}/invitations", operation_id = "organisation_invite", tag = "invitations",
    params(("org" = OrganisationId, Path)), request_body = NewOrganisationInvitation,
    responses((status = 201, body = CreatedInvitation), (status = "4XX", body = Problem)))]
async fn organisation_invite(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Json(body): Json<NewOrganisationInvitation>,
) -> Result<Response> {
    invite(&app, call, (org, None), &body.email, Offer::Organisation { role: body.role }).await
}

/// Invites to a sandbox.
#[utoipa::path(post, path = "/organisations/{org}/sandboxes/{sbx}/invitations", operation_id = "invitation_create", tag = "invitations",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path)), request_body = NewSandboxInvitation,
    responses((status = 201, body = CreatedInvitation), (status = "4XX", body = Problem)))]
async fn invitation_create(
    State(app): State<App>,
    call: Call,
    Path((org, sbx)): Path<(OrganisationId, SandboxId)>,
    Json(body): Json<NewSandboxInvitation>,
) -> Result<Response> {
    let NewSandboxInvitation { email, role, areas, agents, edit, email_sign_in } = body;
    let refused = |refusal: access::Refusal| Error::invalid(refusal.pointer, refusal.code, refusal.message);
    let grant = access::tidy(Grant { role, areas, agents, edit, credentials: None }).map_err(refused)?;
    access::check(&grant).map_err(refused)?;
    let offer = Offer::Sandbox { row: grant.row(), email_sign_in: email_sign_in.unwrap_or(false) };
    invite(&app, call, (org, Some(sbx)), &email, offer).await
}

async fn invite(
    app: &App,
    call: Call,
    (organisation, sandbox): (OrganisationId, Option<SandboxId>),
    email: &str,
    offer: Offer,
) -> Result<Response> {
    let email = text::email(email).map_err(|error| Error::text("/email", error))?;
    let (id, key) = (fresh::<InvitationId>(), key(app));
    let token = rules::Token::new(organisation, sandbox, rand::random());
    let sealed_token = key
        .seal(&token.text, rand::random(), id.uuid().as_bytes())
        .ok_or_else(|| Error::internal(anyhow::anyhow!("a token could not be sealed")))?;
    let token_hash = key.hash(&token.text);
    let operation = Invite { id, organisation, sandbox, email, offer, token_hash, sealed_token };
    let Performed { output, receipt } = app.gate.perform(call, operation).await?;
    let link = link(app, &key, output.invitation.id, &output.sealed_token)?;
    Ok(Performed { output: CreatedInvitation { invitation: output.invitation, link }, receipt }.created())
}

/// Puts the link in place of the sealed token in the answer of a confirmed invitation. Any other answer stays as it is.
///
/// # Errors
/// A token that does not open, which is a fault of ours.
pub(crate) fn reveal(app: &App, mut answer: Value) -> Result<Value> {
    let Some(object) = answer.as_object_mut() else {
        return Ok(answer);
    };
    let id = object.get("invitation").and_then(|invitation| invitation.get("id")).and_then(Value::as_str);
    let id = id.and_then(|id| id.parse::<InvitationId>().ok());
    if let Some(id) = id
        && let Some(Value::String(sealed)) = object.remove("sealedToken")
    {
        object.insert("link".to_owned(), link(app, &key(app), id, &sealed)?.into());
    }
    Ok(answer)
}

fn link(app: &App, key: &LinkKey, id: InvitationId, sealed: &str) -> Result<String> {
    let token = key
        .open(sealed, id.uuid().as_bytes())
        .ok_or_else(|| Error::internal(anyhow::anyhow!("the token of invitation {id} does not open")))?;
    Ok(format!("{}/invitation#{token}", app.origin()))
}

fn key(app: &App) -> LinkKey {
    LinkKey::derive(&app.keys, "invitation")
}

/// Takes an invitation to an organisation back.
#[utoipa::path(delete, path = "/organisations/{org}/invitations/{inv}", operation_id = "organisation_invitation_revoke", tag = "invitations",
    params(("org" = OrganisationId, Path), ("inv" = InvitationId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn organisation_invitation_revoke(
    State(app): State<App>,
    call: Call,
    Path((organisation, id)): Path<(OrganisationId, InvitationId)>,
) -> Result<Response> {
    let operation = RevokeInvitation { organisation, sandbox: None, id, expected: call.if_match };
    Ok(app.gate.perform(call, operation).await?.empty())
}

/// Takes an invitation to a sandbox back.
#[utoipa::path(delete, path = "/organisations/{org}/sandboxes/{sbx}/invitations/{inv}", operation_id = "invitation_revoke", tag = "invitations",
    params(("org" = OrganisationId, Path), ("sbx" = SandboxId, Path), ("inv" = InvitationId, Path)),
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn invitation_revoke(
    State(app): State<App>,
    call: Call,
    Path((organisation, sandbox, id)): Path<(OrganisationId, SandboxId, InvitationId)>,
) -> Result<Response> {
    let operation = RevokeInvitation { organisation, sandbox: Some(sandbox), id, expected: call.if_match };
    Ok(app.gate.perform(call, operation).await?.empty())
}

/// Counts a try at a link and tells which invitation it names.
fn named(app: &App, call: &Call, token: &str) -> Result<Named> {
    let token_hash = key(app).hash(token);
    app.recent.limits.check(call.address.as_deref(), Some(&token_hash))?;
    let token = rules::Token::read(token).ok_or_else(invalid)?;
    Ok(Named::new(&token, token_hash))
}

/// Looks at an invitation, whoever is signed in: the link is what counts.
async fn shown(app: &App, call: &Call, named: &Named) -> Result<Performed<Shown>> {
    app.gate.perform(accounts::visitor(call), ShowInvitation { named: named.clone() }).await
}

/// Looks at an invitation.
#[utoipa::path(post, path = "/invitations/show", operation_id = "invitation_show", tag = "invitations", request_body = Token,
    responses((status = 200, body = InvitationOffer), (status = "4XX", body = Problem)))]
async fn invitation_show(State(app): State<App>, call: Call, Json(body): Json<Token>) -> Result<Response> {
    let named = named(&app, &call, &body.token)?;
    Ok(shown(&app, &call, &named).await?.map(InvitationOffer::from).ok())
}

/// Begins the registration of an invited person without an account.
#[utoipa::path(post, path = "/invitations/begin", operation_id = "invitation_begin", tag = "invitations", request_body = NewInvitedPerson,
    responses((status = 200, body = Ceremony), (status = "4XX", body = Problem)))]
async fn invitation_begin(State(app): State<App>, call: Call, Json(body): Json<NewInvitedPerson>) -> Result<Response> {
    let named = named(&app, &call, &body.token)?;
    let name = text::name(&body.name).map_err(|error| Error::text("/name", error))?;
    let shown = shown(&app, &call, &named).await?.output;
    if shown.account_exists {
        return Err(Error::denied(Code::SignInFirst));
    }
    let email = text::email(&shown.email).map_err(|error| Error::internal(anyhow::anyhow!(error.message)))?;
    let ceremony = crate::gate::fresh_uuid();
    let (public_key, state) =
        app.passkeys.start_registration(ceremony, &email.typed, &name, &[]).map_err(Error::internal)?;
    let registration = Registration { token_hash: named.token_hash.clone(), email, name, state };
    let operation = BeginInvitation { named, ceremony, registration };
    let begun = app.gate.perform(accounts::visitor(&call), operation).await?;
    Ok(begun.map(|()| Ceremony { ceremony_id: ceremony, public_key }).ok())
}

/// Accepts an invitation.
#[utoipa::path(post, path = "/invitations/accept", operation_id = "invitation_accept", tag = "invitations", request_body = Acceptance,
    responses((status = 200, body = SelfView), (status = "4XX", body = Problem)))]
async fn invitation_accept(
    State(app): State<App>,
    session: Session,
    call: Call,
    Json(body): Json<Acceptance>,
) -> Result<Response> {
    let named = named(&app, &call, &body.token)?;
    let enrolment = match (body.ceremony_id, body.credential) {
        (Some(ceremony_id), Some(credential)) => Some(accounts::enrolment(&app, Answered { ceremony_id, credential })),
        (None, None) => None,
        (None, _) => return Err(Error::invalid("/ceremonyId", Code::Required, "Both halves or none.")),
        (_, None) => return Err(Error::invalid("/credential", Code::Required, "Both halves or none.")),
    };
    let shown = shown(&app, &call, &named).await?.output;
    // Who brings a new passkey comes as somebody new, whatever session their browser still has.
    let call = if enrolment.is_some() { accounts::visitor(&call) } else { call };
    let account = enrolment.as_ref().map(accounts::Enrolment::account).or_else(|| call.account());
    let operation = AcceptInvitation {
        named,
        invitation: shown.id,
        offer: shown.offer,
        account,
        enrolment,
        organisation_member: fresh(),
        member: fresh(),
    };
    let accepted = app.gate.perform(call.clone(), operation).await?;
    match (accepted.output, &call.caller) {
        (Some(signed_in), _) => accounts::answer_self(&app, &session, &call, accepted, signed_in).await,
        (None, Caller::Person(_)) => {
            let call = Call { idempotency: None, if_match: None, ..call };
            let myself = app.gate.perform(call, accounts::ReadSelf {}).await?.output;
            Ok(accepted.map(|_| myself).ok())
        }
        (None, _) => Err(Error::Unauthenticated),
    }
}

/// Declines an invitation.
#[utoipa::path(post, path = "/invitations/decline", operation_id = "invitation_decline", tag = "invitations", request_body = Token,
    responses((status = 204), (status = "4XX", body = Problem)))]
async fn invitation_decline(State(app): State<App>, call: Call, Json(body): Json<Token>) -> Result<Response> {
    let named = named(&app, &call, &body.token)?;
    let call = accounts::visitor(&call);
    let invitation = shown(&app, &call, &named).await?.output.id;
    Ok(app.gate.perform(call, DeclineInvitation { named, invitation }).await?.empty())
}
