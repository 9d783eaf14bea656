//! Passing a sandbox on.

use contract::code::Code;
use contract::id::{MemberId, OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};

use super::super::model::Sandbox;
use super::super::rules;
use super::super::store::{self, SandboxRow};
use super::sandbox::{current, shown_to};
use crate::error::Error;
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Personal, Result, Revoked,
    Scope, Tx, Write,
};
use crate::members::{self, Person};

/// Makes a member the sandbox's owner; the owner until then becomes a maintainer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TransferSandbox {
    /// Where.
    pub organisation: OrganisationId,
    /// Which.
    pub sandbox: SandboxId,
    /// Who is to own it.
    pub member: MemberId,
    /// Identity of the row that the owner until then gets.
    pub row: MemberId,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

/// What a transfer needs to know.
pub(crate) struct Transfer {
    sandbox: SandboxRow,
    to: Person,
}

impl Operation for TransferSandbox {
    const ACTION: Action = Action::SandboxTransfer;
    type Mode = Write;
    type Facts = Transfer;
    type Output = Sandbox;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("member".to_owned(), self.member.to_string().into())])
    }

    fn recorded(&self, facts: &Transfer) -> Parameters {
        let mut parameters = self.parameters();
        parameters.insert("account".to_owned(), facts.to.account.to_string().into());
        parameters.insert("before".to_owned(), facts.sandbox.owner.to_string().into());
        parameters
    }

    fn personal(&self, facts: &Transfer) -> Vec<Personal> {
        vec![Personal::account(facts.to.account).field("email", &facts.to.email).field("name", &facts.to.name)]
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Transfer> {
        let sandbox = current(tx, self.organisation, self.sandbox, self.expected).await?;
        let to = members::person(tx, self.organisation, self.sandbox, self.member).await?;
        let to = to.ok_or_else(|| {
            Error::invalid("/memberId", Code::NotAMember, "Ownership passes to a member of the sandbox.")
        })?;
        Ok(Transfer { sandbox, to })
    }

    fn decide(&self, _: &Context, facts: &Transfer) -> Decision {
        rules::transfer(facts.to.account == facts.sandbox.owner)
    }

    fn revision(&self, facts: &Transfer) -> Option<i64> {
        Some(facts.sandbox.revision)
    }

    fn describe(&self, facts: &Transfer) -> Description {
        let Person { name, email, .. } = &facts.to;
        Description {
            en: format!("Make {name} ({email}) the owner of the sandbox “{}”.", facts.sandbox.name),
            pl: format!("Przekazać piaskownicę „{}” na własność osobie {name} ({email}).", facts.sandbox.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Sandbox> {
        let Self { organisation, sandbox, row, .. } = permit.operation();
        let (organisation, sandbox) = (*organisation, *sandbox);
        let (from, to) = (permit.facts().sandbox.owner, permit.facts().to.account);
        members::leave_rosters(tx, organisation, &[sandbox], to).await?;
        store::set_owner(tx, organisation, sandbox, to).await?;
        members::add_maintainer(tx, organisation, sandbox, *row, from, permit.at()).await?;
        for account in [from, to] {
            tx.revoke(Revoked::SandboxPerson { organisation, sandbox, account }).await?;
        }
        let found = store::find(tx, organisation, sandbox).await?;
        // What the caller may from now on depends on rows that the context has not seen; the page asks again.
        Ok(Sandbox { allowed: Allowed::new(), ..shown_to(permit.context(), organisation, found)? })
    }
}
