//! What a signed-in person asks about themselves: who they are here, that they are still here, and to leave.

use chrono::{DateTime, Utc};
use contract::access::{OrganisationRole, Row};
use contract::code::Code;
use contract::id::{AccountId, OrganisationId, SandboxId, SignInId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rules::{self, Lifetime};
use super::store;
use crate::error::Error;
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Hot, Operation, Parameters, Read, Result, Revoked, Scope, Target,
    Tx, Write,
};

/// Who is signed in, and where they belong.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Self)]
pub struct SelfView {
    /// The account.
    pub account: AccountSummary,
    /// This sign-in.
    pub sign_in: SignInSummary,
    /// Organisations that the account belongs to.
    pub organisations: Vec<OrganisationEntry>,
    /// Sandboxes that the account owns or is a member of.
    pub sandboxes: Vec<SandboxEntry>,
    /// What the person may do outside any organisation.
    pub allowed: Allowed,
}

/// An account as its person sees it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountSummary {
    /// Which.
    pub id: AccountId,
    /// Normalised address.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Operates the installation.
    pub operator: bool,
}

/// A sign-in as its person sees it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInSummary {
    /// Which.
    pub id: SignInId,
    /// How: `passkey`.
    pub method: String,
    /// Since when.
    pub created_at: DateTime<Utc>,
    /// Ends then in any case.
    pub expires_at: DateTime<Utc>,
}

/// An organisation in one's own list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganisationEntry {
    /// Which.
    pub id: OrganisationId,
    /// Its name.
    pub name: String,
    /// One's role.
    pub role: OrganisationRole,
}

/// A sandbox in one's own list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxEntry {
    /// Its organisation.
    pub organisation_id: OrganisationId,
    /// The organisation's name.
    pub organisation_name: String,
    /// Which.
    pub id: SandboxId,
    /// Its name.
    pub name: String,
    /// One's tier, or `owner`.
    pub role: String,
}

/// Asks who is signed in.
#[derive(Serialize, Deserialize)]
pub struct ReadSelf {}

/// Where the account belongs.
pub struct Belongings {
    organisations: Vec<store::MyOrganisation>,
    sandboxes: Vec<store::MySandbox>,
}

impl Operation for ReadSelf {
    const ACTION: Action = Action::SessionRead;
    type Mode = Read;
    type Facts = Belongings;
    type Output = SelfView;

    fn scope(&self) -> Scope {
        Scope::Account
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<Belongings> {
        let account = context.account()?;
        Ok(Belongings {
            organisations: store::my_organisations(tx.conn(), account).await?,
            sandboxes: store::my_sandboxes(tx.conn(), account).await?,
        })
    }

    fn decide(&self, _: &Context, _: &Belongings) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<SelfView> {
        let context = permit.context();
        let person = context.person().ok_or(Error::Unauthenticated)?;
        let sign_in = person.sign_in.as_ref().ok_or(Error::Unauthenticated)?;
        let account = AccountSummary {
            id: person.account,
            email: person.email.clone(),
            name: person.name.clone(),
            operator: person.operator,
        };
        let sign_in = SignInSummary {
            id: sign_in.id,
            method: sign_in.method.clone(),
            created_at: sign_in.created_at,
            expires_at: sign_in.expires_at,
        };
        let allowed = context.allowed(&[(Action::OrganisationCreate, Decision::Allow)]);
        let Belongings { organisations, sandboxes } = permit.into_facts();
        Ok(SelfView {
            account,
            sign_in,
            organisations: organisations.into_iter().map(organisation).collect::<Result<_>>()?,
            sandboxes: sandboxes.into_iter().map(sandbox).collect::<Result<_>>()?,
            allowed,
        })
    }
}

fn organisation(row: store::MyOrganisation) -> Result<OrganisationEntry> {
    let role = row.role.parse().map_err(|_| Error::internal(anyhow::anyhow!("unknown role {}", row.role)))?;
    Ok(OrganisationEntry { id: row.id(), name: row.name, role })
}

fn sandbox(row: store::MySandbox) -> Result<SandboxEntry> {
    let role = match &row.role {
        _ if row.owner => "owner".to_owned(),
        Some(role) => {
            let stored = Row::stored(role, row.areas.clone(), row.agents.as_deref(), row.edit.as_ref())
                .map_err(|error| Error::internal(anyhow::anyhow!("a member row cannot be read: {error}")))?;
            stored.resolve().tier().to_string()
        }
        None => return Err(Error::internal(anyhow::anyhow!("a sandbox was listed without a role"))),
    };
    Ok(SandboxEntry {
        organisation_id: OrganisationId::from_uuid(row.organisation_id),
        id: row.id(),
        organisation_name: row.organisation_name,
        name: row.name,
        role,
    })
}

/// Ends one's own sign-in.
#[derive(Serialize, Deserialize)]
pub struct EndSession {
    pub sign_in: SignInId,
}

impl Operation for EndSession {
    const ACTION: Action = Action::SessionEnd;
    type Mode = Write;
    type Facts = ();
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Account
    }

    fn target(&self) -> Target {
        Target::new("sign_in", self.sign_in)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("signIn".to_owned(), self.sign_in.to_string().into())])
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Write>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, context: &Context, (): &()) -> Decision {
        let own = context.person().and_then(|person| person.sign_in.as_ref()).map(|sign_in| sign_in.id);
        if own == Some(self.sign_in) { Decision::Allow } else { Decision::Deny(Code::InsufficientAccess) }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let sign_in = permit.operation().sign_in;
        store::end_sign_in(tx.conn(), sign_in, "signed_out", permit.at()).await?;
        tx.revoke(Revoked::SignIn(sign_in)).await
    }
}

/// Notes that a sign-in is in use, which puts its idle end off.
#[derive(Serialize, Deserialize)]
pub struct TouchSession {
    pub lifetime: Lifetime,
}

impl Operation for TouchSession {
    const ACTION: Action = Action::SessionTouch;
    type Mode = Hot;
    type Facts = ();
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Account
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Hot>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Hot>) -> Result<()> {
        let at = permit.at();
        let Some(sign_in) = permit.context().person().and_then(|person| person.sign_in.as_ref()) else {
            return Err(Error::Unauthenticated);
        };
        if !rules::worth_noting(sign_in.seen_at, at) {
            return Ok(());
        }
        let idle_expires_at = permit.operation().lifetime.idle_end(at, sign_in.expires_at);
        store::touch_sign_in(tx.conn(), sign_in.id, at, idle_expires_at).await
    }
}
