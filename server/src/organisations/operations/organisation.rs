//! The organisation itself: listing one's own, creating, reading, renaming, deleting.

use contract::access::OrganisationRole;
use contract::code::Code;
use contract::id::{OrganisationId, OrganisationMemberId};
use serde::{Deserialize, Serialize};

use super::super::model::{Organisation, OrganisationPage};
use super::super::store::{self, OrganisationRow};
use crate::error::Error;
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Read, Result, Revoked, Scope,
    Tx, Write,
};

/// What an organisation's pages may offer.
const OFFERED: &[Action] = &[
    Action::OrganisationRename,
    Action::OrganisationDelete,
    Action::OrganisationMembers,
    Action::OrganisationGrant,
    Action::OrganisationRevoke,
    Action::OrganisationLeave,
    Action::InvitationList,
    Action::InvitationCreate,
    Action::InvitationRevoke,
    Action::SandboxList,
    Action::SandboxCreate,
    Action::PolicyRead,
    Action::PolicyPreview,
    Action::PolicyUpdate,
    Action::EmergencyRead,
    Action::EmergencyEngage,
    Action::EmergencyReset,
    Action::AuditRead,
    Action::AuditVerify,
    Action::WaitList,
];

fn offered(context: &Context) -> Allowed {
    let list: Vec<(Action, Decision)> = OFFERED.iter().map(|action| (*action, Decision::Allow)).collect();
    context.allowed(&list)
}

fn shown(row: OrganisationRow, role: OrganisationRole, allowed: Allowed) -> Organisation {
    let OrganisationRow { id, name, status, revision, created_at } = row;
    Organisation { id, name, role, status, revision, created_at, allowed }
}

/// The organisation for whoever asked, who belongs to it.
fn shown_to(context: &Context, row: OrganisationRow) -> Result<Organisation> {
    let role = context.organisation_role().ok_or(Error::NotFound)?;
    Ok(shown(row, role, offered(context)))
}

/// Finds the organisation and refuses a stale revision.
async fn current<M>(tx: &mut Tx<M>, organisation: OrganisationId, expected: Option<i64>) -> Result<OrganisationRow> {
    let row = store::find(tx, organisation).await?;
    if expected.is_some_and(|expected| expected != row.revision) {
        return Err(Error::stale());
    }
    Ok(row)
}

/// Lists the organisations that the caller belongs to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListOrganisations {}

impl Operation for ListOrganisations {
    const ACTION: Action = Action::OrganisationList;
    type Mode = Read;
    type Facts = ();
    type Output = OrganisationPage;

    fn scope(&self) -> Scope {
        Scope::Account
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<OrganisationPage> {
        let account = permit.context().account()?;
        let rows = store::of_account(tx, account).await?;
        // Each organisation has a policy of its own: what may be offered is for its page to say.
        let items = rows.into_iter().map(|(row, role)| shown(row, role, Allowed::new())).collect();
        Ok(OrganisationPage { items })
    }
}

/// Creates an organisation that the caller owns.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CreateOrganisation {
    /// Its identity.
    pub id: OrganisationId,
    /// Identity of the creator's membership.
    pub member: OrganisationMemberId,
    /// Display name, in its stored form.
    pub name: String,
}

impl Operation for CreateOrganisation {
    const ACTION: Action = Action::OrganisationCreate;
    type Mode = Write;
    type Facts = ();
    type Output = Organisation;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.id)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([
            ("name".to_owned(), self.name.clone().into()),
            ("member".to_owned(), self.member.to_string().into()),
        ])
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Write>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    fn describe(&self, (): &()) -> Description {
        Description {
            en: format!("Create the organisation “{}”.", self.name),
            pl: format!("Utworzyć organizację „{}”.", self.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Organisation> {
        let account = permit.context().account()?;
        let Self { id, member, name } = permit.operation();
        let row = store::create(tx, *id, name, permit.at()).await?;
        store::add_member(tx, *id, *member, account, OrganisationRole::Owner, permit.at()).await?;
        // The context knows nothing yet of the organisation that it has just let come into being.
        Ok(shown(row, OrganisationRole::Owner, Allowed::new()))
    }
}

/// Reads an organisation.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadOrganisation {
    /// Which.
    pub organisation: OrganisationId,
}

impl Operation for ReadOrganisation {
    const ACTION: Action = Action::OrganisationRead;
    type Mode = Read;
    type Facts = ();
    type Output = Organisation;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Organisation> {
        let row = store::find(tx, permit.operation().organisation).await?;
        shown_to(permit.context(), row)
    }
}

/// Gives an organisation another name.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RenameOrganisation {
    /// Which.
    pub organisation: OrganisationId,
    /// The new name, in its stored form.
    pub name: String,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for RenameOrganisation {
    const ACTION: Action = Action::OrganisationRename;
    type Mode = Write;
    type Facts = OrganisationRow;
    type Output = Organisation;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("name".to_owned(), self.name.clone().into())])
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<OrganisationRow> {
        current(tx, self.organisation, self.expected).await
    }

    fn decide(&self, _: &Context, _: &OrganisationRow) -> Decision {
        Decision::Allow
    }

    fn revision(&self, facts: &OrganisationRow) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &OrganisationRow) -> Description {
        Description {
            en: format!("Rename the organisation “{}” to “{}”.", facts.name, self.name),
            pl: format!("Zmienić nazwę organizacji „{}” na „{}”.", facts.name, self.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Organisation> {
        let Self { organisation, name, .. } = permit.operation();
        let row = store::rename(tx, *organisation, name).await?;
        shown_to(permit.context(), row)
    }
}

/// Ends an organisation's life. What it holds is removed afterwards, in the background.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeleteOrganisation {
    /// Which.
    pub organisation: OrganisationId,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for DeleteOrganisation {
    const ACTION: Action = Action::OrganisationDelete;
    type Mode = Write;
    type Facts = OrganisationRow;
    type Output = Organisation;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<OrganisationRow> {
        current(tx, self.organisation, self.expected).await
    }

    fn decide(&self, _: &Context, _: &OrganisationRow) -> Decision {
        Decision::Confirm
    }

    fn revision(&self, facts: &OrganisationRow) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &OrganisationRow) -> Description {
        Description {
            en: format!("Delete the organisation “{}” with all its sandboxes. This cannot be undone.", facts.name),
            pl: format!("Usunąć organizację „{}” ze wszystkimi jej piaskownicami. Tego nie można cofnąć.", facts.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Organisation> {
        let organisation = permit.operation().organisation;
        let ended = Error::conflict(Code::Terminating, "The organisation is being deleted already.");
        let row = store::terminate(tx, organisation).await?.ok_or(ended)?;
        tx.revoke(Revoked::Organisation(organisation)).await?;
        let role = permit.context().organisation_role().ok_or(Error::NotFound)?;
        Ok(shown(row, role, Allowed::new()))
    }
}
