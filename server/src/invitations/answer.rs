//! What the invited person does: look, begin a registration, accept, decline. The link's token is their proof.

use chrono::{DateTime, Utc};
use contract::access::OrganisationRole;
use contract::code::Code;
use contract::id::{AccountId, InvitationId, MemberId, OrganisationId, OrganisationMemberId, SandboxId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::operations::{offer_parameters, unknown_areas};
use super::rules::{self, Offer, Token};
use super::store::{self, NewMember, StoredInvitation};
use crate::accounts::{self, Enrolled, Enrolment, Registration, SignedIn};
use crate::error::Error;
use crate::gate::{
    Action, Authorized, Context, Decision, Hot, Operation, Parameters, Personal, Read, Result, Scope, Target,
    Timestamp, Tx, Write,
};

const KIND: &str = "invitation";

/// Which invitation a token names: the scope it claims, and its keyed hash.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Named {
    pub organisation: OrganisationId,
    pub sandbox: Option<SandboxId>,
    pub token_hash: Vec<u8>,
}

impl Named {
    pub fn new(token: &Token, token_hash: Vec<u8>) -> Self {
        Self { organisation: token.organisation, sandbox: token.sandbox, token_hash }
    }

    fn scope(&self) -> Scope {
        rules::scope(self.organisation, self.sandbox)
    }

    /// The open invitation.
    async fn open<M>(&self, tx: &mut Tx<M>, at: Timestamp) -> Result<StoredInvitation> {
        let found = store::by_token(tx.conn(), self.organisation, self.sandbox, &self.token_hash).await?;
        let stored = found.ok_or_else(invalid)?;
        match rules::fault(stored.state(), stored.expires_at, at) {
            None => Ok(stored),
            Some(Code::TokenUsed) => Err(Error::gone(Code::TokenUsed, "This invitation was answered already.")),
            Some(Code::TokenExpired) => {
                Err(Error::gone(Code::TokenExpired, "This invitation has expired. Ask for a new one."))
            }
            Some(_) => Err(invalid()),
        }
    }
}

/// The answer to a token that is not, or no longer, one of ours.
pub(super) fn invalid() -> Error {
    Error::gone(Code::TokenInvalid, "This invitation is not valid, or a newer one has replaced it.")
}

/// Looks at an invitation.
#[derive(Serialize, Deserialize)]
pub struct ShowInvitation {
    pub named: Named,
}

/// What is offered, by whom and to whom.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Shown {
    pub id: InvitationId,
    pub organisation_name: String,
    pub sandbox_name: Option<String>,
    pub email: String,
    pub offer: Offer,
    pub expires_at: DateTime<Utc>,
    pub account_exists: bool,
}

impl Operation for ShowInvitation {
    const ACTION: Action = Action::InvitationShow;
    type Mode = Read;
    type Facts = Shown;
    type Output = Shown;

    fn scope(&self) -> Scope {
        self.named.scope()
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<Shown> {
        let stored = self.named.open(tx, context.at()).await?;
        let Named { organisation, sandbox, .. } = &self.named;
        let (organisation_name, sandbox_name) =
            store::names(tx.conn(), *organisation, *sandbox).await?.ok_or_else(invalid)?;
        let account_exists = accounts::account_of_email(tx.conn(), &stored.email).await?.is_some();
        let (id, offer) = (stored.id(), stored.offer()?);
        let StoredInvitation { email, expires_at, .. } = stored;
        Ok(Shown { id, organisation_name, sandbox_name, email, offer, expires_at, account_exists })
    }

    fn decide(&self, _: &Context, _: &Shown) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<Shown> {
        Ok(permit.into_facts())
    }
}

/// Remembers whom the invitation is about to give an account. It is looked at before, and again when it is accepted.
#[derive(Serialize, Deserialize)]
pub struct BeginInvitation {
    pub named: Named,
    pub ceremony: Uuid,
    pub registration: Registration,
}

impl Operation for BeginInvitation {
    const ACTION: Action = Action::InvitationBegin;
    type Mode = Hot;
    type Facts = ();
    type Output = ();

    fn scope(&self) -> Scope {
        self.named.scope()
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Hot>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Hot>) -> Result<()> {
        let Self { ceremony, registration, .. } = permit.operation();
        accounts::begin_ceremony(tx.conn(), *ceremony, KIND, registration, permit.at()).await
    }
}

/// Accepts: as the signed-in person, or by registering the passkey of a new account.
#[derive(Serialize, Deserialize)]
pub struct AcceptInvitation {
    pub named: Named,
    /// As shown a moment ago: what is accepted is what was seen.
    pub invitation: InvitationId,
    pub offer: Offer,
    /// Who accepts: the caller, or the account that the enrolment makes.
    pub account: Option<AccountId>,
    pub enrolment: Option<Enrolment>,
    /// Ids of the rows that it makes.
    pub organisation_member: OrganisationMemberId,
    pub member: MemberId,
}

/// What accepting rests on.
pub struct Acceptance {
    email: String,
    verdict: Decision,
    /// None where a visitor brought nothing that proves who they are.
    who: Option<AccountId>,
    enrolled: Option<Enrolled>,
    membership: Option<(OrganisationMemberId, OrganisationRole)>,
    in_sandbox: bool,
}

impl AcceptInvitation {
    /// A new person's registration, proven and begun for this very invitation.
    async fn enrol(&self, stored: &StoredInvitation, tx: &mut Tx<Write>, at: Timestamp) -> Result<Option<Enrolled>> {
        let Some(enrolment) = &self.enrolment else {
            return Ok(None);
        };
        let enrolled = enrolment.prove(tx.conn(), KIND, at).await?;
        let Registration { token_hash, email, .. } = &enrolled.registration;
        if *token_hash != self.named.token_hash || email.address != stored.email {
            return Err(Error::denied(Code::CeremonyInvalid));
        }
        Ok(Some(enrolled))
    }

    async fn refuse_lost_areas(&self, tx: &mut Tx<Write>) -> Result<()> {
        let unknown = unknown_areas(tx, self.named.organisation, self.named.sandbox, &self.offer).await?;
        if unknown.is_empty() {
            return Ok(());
        }
        let detail =
            format!("The sandbox no longer has these areas: {}. Ask for a new invitation.", unknown.join(", "));
        Err(Error::conflict(Code::AreasUnknown, detail))
    }
}

impl Operation for AcceptInvitation {
    const ACTION: Action = Action::InvitationAccept;
    type Mode = Write;
    type Facts = Acceptance;
    type Output = Option<SignedIn>;

    fn scope(&self) -> Scope {
        self.named.scope()
    }

    fn target(&self) -> Target {
        Target::new("invitation", self.invitation)
    }

    fn parameters(&self) -> Parameters {
        let mut parameters = offer_parameters(self.invitation, &self.offer);
        let mut add = |name: &str, id: String| parameters.insert(name.to_owned(), id.into());
        if let Some(account) = self.account {
            add("account", account.to_string());
        }
        if let Some(enrolment) = &self.enrolment {
            add("signIn", enrolment.sign_in.to_string());
        }
        if self.named.sandbox.is_some() {
            add("member", self.member.to_string());
        }
        add("organisationMember", self.organisation_member.to_string());
        parameters
    }

    fn personal(&self, facts: &Acceptance) -> Vec<Personal> {
        let mut personal = vec![Personal::address(&facts.email).field("email", &facts.email)];
        if let (Some(account), Some(enrolled)) = (self.account, &facts.enrolled) {
            let Registration { email, name, .. } = &enrolled.registration;
            personal.push(Personal::account(account).field("email", &email.address).field("name", name));
        }
        personal
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Acceptance> {
        let stored = self.named.open(tx, context.at()).await?;
        if stored.id() != self.invitation || stored.offer()? != self.offer {
            return Err(Error::stale());
        }
        let person = context.person();
        let exists = match person {
            Some(_) => true,
            None => accounts::account_of_email(tx.conn(), &stored.email).await?.is_some(),
        };
        let verdict = rules::may_accept(&stored.email, person.map(|person| person.email.as_str()), exists);
        let mut facts = Acceptance {
            email: stored.email.clone(),
            verdict,
            who: None,
            enrolled: None,
            membership: None,
            in_sandbox: false,
        };
        if verdict != Decision::Allow {
            return Ok(facts);
        }
        self.refuse_lost_areas(tx).await?;
        let Named { organisation, sandbox, .. } = self.named;
        if let Some(person) = person {
            facts.who = Some(person.account);
            facts.membership = store::organisation_member(tx.conn(), organisation, person.account).await?;
            if let Some(sandbox) = sandbox {
                facts.in_sandbox = store::is_in_sandbox(tx.conn(), organisation, sandbox, person.account).await?;
            }
        } else {
            facts.enrolled = self.enrol(&stored, tx, context.at()).await?;
            facts.who = facts.enrolled.as_ref().and(self.enrolment.as_ref()).map(Enrolment::account);
        }
        Ok(facts)
    }

    fn decide(&self, _: &Context, facts: &Acceptance) -> Decision {
        match (facts.verdict, facts.who) {
            (Decision::Allow, None) => Decision::Deny(Code::Unauthenticated),
            (verdict, _) => verdict,
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Option<SignedIn>> {
        let (operation, at) = (permit.operation(), permit.at());
        let facts = permit.facts();
        let account = facts.who.ok_or(Error::Unauthenticated)?;
        let Named { organisation, sandbox, .. } = operation.named;
        if !store::end(tx.conn(), organisation, operation.invitation, "accepted", at).await? {
            return Err(invalid());
        }
        let signed_in = match (&operation.enrolment, &facts.enrolled) {
            (Some(enrolment), Some(enrolled)) => {
                let address = permit.context().address();
                Some(enrolment.carry_out(tx.conn(), enrolled, false, address, at).await?)
            }
            _ => None,
        };
        let role = operation.offer.organisation_role();
        match facts.membership {
            None => {
                let id = operation.organisation_member;
                store::insert_organisation_member(tx.conn(), organisation, id, account, role, at).await?;
            }
            // Somebody who came in by another invitation meanwhile is raised to what this one offers, never lowered.
            Some((id, present)) if present < role => {
                store::raise_organisation_member(tx.conn(), organisation, id, role).await?;
            }
            Some(_) => {}
        }
        // A row that exists by now was granted after this invitation, so that it stays.
        if let (Some(sandbox), Offer::Sandbox { row, email_sign_in }) = (sandbox, &operation.offer)
            && !facts.in_sandbox
        {
            let id = operation.member;
            let new = NewMember { organisation, sandbox, id, account, row, email_sign_in: *email_sign_in };
            store::insert_sandbox_member(tx.conn(), &new, at).await?;
        }
        Ok(signed_in)
    }
}

/// Declines: the link is proof enough, since it only takes an offer away.
#[derive(Serialize, Deserialize)]
pub struct DeclineInvitation {
    pub named: Named,
    pub invitation: InvitationId,
}

impl Operation for DeclineInvitation {
    const ACTION: Action = Action::InvitationDecline;
    type Mode = Write;
    type Facts = StoredInvitation;
    type Output = ();

    fn scope(&self) -> Scope {
        self.named.scope()
    }

    fn target(&self) -> Target {
        Target::new("invitation", self.invitation)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("invitation".to_owned(), json!(self.invitation))])
    }

    fn personal(&self, stored: &StoredInvitation) -> Vec<Personal> {
        vec![Personal::address(&stored.email).field("email", &stored.email)]
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<StoredInvitation> {
        let stored = self.named.open(tx, context.at()).await?;
        if stored.id() == self.invitation { Ok(stored) } else { Err(Error::stale()) }
    }

    fn decide(&self, _: &Context, _: &StoredInvitation) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let Self { named, invitation } = permit.operation();
        if store::end(tx.conn(), named.organisation, *invitation, "declined", permit.at()).await? {
            Ok(())
        } else {
            Err(invalid())
        }
    }
}
