//! What those who administer a scope do with its invitations.

use chrono::{DateTime, Utc};
use contract::access::{Agents, EditGrant};
use contract::code::Code;
use contract::id::{AccountId, InvitationId, OrganisationId, SandboxId};
use contract::text::Email;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::rules::{self, LIFE, Offer, State};
use super::store::{self, NewInvitation, StoredInvitation};
use crate::accounts;
use crate::error::Error;
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Personal, Read, Result, Scope,
    Target, Timestamp, Tx, Write,
};

/// An open invitation as those who administer the scope see it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invitation)]
pub struct InvitationView {
    /// Which.
    pub id: InvitationId,
    /// Invited address.
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
    /// Whether the person may sign in by e-mail code; only for a sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_sign_in: Option<bool>,
    /// Since when.
    pub created_at: DateTime<Utc>,
    /// The link works until then.
    pub expires_at: DateTime<Utc>,
    /// Who invited.
    pub invited_by: Inviter,
    /// Changes with each change.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// What the caller may do with it.
    pub allowed: Allowed,
}

/// Who invited.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inviter {
    /// Whose account.
    pub account_id: AccountId,
    /// Their name, while they belong to the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl InvitationView {
    fn of(stored: StoredInvitation, context: &Context) -> Result<Self> {
        let offer = stored.offer()?;
        let row = offer.row();
        Ok(Self {
            id: stored.id(),
            role: offer.role().to_owned(),
            areas: row.and_then(|row| row.areas.clone()),
            agents: row.and_then(|row| row.agents),
            edit: row.and_then(|row| row.edit.clone()),
            email_sign_in: row.map(|_| offer.email_sign_in()),
            created_at: stored.created_at,
            expires_at: stored.expires_at,
            invited_by: Inviter { account_id: AccountId::from_uuid(stored.invited_by), name: stored.invited_by_name },
            revision: stored.revision,
            allowed: context.allowed(&[(Action::InvitationRevoke, Decision::Allow)]),
            email: stored.email,
        })
    }
}

/// Lists the open invitations of a scope.
#[derive(Serialize, Deserialize)]
pub struct ListInvitations {
    pub organisation: OrganisationId,
    pub sandbox: Option<SandboxId>,
    pub after: Option<(Timestamp, Uuid)>,
    pub limit: i64,
    /// Part of an address.
    pub search: Option<String>,
}

/// One page, and where the next one begins.
#[derive(Serialize, Deserialize)]
pub struct Listed {
    pub items: Vec<InvitationView>,
    pub next: Option<(Timestamp, Uuid)>,
}

impl Operation for ListInvitations {
    const ACTION: Action = Action::InvitationList;
    type Mode = Read;
    type Facts = Vec<StoredInvitation>;
    type Output = Listed;

    fn scope(&self) -> Scope {
        rules::scope(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Read>) -> Result<Self::Facts> {
        let pattern = crate::search::pattern(self.search.as_deref());
        store::list(tx.conn(), (self.organisation, self.sandbox), self.after, self.limit + 1, pattern).await
    }

    fn decide(&self, _: &Context, _: &Self::Facts) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<Listed> {
        let (context, limit) = (permit.context(), permit.operation().limit);
        let mut found = permit.into_facts();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| (last.created_at, last.id));
        let items = found.into_iter().map(|stored| InvitationView::of(stored, context)).collect::<Result<_>>()?;
        Ok(Listed { items, next })
    }
}

/// Invites an address. An open invitation of that address to this scope is replaced.
#[derive(Serialize, Deserialize)]
pub struct Invite {
    pub id: InvitationId,
    pub organisation: OrganisationId,
    pub sandbox: Option<SandboxId>,
    pub email: Email,
    pub offer: Offer,
    /// Keyed hash of the link's token.
    pub token_hash: Vec<u8>,
    /// The token as ciphertext: whoever gets the answer gets the link.
    pub sealed_token: String,
}

/// The new invitation. The link is made of the token on the way out of the server.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invited {
    pub invitation: InvitationView,
    pub sealed_token: String,
}

impl Operation for Invite {
    const ACTION: Action = Action::InvitationCreate;
    type Mode = Write;
    type Facts = ();
    type Output = Invited;

    fn scope(&self) -> Scope {
        rules::scope(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("invitation", self.id)
    }

    fn parameters(&self) -> Parameters {
        offer_parameters(self.id, &self.offer)
    }

    fn personal(&self, (): &()) -> Vec<Personal> {
        vec![Personal::address(&self.email.address).field("email", &self.email.address)]
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<()> {
        if let Some(account) = accounts::account_of_email(tx.conn(), &self.email.address).await? {
            let member = match self.sandbox {
                Some(sandbox) => store::is_in_sandbox(tx.conn(), self.organisation, sandbox, account).await?,
                None => store::organisation_member(tx.conn(), self.organisation, account).await?.is_some(),
            };
            if member {
                return Err(Error::conflict(Code::AlreadyMember, "This person is a member already."));
            }
        }
        let unknown = unknown_areas(tx, self.organisation, self.sandbox, &self.offer).await?;
        if unknown.is_empty() {
            return Ok(());
        }
        let message = format!("this sandbox has no such areas: {}", unknown.join(", "));
        Err(Error::invalid("/areas", Code::AreasUnknown, message))
    }

    fn decide(&self, context: &Context, (): &()) -> Decision {
        rules::may_offer(&self.offer, context.organisation_role())
    }

    fn describe(&self, (): &()) -> Description {
        let (email, role) = (&self.email.typed, self.offer.role());
        let (place, miejsce) = match self.sandbox {
            Some(_) => ("the sandbox", "piaskownicy"),
            None => ("the organisation", "organizacji"),
        };
        Description {
            en: format!("Invite {email} to {place} as {role}."),
            pl: format!("Zaproszenie {email} do {miejsce} w roli {role}."),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Invited> {
        let (operation, context, at) = (permit.operation(), permit.context(), permit.at());
        let Self { id, organisation, sandbox, email, offer, token_hash, sealed_token } = operation;
        store::revoke_of_address(tx.conn(), *organisation, *sandbox, &email.address, at).await?;
        let new = NewInvitation {
            id: *id,
            organisation: *organisation,
            sandbox: *sandbox,
            email: &email.address,
            offer,
            token_hash,
            invited_by: context.account()?,
            expires_at: at + LIFE,
        };
        store::insert(tx.conn(), &new, at).await?;
        let stored = store::find(tx.conn(), *organisation, *sandbox, *id).await?.ok_or(Error::NotFound)?;
        Ok(Invited { invitation: InvitationView::of(stored, context)?, sealed_token: sealed_token.clone() })
    }
}

/// Takes an open invitation back.
#[derive(Serialize, Deserialize)]
pub struct RevokeInvitation {
    pub organisation: OrganisationId,
    pub sandbox: Option<SandboxId>,
    pub id: InvitationId,
    pub expected: Option<i64>,
}

impl Operation for RevokeInvitation {
    const ACTION: Action = Action::InvitationRevoke;
    type Mode = Write;
    type Facts = StoredInvitation;
    type Output = ();

    fn scope(&self) -> Scope {
        rules::scope(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("invitation", self.id)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("invitation".to_owned(), json!(self.id))])
    }

    fn personal(&self, stored: &StoredInvitation) -> Vec<Personal> {
        vec![Personal::address(&stored.email).field("email", &stored.email)]
    }

    fn revision(&self, stored: &StoredInvitation) -> Option<i64> {
        Some(stored.revision)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<StoredInvitation> {
        let stored = store::find(tx.conn(), self.organisation, self.sandbox, self.id).await?.ok_or(Error::NotFound)?;
        if stored.state() != State::Open {
            return Err(Error::conflict(Code::Conflict, "This invitation was answered or taken back already."));
        }
        if self.expected.is_some_and(|expected| expected != stored.revision) {
            return Err(Error::stale());
        }
        Ok(stored)
    }

    fn decide(&self, _: &Context, _: &StoredInvitation) -> Decision {
        Decision::Allow
    }

    fn describe(&self, stored: &StoredInvitation) -> Description {
        Description {
            en: format!("Take back the invitation of {}.", stored.email),
            pl: format!("Cofnięcie zaproszenia {}.", stored.email),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let Self { organisation, id, .. } = permit.operation();
        if store::end(tx.conn(), *organisation, *id, "revoked", permit.at()).await? {
            Ok(())
        } else {
            Err(Error::NotFound)
        }
    }
}

/// What is recorded of an offer: words and area names, nothing about the person.
pub(super) fn offer_parameters(id: InvitationId, offer: &Offer) -> Parameters {
    let mut parameters = Parameters::new();
    let mut add = |name: &str, value: Value| {
        if !value.is_null() {
            parameters.insert(name.to_owned(), value);
        }
    };
    add("invitation", json!(id));
    add("role", json!(offer.role()));
    if let Offer::Sandbox { row, email_sign_in } = offer {
        add("areas", json!(row.areas));
        add("agents", json!(row.agents));
        add("edit", json!(row.edit));
        add("emailSignIn", json!(email_sign_in));
    }
    parameters
}

/// Areas that the offer names and the sandbox does not have.
pub(super) async fn unknown_areas(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
    offer: &Offer,
) -> Result<Vec<String>> {
    let (Some(sandbox), Some(row)) = (sandbox, offer.row()) else {
        return Ok(Vec::new());
    };
    let named: Vec<String> = row.named_areas().into_iter().map(str::to_owned).collect();
    if named.is_empty() {
        return Ok(named);
    }
    let existing = store::existing_areas(tx.conn(), organisation, sandbox, &named).await?;
    Ok(named.into_iter().filter(|name| !existing.contains(name)).collect())
}
