//! Looking at a roster: a page of it, one row, one's own standing.

use contract::id::{MemberId, OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};

use super::super::model::{Member, MemberStanding, SandboxOwner};
use super::super::rules;
use super::super::store::{self, After};
use super::{offered, shown};
use crate::error::Error;
use crate::gate::{Action, Authorized, Context, Decision, Operation, Read, Result, Scope, Target, Tx};
use crate::sandboxes;

/// One page of a roster.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RosterPage {
    /// The rows, at most as many as asked for.
    pub members: Vec<Member>,
    /// On the first page.
    pub owner: Option<SandboxOwner>,
    /// Where the next page begins.
    pub next: Option<After>,
}

/// Lists a sandbox's members.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListMembers {
    /// Where.
    pub organisation: OrganisationId,
    /// Whose roster.
    pub sandbox: SandboxId,
    /// Pattern that a name or an address has to match.
    pub search: Option<String>,
    /// Where the page begins; absent on the first one.
    pub after: Option<After>,
    /// Most rows on the page.
    pub limit: i64,
}

impl Operation for ListMembers {
    const ACTION: Action = Action::MemberList;
    type Mode = Read;
    type Facts = ();
    type Output = RosterPage;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<RosterPage> {
        let Self { organisation, sandbox, search, after, limit } = permit.operation();
        let start = after.unwrap_or((chrono::DateTime::UNIX_EPOCH, uuid::Uuid::nil()));
        let mut rows = store::page(tx, (*organisation, *sandbox), start, search.as_deref(), limit + 1).await?;
        let more = rows.len() as i64 > *limit;
        rows.truncate(usize::try_from(*limit).unwrap_or(0));
        let next = rows.last().filter(|_| more).map(|last| (last.created_at, last.id.uuid()));
        let standing = permit.context().sandbox().ok_or(Error::NotFound)?;
        let owner = if after.is_none() { store::owner(tx, standing.owner).await? } else { None };
        // The same verdicts hold for every row, so they are asked for once.
        let allowed = offered(permit.context());
        let members = rows.into_iter().map(|row| shown(row, allowed.clone())).collect();
        Ok(RosterPage { members, owner, next })
    }
}

/// Reads one row.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadMember {
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
    /// Which row.
    pub member: MemberId,
}

impl Operation for ReadMember {
    const ACTION: Action = Action::MemberRead;
    type Mode = Read;
    type Facts = ();
    type Output = Member;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("member", self.member)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Member> {
        let Self { organisation, sandbox, member } = permit.operation();
        let row = store::find(tx, *organisation, *sandbox, *member).await?.ok_or(Error::NotFound)?;
        Ok(shown(row, offered(permit.context())))
    }
}

/// Finds the row of whoever has an address, so that a change of it can be recorded under its identity.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FindMember {
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
    /// Normalised address.
    pub address: String,
}

impl Operation for FindMember {
    // Under the action that everybody with access may do, and hidden from whoever does not manage: a refusal here is not
    // the refusal of the change that follows, which is the one to be recorded.
    const ACTION: Action = Action::MemberSelf;
    type Mode = Read;
    type Facts = ();
    type Output = Option<MemberId>;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, context: &Context, (): &()) -> Decision {
        rules::look_up(context.sandbox().and_then(|standing| standing.access.as_ref()))
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Option<MemberId>> {
        let Self { organisation, sandbox, address } = permit.operation();
        let Some(person) = store::addressed(tx, *organisation, address).await? else {
            return Ok(None);
        };
        Ok(store::of_account(tx, *organisation, *sandbox, person.account).await?.map(|row| row.id))
    }
}

/// Reads what the caller may do in a sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadSelf {
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
}

impl Operation for ReadSelf {
    const ACTION: Action = Action::MemberSelf;
    type Mode = Read;
    type Facts = ();
    type Output = MemberStanding;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<MemberStanding> {
        let standing = permit.context().sandbox().ok_or(Error::NotFound)?;
        let role = sandboxes::role(standing.is_owner, standing.access.as_ref());
        let access = standing.access.clone().unwrap_or_else(rules::overseer);
        Ok(MemberStanding { role, agents: access.agents, areas: access.see, edit: access.edit })
    }
}
