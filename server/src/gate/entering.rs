//! The first request of a sign-in in an organisation leaves a record there: sign-ins themselves are the installation's.

use contract::id::OrganisationId;
use serde::{Deserialize, Serialize};

use super::Result;
use super::context::Context;
use super::decide::Decision;
use super::operation::{Authorized, Operation, Scope, Spend, Tx};
use super::policy::Action;
use crate::error::Error;

/// Noted once per sign-in and organisation: this sign-in has been here.
#[derive(Serialize, Deserialize)]
pub(super) struct EnterOrganisation {
    pub(super) organisation: OrganisationId,
}

impl Operation for EnterOrganisation {
    const ACTION: Action = Action::SessionEnter;
    type Mode = Spend;
    type Facts = ();
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Organisation(self.organisation)
    }

    async fn facts(&self, context: &Context, _: &mut Tx<Spend>) -> Result<()> {
        // Pages load in parallel: only the first of their requests enters, and the others leave no record.
        match context.organisation() {
            Some(organisation) if !organisation.entered => Ok(()),
            _ => Err(Error::NotFound),
        }
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Spend>) -> Result<()> {
        let sign_in =
            permit.context().person().and_then(|person| person.sign_in.as_ref()).ok_or(Error::Unauthenticated)?;
        // Another replica may have noted it at the same moment.
        sqlx::query(
            "insert into session_entry (sign_in_id, org_id, entered_at) values ($1, $2, $3) on conflict do nothing",
        )
        .bind(sign_in.id.uuid())
        .bind(permit.operation().organisation.uuid())
        .bind(permit.at())
        .execute(tx.conn())
        .await?;
        Ok(())
    }
}
