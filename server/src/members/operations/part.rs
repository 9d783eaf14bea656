//! Taking somebody's access to a sandbox away, and giving one's own up.

use contract::id::{MemberId, OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};

use super::super::rules;
use super::super::store::{self, MemberRow, Person};
use super::about;
use crate::error::Error;
use crate::gate::{
    Action, Authorized, Context, Decision, Description, Operation, Parameters, Personal, Result, Revoked, Scope,
    Target, Timestamp, Tx, Write,
};
use crate::invitations;

/// Whose row it is and what they were, for the record.
fn present(row: &MemberRow) -> Parameters {
    Parameters::from_iter([
        ("member".to_owned(), row.id.to_string().into()),
        ("account".to_owned(), row.person.account.to_string().into()),
        ("role".to_owned(), row.row.role.as_str().into()),
    ])
}

async fn part(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    row: &MemberRow,
    at: Timestamp,
) -> Result<()> {
    // An invitation that was still open would bring them back.
    invitations::revoke_into(tx.conn(), organisation, sandbox, row.person.account, at).await?;
    store::remove(tx, organisation, sandbox, row.id).await?;
    tx.revoke(Revoked::SandboxPerson { organisation, sandbox, account: row.person.account }).await
}

/// Takes somebody's access to a sandbox away.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RemoveMember {
    /// Where.
    pub organisation: OrganisationId,
    /// From which sandbox.
    pub sandbox: SandboxId,
    /// Whose row.
    pub member: MemberId,
    /// Whoever has this normalised address, where the caller named one.
    pub address: Option<String>,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

/// Who is to go.
pub(crate) struct Removal {
    person: Person,
    /// None where the owner was named, who has no row.
    row: Option<MemberRow>,
}

impl RemoveMember {
    async fn addressed(&self, tx: &mut Tx<Write>, address: &str) -> Result<Removal> {
        let person = store::addressed(tx, self.organisation, address).await?.ok_or(Error::NotFound)?;
        let row = store::of_account(tx, self.organisation, self.sandbox, person.account).await?;
        Ok(Removal { person, row })
    }
}

impl Operation for RemoveMember {
    const ACTION: Action = Action::MemberRemove;
    type Mode = Write;
    type Facts = Removal;
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("member", self.member)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("member".to_owned(), self.member.to_string().into())])
    }

    fn recorded(&self, facts: &Removal) -> Parameters {
        facts.row.as_ref().map_or_else(|| self.parameters(), present)
    }

    fn personal(&self, facts: &Removal) -> Vec<Personal> {
        about(&facts.person)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Removal> {
        let found = match &self.address {
            Some(address) => self.addressed(tx, address).await?,
            None => {
                let row =
                    store::find(tx, self.organisation, self.sandbox, self.member).await?.ok_or(Error::NotFound)?;
                Removal { person: row.person.clone(), row: Some(row) }
            }
        };
        if found.row.is_none() && rules::remove(owns(context, &found.person)) == Decision::Allow {
            return Err(Error::NotFound);
        }
        if self.expected.is_some() && self.expected != found.row.as_ref().map(|row| row.revision) {
            return Err(Error::stale());
        }
        Ok(found)
    }

    fn decide(&self, context: &Context, facts: &Removal) -> Decision {
        rules::remove(owns(context, &facts.person))
    }

    fn revision(&self, facts: &Removal) -> Option<i64> {
        facts.row.as_ref().map(|row| row.revision)
    }

    fn describe(&self, facts: &Removal) -> Description {
        let Person { name, email, .. } = &facts.person;
        Description {
            en: format!("Remove {name} ({email}) from the sandbox. What they have open ends at once."),
            pl: format!("Usunąć osobę {name} ({email}) z piaskownicy. Jej otwarte sesje zakończą się natychmiast."),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let Self { organisation, sandbox, .. } = permit.operation();
        let row = permit.facts().row.as_ref().ok_or(Error::NotFound)?;
        part(tx, *organisation, *sandbox, row, permit.at()).await
    }
}

fn owns(context: &Context, person: &Person) -> bool {
    context.sandbox().is_some_and(|standing| standing.owner == person.account)
}

/// Gives up one's own row in a sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LeaveSandbox {
    /// Where.
    pub organisation: OrganisationId,
    /// Which sandbox.
    pub sandbox: SandboxId,
}

impl Operation for LeaveSandbox {
    const ACTION: Action = Action::MemberLeave;
    type Mode = Write;
    type Facts = Option<MemberRow>;
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn recorded(&self, facts: &Option<MemberRow>) -> Parameters {
        facts.as_ref().map(present).unwrap_or_default()
    }

    fn personal(&self, facts: &Option<MemberRow>) -> Vec<Personal> {
        facts.as_ref().map(|row| about(&row.person)).unwrap_or_default()
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Option<MemberRow>> {
        store::of_account(tx, self.organisation, self.sandbox, context.account()?).await
    }

    fn decide(&self, context: &Context, facts: &Option<MemberRow>) -> Decision {
        rules::leave(context.sandbox().is_some_and(|standing| standing.is_owner), facts.is_some())
    }

    fn revision(&self, facts: &Option<MemberRow>) -> Option<i64> {
        facts.as_ref().map(|row| row.revision)
    }

    fn describe(&self, _: &Option<MemberRow>) -> Description {
        Description { en: "Leave the sandbox.".to_owned(), pl: "Opuścić piaskownicę.".to_owned() }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let Self { organisation, sandbox } = permit.operation();
        let row = permit.facts().as_ref().ok_or(Error::NotFound)?;
        part(tx, *organisation, *sandbox, row, permit.at()).await
    }
}
