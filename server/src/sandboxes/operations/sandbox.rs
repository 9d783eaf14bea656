//! The sandbox itself: listing, creating, reading, renaming, deleting.

use contract::access::OrganisationRole;
use contract::code::Code;
use contract::id::{OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};

use super::super::model::{Sandbox, SandboxRole};
use super::super::rules;
use super::super::store::{self, After, SandboxRow, Wanted};
use crate::error::Error;
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Read, Result, Revoked, Scope,
    Target, Tx, Write,
};
use crate::members;

/// What a sandbox's pages may offer, where this slice has nothing to add to the policy's word.
const OFFERED: &[Action] = &[
    Action::SandboxRename,
    Action::SandboxTransfer,
    Action::SandboxDelete,
    Action::AreaList,
    Action::AreaCreate,
    Action::AreaRename,
    Action::AreaDelete,
    Action::MemberList,
    Action::MemberGrant,
    Action::MemberChange,
    Action::MemberRemove,
    Action::InvitationList,
    Action::InvitationCreate,
    Action::InvitationRevoke,
    Action::PolicyRead,
    Action::PolicyPreview,
    Action::PolicyUpdate,
    Action::EmergencyRead,
    Action::EmergencyEngage,
    Action::EmergencyReset,
    Action::AuditRead,
    Action::AuditVerify,
];

fn offered(context: &Context) -> Allowed {
    let mut list: Vec<(Action, Decision)> = OFFERED.iter().map(|action| (*action, Decision::Allow)).collect();
    if let Some(standing) = context.sandbox() {
        list.push((Action::MemberLeave, members::leave(standing.is_owner, standing.member.is_some())));
    }
    context.allowed(&list)
}

fn shown(organisation: OrganisationId, row: SandboxRow, role: SandboxRole, stopped: bool, allowed: Allowed) -> Sandbox {
    let SandboxRow { id, name, status, owner_email, revision, created_at, .. } = row;
    let owner_email = owner_email.filter(|_| rules::is_told_the_owner(role));
    Sandbox {
        id,
        organisation_id: organisation,
        name,
        role,
        owner_email,
        status,
        revision,
        created_at,
        stopped,
        allowed,
    }
}

/// The sandbox for whoever asked.
pub(super) fn shown_to(context: &Context, organisation: OrganisationId, row: SandboxRow) -> Result<Sandbox> {
    let standing = context.sandbox().ok_or(Error::NotFound)?;
    let is_owner = context.account().is_ok_and(|account| account == row.owner);
    let role = rules::role(is_owner, standing.access.as_ref());
    Ok(shown(organisation, row, role, context.stopped(), offered(context)))
}

/// Finds the sandbox and refuses a stale revision.
pub(super) async fn current<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    expected: Option<i64>,
) -> Result<SandboxRow> {
    let row = store::find(tx, organisation, sandbox).await?;
    if expected.is_some_and(|expected| expected != row.revision) {
        return Err(Error::stale());
    }
    Ok(row)
}

/// One page of sandboxes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListPage {
    /// The rows, at most as many as asked for.
    pub items: Vec<Sandbox>,
    /// Where the next page begins.
    pub next: Option<After>,
}

/// Lists the organisation's sandboxes that the caller has access to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListSandboxes {
    /// Whose.
    pub organisation: OrganisationId,
    /// Pattern that a name has to match.
    pub search: Option<String>,
    /// Where the page begins.
    pub after: After,
    /// Most rows on the page.
    pub limit: i64,
}

impl Operation for ListSandboxes {
    const ACTION: Action = Action::SandboxList;
    type Mode = Read;
    type Facts = ();
    type Output = ListPage;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<ListPage> {
        let context = permit.context();
        let Self { organisation, search, after, limit } = permit.operation();
        let (organisation, limit, reader) = (*organisation, *limit, context.account()?);
        let role = context.organisation_role();
        let governs = role.is_some_and(OrganisationRole::manages);
        let all = governs || role == Some(OrganisationRole::Auditor);
        let wanted = Wanted { organisation, reader, all, after: *after, search: search.as_deref(), limit: limit + 1 };
        let mut rows = store::page(tx, wanted).await?;
        let more = rows.len() as i64 > limit;
        rows.truncate(usize::try_from(limit).unwrap_or(0));
        let next = rows.last().filter(|_| more).map(|last| (last.sandbox.created_at, last.sandbox.id.uuid()));
        let managing = contract::access::Access::managing();
        let items = rows
            .into_iter()
            .map(|row| {
                let access = if governs { Some(&managing) } else { row.granted.as_ref() };
                let role = rules::role(row.sandbox.owner == reader, access);
                // Each sandbox may have a policy of its own: what may be offered is for its page to say.
                shown(organisation, row.sandbox, role, row.stopped || context.stopped(), Allowed::new())
            })
            .collect();
        Ok(ListPage { items, next })
    }
}

/// Creates a sandbox that the caller owns.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CreateSandbox {
    /// Its identity.
    pub id: SandboxId,
    /// Where.
    pub organisation: OrganisationId,
    /// Display name, in its stored form.
    pub name: String,
}

impl Operation for CreateSandbox {
    const ACTION: Action = Action::SandboxCreate;
    type Mode = Write;
    type Facts = ();
    type Output = Sandbox;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    fn target(&self) -> Target {
        Target::new("sandbox", self.id)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([
            ("sandbox".to_owned(), self.id.to_string().into()),
            ("name".to_owned(), self.name.clone().into()),
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
            en: format!("Create the sandbox “{}”.", self.name),
            pl: format!("Utworzyć piaskownicę „{}”.", self.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Sandbox> {
        let owner = permit.context().account()?;
        let Self { id, organisation, name } = permit.operation();
        store::create(tx, *organisation, *id, name, owner, permit.at()).await?;
        let row = store::find(tx, *organisation, *id).await?;
        // The context is the organisation's; what the new sandbox's page may offer is for that page to say.
        Ok(shown(*organisation, row, SandboxRole::Owner, permit.context().stopped(), Allowed::new()))
    }
}

/// Reads a sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadSandbox {
    /// Where.
    pub organisation: OrganisationId,
    /// Which.
    pub sandbox: SandboxId,
}

impl Operation for ReadSandbox {
    const ACTION: Action = Action::SandboxRead;
    type Mode = Read;
    type Facts = ();
    type Output = Sandbox;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Sandbox> {
        let Self { organisation, sandbox } = permit.operation();
        let row = store::find(tx, *organisation, *sandbox).await?;
        shown_to(permit.context(), *organisation, row)
    }
}

/// Gives a sandbox another name.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RenameSandbox {
    /// Where.
    pub organisation: OrganisationId,
    /// Which.
    pub sandbox: SandboxId,
    /// The new name, in its stored form.
    pub name: String,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for RenameSandbox {
    const ACTION: Action = Action::SandboxRename;
    type Mode = Write;
    type Facts = SandboxRow;
    type Output = Sandbox;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("name".to_owned(), self.name.clone().into())])
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<SandboxRow> {
        current(tx, self.organisation, self.sandbox, self.expected).await
    }

    fn decide(&self, _: &Context, _: &SandboxRow) -> Decision {
        Decision::Allow
    }

    fn revision(&self, facts: &SandboxRow) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &SandboxRow) -> Description {
        Description {
            en: format!("Rename the sandbox “{}” to “{}”.", facts.name, self.name),
            pl: format!("Zmienić nazwę piaskownicy „{}” na „{}”.", facts.name, self.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Sandbox> {
        let Self { organisation, sandbox, name, .. } = permit.operation();
        store::rename(tx, *organisation, *sandbox, name).await?;
        let row = store::find(tx, *organisation, *sandbox).await?;
        shown_to(permit.context(), *organisation, row)
    }
}

/// Ends a sandbox's life. What it holds is removed afterwards, in the background.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeleteSandbox {
    /// Where.
    pub organisation: OrganisationId,
    /// Which.
    pub sandbox: SandboxId,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for DeleteSandbox {
    const ACTION: Action = Action::SandboxDelete;
    type Mode = Write;
    type Facts = SandboxRow;
    type Output = Sandbox;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<SandboxRow> {
        current(tx, self.organisation, self.sandbox, self.expected).await
    }

    fn decide(&self, _: &Context, _: &SandboxRow) -> Decision {
        Decision::Confirm
    }

    fn revision(&self, facts: &SandboxRow) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &SandboxRow) -> Description {
        Description {
            en: format!("Delete the sandbox “{}” with everything in it. This cannot be undone.", facts.name),
            pl: format!("Usunąć piaskownicę „{}” z całą zawartością. Tego nie można cofnąć.", facts.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Sandbox> {
        let Self { organisation, sandbox, .. } = permit.operation();
        if !store::terminate(tx, *organisation, *sandbox).await? {
            return Err(Error::conflict(Code::Terminating, "The sandbox is being deleted already."));
        }
        tx.revoke(Revoked::Sandbox(*organisation, *sandbox)).await?;
        let row = store::find(tx, *organisation, *sandbox).await?;
        let shown = shown_to(permit.context(), *organisation, row)?;
        Ok(Sandbox { allowed: Allowed::new(), ..shown })
    }
}
