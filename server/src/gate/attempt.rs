//! One attempt at one operation: standing, decision, facts, decision, execution, record. Whoever calls it owns the
//! transaction and whether it is made again.

use serde_json::Value;
use sqlx::PgConnection;

use super::caller::Call;
use super::context::Context;
use super::decide::Decision;
use super::idempotency;
use super::operation::{Authorized, Description, Mode, ModeKind, Operation, Scope, Tx};
use super::record::{Entry, Receipt};
use super::transaction::Core;
use super::{Result, Timestamp, entry, standing};
use crate::error::Error;
use contract::id::RecordId;

/// What stays the same over all attempts.
pub struct Ask<'a, O> {
    pub(super) call: &'a Call,
    pub(super) operation: &'a O,
    pub(super) at: Timestamp,
    /// Id of the record that a success leaves.
    pub(super) record: RecordId,
}

/// A finished attempt, before its commit.
pub struct Done<T> {
    pub(super) output: T,
    pub(super) receipt: Option<Receipt>,
    /// The person's sign-in has not been in this organisation before.
    pub(super) enters: bool,
}

/// What a confirmation will be asked for.
pub struct Pending {
    pub(super) description: Description,
    pub(super) revision: Option<i64>,
    pub(super) people: u8,
    pub(super) policy: String,
}

/// Why an attempt did not finish.
pub enum Stopped {
    /// Refused or failed.
    Failed(Error),
    /// Asks for a person's presence.
    Confirm(Pending),
}

impl<E: Into<Error>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Core {
    /// `seen` receives what was found out about the caller, also when the attempt stops.
    pub(super) async fn attempt<O: Operation>(
        &self,
        ask: &Ask<'_, O>,
        tx: &mut Tx<O::Mode>,
        seen: &mut Option<Context>,
    ) -> Result<Done<O::Output>, Stopped> {
        let (operation, kind) = (ask.operation, O::Mode::KIND);
        let audited = matches!(kind, ModeKind::Write | ModeKind::Spend);
        let context = &*seen.insert(standing::of_call(tx.conn(), ask.call, operation.scope(), ask.at).await?);
        let enters = enters(context);
        if audited && let Some((output, receipt)) = idempotency::earlier(tx.conn(), ask.call, ask.at).await? {
            let output = serde_json::from_value(output).map_err(Error::internal)?;
            return Ok(Done { output, receipt: Some(receipt), enters });
        }
        // Refuse what the standing alone refuses before the slice looks at anything.
        refuse(context.verdict(O::ACTION, Decision::Allow).decision)?;
        if kind == ModeKind::Hot {
            sqlx::query("set local role bailiwick_hot").execute(tx.conn()).await?;
        }
        let facts = operation.facts(context, tx).await?;
        let verdict = context.verdict(O::ACTION, operation.decide(context, &facts));
        refuse(verdict.decision)?;
        if verdict.decision == Decision::Confirm {
            return Err(Stopped::Confirm(Pending {
                description: operation.describe(&facts),
                revision: operation.revision(&facts),
                people: verdict.people,
                policy: context.governance().version.clone(),
            }));
        }
        let draft = audited.then(|| entry::allowed(ask, context, &facts));
        let output = O::execute(Authorized::new(operation, context, facts), tx).await?;
        let receipt = match draft {
            Some(draft) => {
                let answer = ask.call.idempotency.is_some().then(|| serde_json::to_value(&output));
                Some(self.keep(ask, tx.conn(), &draft, answer.transpose().map_err(Error::internal)?).await?)
            }
            None => None,
        };
        Ok(Done { output, receipt, enters })
    }

    /// The record, and the answer for a repeated request, beside the change.
    async fn keep<O>(
        &self,
        ask: &Ask<'_, O>,
        conn: &mut PgConnection,
        draft: &Entry,
        answer: Option<Value>,
    ) -> Result<Receipt> {
        let receipt = self.record(conn, draft).await?;
        if let Some(answer) = answer {
            idempotency::keep(conn, ask.call, &answer, &receipt, ask.at).await?;
        }
        Ok(receipt)
    }
}

pub(super) fn refuse(decision: Decision) -> Result<()> {
    match decision {
        Decision::Allow | Decision::Confirm => Ok(()),
        Decision::Deny(contract::code::Code::Unauthenticated) => Err(Error::Unauthenticated),
        Decision::Deny(code) => Err(Error::Denied(code)),
        Decision::Hide => Err(Error::NotFound),
    }
}

fn enters(context: &Context) -> bool {
    matches!(context.scope(), Scope::Organisation(_) | Scope::Sandbox(..))
        && context.person().is_some_and(|person| person.sign_in.is_some())
        && context.organisation().is_some_and(|organisation| organisation.role.is_some() && !organisation.entered)
}
