//! Who belongs to an organisation: listing, giving a role, removing, leaving.

use contract::access::OrganisationRole;
use contract::code::Code;
use contract::id::{AccountId, OrganisationId, OrganisationMemberId};
use serde::{Deserialize, Serialize};

use super::super::model::OrganisationMember;
use super::super::rules;
use super::super::store::{self, After, MemberRow};
use crate::error::Error;
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Personal, Read, Result,
    Revoked, Scope, Target, Timestamp, Tx, Write,
};
use crate::{invitations, members, sandboxes};

/// What a roster may offer on one row.
fn offered(context: &Context, account: AccountId, role: OrganisationRole, owners: i64) -> Allowed {
    let actor = context.organisation_role();
    let kept =
        if rules::leaves_no_owner(role, None, owners) { Decision::Deny(Code::LastOwner) } else { Decision::Allow };
    let mut list = vec![
        (Action::OrganisationGrant, rules::touch(actor, role).max(kept)),
        (Action::OrganisationRevoke, rules::revoke(actor, role).max(kept)),
    ];
    if context.account().is_ok_and(|own| own == account) {
        list.push((Action::OrganisationLeave, kept));
    }
    context.allowed(&list)
}

fn shown(context: &Context, row: &MemberRow, owners: i64) -> OrganisationMember {
    OrganisationMember {
        id: row.id,
        account_id: row.account,
        email: row.email.clone(),
        name: row.name.clone(),
        role: row.role,
        revision: row.revision,
        created_at: row.created_at,
        is_self: context.account().is_ok_and(|own| own == row.account),
        allowed: offered(context, row.account, row.role, owners),
    }
}

fn about(row: &MemberRow) -> Vec<Personal> {
    vec![Personal::account(row.account).field("email", &row.email).field("name", &row.name)]
}

/// Whose membership it is and what they were, for the record.
fn present(row: &MemberRow, role_as: &str) -> Parameters {
    Parameters::from_iter([
        ("account".to_owned(), row.account.to_string().into()),
        (role_as.to_owned(), row.role.as_str().into()),
    ])
}

/// Somebody's membership beside the number of owners.
pub(crate) struct Membership {
    row: MemberRow,
    owners: i64,
}

async fn membership<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    member: OrganisationMemberId,
    expected: Option<i64>,
) -> Result<Membership> {
    let row = store::member(tx, organisation, member).await?;
    if expected.is_some_and(|expected| expected != row.revision) {
        return Err(Error::stale());
    }
    Ok(Membership { row, owners: store::count_owners(tx, organisation).await? })
}

impl Membership {
    /// Says so before anybody is asked to confirm what could not be done. (The database refuses it as well.)
    fn keep_an_owner(self, to: Option<OrganisationRole>) -> Result<Self> {
        if rules::leaves_no_owner(self.row.role, to, self.owners) {
            let detail = "An organisation keeps at least one owner. Make somebody else owner first.";
            return Err(Error::conflict(Code::LastOwner, detail));
        }
        Ok(self)
    }
}

/// One page of a roster.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RosterPage {
    /// The rows, at most as many as asked for.
    pub items: Vec<OrganisationMember>,
    /// Where the next page begins.
    pub next: Option<After>,
}

/// Lists who belongs to an organisation.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListOrganisationMembers {
    /// Whose roster.
    pub organisation: OrganisationId,
    /// Pattern that a name or an address has to match.
    pub search: Option<String>,
    /// Where the page begins.
    pub after: After,
    /// Most rows on the page.
    pub limit: i64,
}

impl Operation for ListOrganisationMembers {
    const ACTION: Action = Action::OrganisationMembers;
    type Mode = Read;
    type Facts = ();
    type Output = RosterPage;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<RosterPage> {
        let Self { organisation, search, after, limit } = permit.operation();
        let mut rows = store::page(tx, *organisation, *after, search.as_deref(), limit + 1).await?;
        let owners = store::count_owners(tx, *organisation).await?;
        let more = rows.len() as i64 > *limit;
        rows.truncate(usize::try_from(*limit).unwrap_or(0));
        let next = rows.last().filter(|_| more).map(|last| (last.created_at, last.id.uuid()));
        let items = rows.iter().map(|row| shown(permit.context(), row, owners)).collect();
        Ok(RosterPage { items, next })
    }
}

/// Gives somebody who belongs to the organisation another role.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GrantOrganisation {
    /// Where.
    pub organisation: OrganisationId,
    /// To whom.
    pub member: OrganisationMemberId,
    /// The new role.
    pub role: OrganisationRole,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for GrantOrganisation {
    const ACTION: Action = Action::OrganisationGrant;
    type Mode = Write;
    type Facts = Membership;
    type Output = OrganisationMember;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    fn target(&self) -> Target {
        Target::new("organisation_member", self.member)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("role".to_owned(), self.role.as_str().into())])
    }

    fn recorded(&self, facts: &Membership) -> Parameters {
        let mut parameters = self.parameters();
        parameters.extend(present(&facts.row, "before"));
        parameters
    }

    fn personal(&self, facts: &Membership) -> Vec<Personal> {
        about(&facts.row)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Membership> {
        let found = membership(tx, self.organisation, self.member, self.expected).await?;
        // Who may not touch the row learns that, and not how many owners there are.
        if matches!(self.decide(context, &found), Decision::Deny(_) | Decision::Hide) {
            return Ok(found);
        }
        found.keep_an_owner(Some(self.role))
    }

    fn decide(&self, context: &Context, facts: &Membership) -> Decision {
        rules::grant(context.organisation_role(), facts.row.role, self.role)
    }

    fn revision(&self, facts: &Membership) -> Option<i64> {
        Some(facts.row.revision)
    }

    fn describe(&self, facts: &Membership) -> Description {
        let MemberRow { name, email, role, .. } = &facts.row;
        Description {
            en: format!("Make {name} ({email}) {} of the organisation, instead of {role}.", self.role),
            pl: format!("Nadać osobie {name} ({email}) rolę {} w organizacji zamiast {role}.", self.role),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<OrganisationMember> {
        let Self { organisation, member, role, .. } = permit.operation();
        let revision = store::set_role(tx, *organisation, *member, *role).await?;
        let account = permit.facts().row.account;
        // Less power shows at once in what they have open.
        tx.revoke(Revoked::Person { organisation: *organisation, account }).await?;
        let owners = store::count_owners(tx, *organisation).await?;
        let context = permit.context();
        let facts = permit.into_facts();
        Ok(shown(context, &MemberRow { role: *role, revision, ..facts.row }, owners))
    }
}

/// Removes somebody from the organisation and from all its sandboxes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RevokeOrganisation {
    /// Where.
    pub organisation: OrganisationId,
    /// Whom.
    pub member: OrganisationMemberId,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for RevokeOrganisation {
    const ACTION: Action = Action::OrganisationRevoke;
    type Mode = Write;
    type Facts = Membership;
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    fn target(&self) -> Target {
        Target::new("organisation_member", self.member)
    }

    fn recorded(&self, facts: &Membership) -> Parameters {
        present(&facts.row, "role")
    }

    fn personal(&self, facts: &Membership) -> Vec<Personal> {
        about(&facts.row)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Membership> {
        let found = membership(tx, self.organisation, self.member, self.expected).await?;
        if matches!(self.decide(context, &found), Decision::Deny(_) | Decision::Hide) {
            return Ok(found);
        }
        found.keep_an_owner(None)
    }

    fn decide(&self, context: &Context, facts: &Membership) -> Decision {
        rules::revoke(context.organisation_role(), facts.row.role)
    }

    fn revision(&self, facts: &Membership) -> Option<i64> {
        Some(facts.row.revision)
    }

    fn describe(&self, facts: &Membership) -> Description {
        let MemberRow { name, email, role, .. } = &facts.row;
        Description {
            en: format!("Remove {name} ({email}), {role}, from the organisation and all its sandboxes."),
            pl: format!("Usunąć osobę {name} ({email}, rola {role}) z organizacji i wszystkich jej piaskownic."),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let organisation = permit.operation().organisation;
        part(tx, organisation, &permit.facts().row, permit.at()).await
    }
}

/// Leaves the organisation and all its sandboxes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LeaveOrganisation {
    /// Which.
    pub organisation: OrganisationId,
}

impl Operation for LeaveOrganisation {
    const ACTION: Action = Action::OrganisationLeave;
    type Mode = Write;
    type Facts = Membership;
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    fn recorded(&self, facts: &Membership) -> Parameters {
        present(&facts.row, "role")
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Membership> {
        let row = store::member_of_account(tx, self.organisation, context.account()?).await?;
        let owners = store::count_owners(tx, self.organisation).await?;
        Membership { row, owners }.keep_an_owner(None)
    }

    fn decide(&self, _: &Context, _: &Membership) -> Decision {
        Decision::Allow
    }

    fn revision(&self, facts: &Membership) -> Option<i64> {
        Some(facts.row.revision)
    }

    fn describe(&self, _: &Membership) -> Description {
        Description {
            en: "Leave the organisation and all its sandboxes.".to_owned(),
            pl: "Opuścić organizację i wszystkie jej piaskownice.".to_owned(),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let organisation = permit.operation().organisation;
        part(tx, organisation, &permit.facts().row, permit.at()).await
    }
}

/// A person goes: their sandboxes pass to the organisation's earliest other owner, their rows in every roster end, and so
/// do open invitations from them and to them, which would otherwise be a way back in.
async fn part(tx: &mut Tx<Write>, organisation: OrganisationId, row: &MemberRow, at: Timestamp) -> Result<()> {
    if let Some(heir) = store::heir(tx, organisation, row.account).await? {
        let passed = sandboxes::hand_over(tx, organisation, row.account, heir).await?;
        members::leave_rosters(tx, organisation, &passed, heir).await?;
    }
    members::leave_all_rosters(tx, organisation, row.account).await?;
    invitations::revoke_concerning(tx.conn(), organisation, row.account, at).await?;
    store::remove_member(tx, organisation, row.id).await?;
    tx.revoke(Revoked::Person { organisation, account: row.account }).await
}
