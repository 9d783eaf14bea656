//! What can be asked of the trail. All of it only looks.

use contract::id::{AccountId, OrganisationId, RecordId, SandboxId};
use serde::{Deserialize, Serialize};

use super::rules::{self, View};
use super::store::reading::{self, Checkpointed, FullRecord, Row, WrappedKey};
use crate::error::Error;
use crate::gate::{Action, Authorized, Context, Coverage, Decision, Operation, Read, Result, Scope, Timestamp, Tx};

/// What a list is narrowed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filters {
    /// Wire id of an actor, or `self`.
    pub actor: Option<String>,
    /// A whole name of an action.
    pub action: Option<String>,
    /// The beginning of names of actions, with its dot.
    pub action_prefix: Option<String>,
    /// Wire id of a target, or a kind of target.
    pub target: Option<String>,
    /// Word of an outcome.
    pub outcome: Option<String>,
    /// Word of a decision.
    pub decision: Option<String>,
    /// From then on.
    pub from: Option<Timestamp>,
    /// Before then.
    pub to: Option<Timestamp>,
    /// Text within action, actor, target or reason.
    pub search: Option<String>,
}

/// Rows of the trail and the keys of the people they name, still wrapped.
#[derive(Debug, Serialize, Deserialize)]
pub struct Rows {
    /// Newest first.
    pub rows: Vec<Row>,
    /// Keys by which names may be opened.
    pub keys: Vec<WrappedKey>,
    /// There are more behind the last one.
    pub more: bool,
}

fn scope(organisation: OrganisationId, sandbox: Option<SandboxId>) -> Scope {
    sandbox.map_or(Scope::Organisation(organisation), |sandbox| Scope::Sandbox(organisation, sandbox))
}

/// What the caller may see here, and whom they look for.
fn looked_for(context: &Context, asked: Option<&str>) -> Result<(View, Option<String>)> {
    let own = context.account()?.to_string();
    let view = rules::view(context.covers(Action::AuditVerify) == Coverage::Covered, &own);
    let actor = rules::actor(&view, asked, &own);
    Ok((view, actor))
}

/// A page of the trail.
#[derive(Serialize, Deserialize)]
pub struct ListRecords {
    /// Whose trail.
    pub organisation: OrganisationId,
    /// Only this sandbox's records.
    pub sandbox: Option<SandboxId>,
    /// Only these.
    pub filters: Filters,
    /// Only records before this one.
    pub before: Option<RecordId>,
    /// At most so many.
    pub limit: i64,
}

impl Operation for ListRecords {
    const ACTION: Action = Action::AuditRead;
    type Mode = Read;
    type Facts = (View, Option<String>);
    type Output = Rows;

    fn scope(&self) -> Scope {
        scope(self.organisation, self.sandbox)
    }

    async fn facts(&self, context: &Context, _: &mut Tx<Read>) -> Result<Self::Facts> {
        looked_for(context, self.filters.actor.as_deref())
    }

    fn decide(&self, _: &Context, (view, actor): &Self::Facts) -> Decision {
        rules::may_look(view, actor.as_deref())
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Rows> {
        let asked = permit.operation();
        let filters = Filters { actor: permit.facts().1.clone(), ..asked.filters.clone() };
        let organisation = asked.organisation.uuid();
        let sandbox = asked.sandbox.map(SandboxId::uuid);
        let before = asked.before.map(RecordId::uuid);
        let mut rows = reading::page(tx.conn(), organisation, sandbox, &filters, before, asked.limit + 1).await?;
        let wanted = usize::try_from(asked.limit).unwrap_or(usize::MAX);
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let keys = reading::keys(tx.conn(), organisation, &rows).await?;
        Ok(Rows { rows, keys, more })
    }
}

/// What was sealed since a position, for following the trail. Without a position: where the trail ends.
#[derive(Serialize, Deserialize)]
pub struct FollowRecords {
    /// Whose trail.
    pub organisation: OrganisationId,
    /// Only this sandbox's records.
    pub sandbox: Option<SandboxId>,
    /// Number of the last record seen, in the chain that is followed.
    pub after: Option<i64>,
}

/// What was sealed, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Followed {
    /// Position after these rows.
    pub position: i64,
    /// The rows and keys.
    pub rows: Rows,
}

impl Operation for FollowRecords {
    const ACTION: Action = Action::AuditRead;
    type Mode = Read;
    type Facts = (View, Option<String>);
    type Output = Followed;

    fn scope(&self) -> Scope {
        scope(self.organisation, self.sandbox)
    }

    async fn facts(&self, context: &Context, _: &mut Tx<Read>) -> Result<Self::Facts> {
        looked_for(context, None)
    }

    fn decide(&self, _: &Context, (view, actor): &Self::Facts) -> Decision {
        rules::may_look(view, actor.as_deref())
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Followed> {
        let asked = permit.operation();
        let organisation = asked.organisation.uuid();
        let chain = asked.sandbox.map_or(organisation, SandboxId::uuid);
        let Some(after) = asked.after else {
            let position = reading::end(tx.conn(), chain).await?;
            return Ok(Followed { position, rows: Rows { rows: Vec::new(), keys: Vec::new(), more: false } });
        };
        let actor = permit.facts().1.as_deref();
        let (position, rows) = reading::sealed_after(tx.conn(), organisation, chain, after, actor).await?;
        let keys = reading::keys(tx.conn(), organisation, &rows).await?;
        Ok(Followed { position, rows: Rows { rows, keys, more: false } })
    }
}

/// One record in full.
#[derive(Serialize, Deserialize)]
pub struct ReadRecord {
    /// Whose trail.
    pub organisation: OrganisationId,
    /// The sandbox that the reader looks from, for somebody who manages only that.
    pub sandbox: Option<SandboxId>,
    /// Which.
    pub record: RecordId,
}

impl Operation for ReadRecord {
    const ACTION: Action = Action::AuditRead;
    type Mode = Read;
    type Facts = FullRecord;
    type Output = FullRecord;

    fn scope(&self) -> Scope {
        scope(self.organisation, self.sandbox)
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<FullRecord> {
        let (view, _) = looked_for(context, None)?;
        let found =
            reading::full(tx.conn(), self.organisation.uuid(), self.record.uuid()).await?.ok_or(Error::NotFound)?;
        // What the reader may not see is as if it were not there.
        let here = self.sandbox.is_none_or(|sandbox| found.row.sandbox == Some(sandbox.uuid()));
        let visible = match &view {
            View::Everything => true,
            View::Own(own) => found.row.actor_id.as_ref() == Some(own),
        };
        if here && visible { Ok(found) } else { Err(Error::NotFound) }
    }

    fn decide(&self, _: &Context, _: &FullRecord) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<FullRecord> {
        Ok(permit.into_facts())
    }
}

/// The newest signed checkpoint.
#[derive(Serialize, Deserialize)]
pub struct ReadCheckpoint {
    /// Whose chain.
    pub organisation: OrganisationId,
}

impl Operation for ReadCheckpoint {
    const ACTION: Action = Action::AuditVerify;
    type Mode = Read;
    type Facts = Checkpointed;
    type Output = Checkpointed;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Read>) -> Result<Checkpointed> {
        reading::checkpoint(tx.conn(), self.organisation.uuid()).await?.ok_or(Error::NotFound)
    }

    fn decide(&self, _: &Context, _: &Checkpointed) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<Checkpointed> {
        Ok(permit.into_facts())
    }
}

/// May the caller have the trail verified? The work itself follows outside the gate's transaction: it takes minutes.
#[derive(Serialize, Deserialize)]
pub struct VerifyTrail {
    /// Whose trail.
    pub organisation: OrganisationId,
}

impl Operation for VerifyTrail {
    const ACTION: Action = Action::AuditVerify;
    type Mode = Read;
    type Facts = ();
    type Output = AccountId;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<AccountId> {
        permit.context().account()
    }
}
