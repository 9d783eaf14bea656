//! Giving somebody access to a sandbox, and changing it.

use contract::access::{EditGrant, Grant, Row};
use contract::code::Code;
use contract::id::{MemberId, OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::model::Member;
use super::super::rules;
use super::super::store::{self, MemberRow, Person, Written};
use super::{about, offered, shown};
use crate::error::Error;
use crate::gate::{
    Action, Authorized, Context, Decision, Description, Operation, Parameters, Personal, Result, Revoked, Scope,
    Target, Tx, Write,
};
use crate::sandboxes::areas;

/// What of a grant is recorded. The gate drops nothing of it: the action's line lists all.
fn recorded(member: MemberId, row: &Row, email_sign_in: Option<bool>) -> Parameters {
    let mut parameters = match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields,
        _ => Parameters::new(),
    };
    parameters.insert("member".to_owned(), member.to_string().into());
    if let Some(email_sign_in) = email_sign_in {
        parameters.insert("emailSignIn".to_owned(), email_sign_in.into());
    }
    parameters
}

/// Refuses areas that the sandbox does not have, naming them.
async fn know_areas(tx: &mut Tx<Write>, organisation: OrganisationId, sandbox: SandboxId, row: &Row) -> Result<()> {
    let edit = match &row.edit {
        Some(EditGrant::Areas(areas)) => areas.as_slice(),
        Some(EditGrant::All) | None => &[],
    };
    for (pointer, names) in [("/areas", row.areas.as_deref().unwrap_or(&[])), ("/edit", edit)] {
        let unknown = areas::unknown(tx, organisation, sandbox, names).await?;
        if !unknown.is_empty() {
            let message = format!("This sandbox has no area named {}.", unknown.join(", "));
            return Err(Error::invalid(pointer, Code::AreasUnknown, message));
        }
    }
    Ok(())
}

fn is_owner(context: &Context, person: &Person) -> bool {
    context.sandbox().is_some_and(|standing| standing.owner == person.account)
}

fn described(person: &Person, row: &Row) -> Description {
    let Person { name, email, .. } = person;
    let role = row.role;
    let fence = row.areas.as_ref().map(|areas| areas.join(", "));
    match fence {
        None => Description {
            en: format!("Make {name} ({email}) a {role} of the whole sandbox."),
            pl: format!("Nadać osobie {name} ({email}) rolę {role} w całej piaskownicy."),
        },
        Some(areas) => Description {
            en: format!("Make {name} ({email}) a {role} who sees these areas: {areas}."),
            pl: format!("Nadać osobie {name} ({email}) rolę {role} z dostępem do obszarów: {areas}."),
        },
    }
}

/// Writes the row, tells open streams, and answers the row as it is now.
async fn carry_out(context: &Context, tx: &mut Tx<Write>, written: Written<'_>) -> Result<Member> {
    let (organisation, sandbox, account) = (written.organisation, written.sandbox, written.account);
    store::write(tx, written).await?;
    // Less access shows at once in what they have open.
    tx.revoke(Revoked::SandboxPerson { organisation, sandbox, account }).await?;
    let row = store::of_account(tx, organisation, sandbox, account).await?.ok_or(Error::NotFound)?;
    Ok(shown(row, offered(context)))
}

/// Gives somebody who belongs to the organisation access to a sandbox; a second grant writes over the first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GrantMember {
    /// Identity of the row: the one that the person has, else a fresh one.
    pub member: MemberId,
    /// Where.
    pub organisation: OrganisationId,
    /// To which sandbox.
    pub sandbox: SandboxId,
    /// Normalised address of the person.
    pub address: String,
    /// What is granted, tidied and found to make sense by itself.
    pub grant: Grant,
    /// Whether a code sent by e-mail lets them in; absent keeps what the row says.
    pub email_sign_in: Option<bool>,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

/// Who is granted something, and what they have.
pub(crate) struct Grantee {
    person: Person,
    present: Option<MemberRow>,
}

impl Operation for GrantMember {
    const ACTION: Action = Action::MemberGrant;
    type Mode = Write;
    type Facts = Grantee;
    type Output = Member;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("member", self.member)
    }

    fn parameters(&self) -> Parameters {
        recorded(self.member, &self.grant.row(), self.email_sign_in)
    }

    fn recorded(&self, facts: &Grantee) -> Parameters {
        let member = facts.present.as_ref().map_or(self.member, |row| row.id);
        let mut parameters = recorded(member, &self.grant.row(), self.email_sign_in);
        parameters.insert("account".to_owned(), facts.person.account.to_string().into());
        parameters
    }

    fn personal(&self, facts: &Grantee) -> Vec<Personal> {
        about(&facts.person)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Grantee> {
        let person = store::addressed(tx, self.organisation, &self.address).await?.ok_or_else(|| {
            let message = "Nobody with this address belongs to the organisation. Invite them instead.";
            Error::invalid("/email", Code::NotAMember, message)
        })?;
        let present = store::of_account(tx, self.organisation, self.sandbox, person.account).await?;
        if self.expected.is_some() && self.expected != present.as_ref().map(|row| row.revision) {
            return Err(Error::stale());
        }
        if !is_owner(context, &person) {
            know_areas(tx, self.organisation, self.sandbox, &self.grant.row()).await?;
        }
        Ok(Grantee { person, present })
    }

    fn decide(&self, context: &Context, facts: &Grantee) -> Decision {
        rules::grant(is_owner(context, &facts.person), self.grant.role)
    }

    fn revision(&self, facts: &Grantee) -> Option<i64> {
        facts.present.as_ref().map(|row| row.revision)
    }

    fn describe(&self, facts: &Grantee) -> Description {
        described(&facts.person, &self.grant.row())
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Member> {
        let Self { member, organisation, sandbox, grant, email_sign_in, .. } = permit.operation();
        let written = Written {
            organisation: *organisation,
            sandbox: *sandbox,
            member: *member,
            account: permit.facts().person.account,
            row: &grant.row(),
            email_sign_in: *email_sign_in,
            at: permit.at(),
        };
        carry_out(permit.context(), tx, written).await
    }
}

/// Writes over a member's row.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChangeMember {
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
    /// Whose row.
    pub member: MemberId,
    /// What is granted, tidied and found to make sense by itself.
    pub grant: Grant,
    /// Whether a code sent by e-mail lets them in; absent keeps what the row says.
    pub email_sign_in: Option<bool>,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for ChangeMember {
    const ACTION: Action = Action::MemberChange;
    type Mode = Write;
    type Facts = MemberRow;
    type Output = Member;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("member", self.member)
    }

    fn parameters(&self) -> Parameters {
        recorded(self.member, &self.grant.row(), self.email_sign_in)
    }

    fn recorded(&self, facts: &MemberRow) -> Parameters {
        let mut parameters = self.parameters();
        parameters.insert("account".to_owned(), facts.person.account.to_string().into());
        parameters
    }

    fn personal(&self, facts: &MemberRow) -> Vec<Personal> {
        about(&facts.person)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<MemberRow> {
        let row = store::find(tx, self.organisation, self.sandbox, self.member).await?.ok_or(Error::NotFound)?;
        if self.expected.is_some_and(|expected| expected != row.revision) {
            return Err(Error::stale());
        }
        if !is_owner(context, &row.person) {
            know_areas(tx, self.organisation, self.sandbox, &self.grant.row()).await?;
        }
        Ok(row)
    }

    fn decide(&self, context: &Context, facts: &MemberRow) -> Decision {
        rules::grant(is_owner(context, &facts.person), self.grant.role)
    }

    fn revision(&self, facts: &MemberRow) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &MemberRow) -> Description {
        described(&facts.person, &self.grant.row())
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Member> {
        let Self { organisation, sandbox, member, grant, email_sign_in, .. } = permit.operation();
        let written = Written {
            organisation: *organisation,
            sandbox: *sandbox,
            member: *member,
            account: permit.facts().person.account,
            row: &grant.row(),
            email_sign_in: *email_sign_in,
            at: permit.at(),
        };
        carry_out(permit.context(), tx, written).await
    }
}
