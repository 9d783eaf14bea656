//! What the erasing job asks of the gate.

use contract::id::{OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};

use super::{Counts, rules, store};
use crate::error::Error;
use crate::gate::{Action, Authorized, Context, Decision, Operation, Read, Result, Scope, Tx, Write};
use crate::organisations::Life;

/// Something that is being deleted: a sandbox, or a whole organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Terminating {
    /// Which organisation, or where the sandbox is.
    pub organisation: OrganisationId,
    /// Which sandbox; none where the whole organisation goes.
    pub sandbox: Option<SandboxId>,
}

/// What one transaction removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// Rows by table.
    pub removed: Counts,
    /// Nothing is left.
    pub finished: bool,
}

/// Lists everything that is being deleted.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListTerminating {}

impl Operation for ListTerminating {
    const ACTION: Action = Action::OrganisationErase;
    type Mode = Read;
    type Facts = ();
    type Output = Vec<Terminating>;

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(_: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<Vec<Terminating>> {
        store::terminating(tx).await
    }
}

/// Removes a batch of what a terminating sandbox holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EraseSandbox {
    /// Where.
    pub organisation: OrganisationId,
    /// Which.
    pub sandbox: SandboxId,
}

impl Operation for EraseSandbox {
    const ACTION: Action = Action::SandboxErase;
    type Mode = Write;
    type Facts = Life;
    type Output = Batch;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Life> {
        store::sandbox_life(tx, self.organisation, self.sandbox).await?.ok_or(Error::NotFound)
    }

    fn decide(&self, _: &Context, life: &Life) -> Decision {
        rules::erase(*life)
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Batch> {
        let Self { organisation, sandbox } = permit.operation();
        let removed = store::remove(tx, *organisation, Some(*sandbox)).await?;
        store::add_to_receipt(tx, *organisation, ("sandbox", sandbox.uuid()), &removed, permit.at()).await?;
        Ok(Batch { finished: rules::is_finished(removed.values().sum()), removed })
    }
}

/// Removes a batch of what a terminating organisation holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EraseOrganisation {
    /// Which.
    pub organisation: OrganisationId,
}

impl Operation for EraseOrganisation {
    const ACTION: Action = Action::OrganisationErase;
    type Mode = Write;
    type Facts = Life;
    type Output = Batch;

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Life> {
        store::organisation_life(tx, self.organisation).await?.ok_or(Error::NotFound)
    }

    fn decide(&self, _: &Context, life: &Life) -> Decision {
        rules::erase(*life)
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Batch> {
        let organisation = permit.operation().organisation;
        let removed = store::remove(tx, organisation, None).await?;
        store::add_to_receipt(tx, organisation, ("organisation", organisation.uuid()), &removed, permit.at()).await?;
        Ok(Batch { finished: rules::is_finished(removed.values().sum()), removed })
    }
}
