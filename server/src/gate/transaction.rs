//! Begins and ends the gate's transactions, and nothing else does.

use std::sync::Arc;

use contract::id::AccountId;
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::caller::{Call, Caller};
use super::operation::{Mode, ModeKind, Scope, Tx};
use super::record::{self, Entry, Receipt};
use super::{Clock, Result};
use crate::crypto::keyring::KeyRing;

/// What every attempt needs.
#[derive(Clone)]
pub(super) struct Core {
    pub(super) pool: PgPool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: Arc<KeyRing>,
    /// Receipts of committed records, for whoever seals them.
    pub(super) committed: mpsc::Sender<Receipt>,
}

/// What row-level security is told for one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    organisation: Uuid,
    account: Option<Uuid>,
    identifying: bool,
}

impl Fence {
    pub(super) fn of(call: &Call, scope: Scope) -> Self {
        Self {
            organisation: scope.organisation().map_or(Uuid::nil(), contract::id::OrganisationId::uuid),
            account: call.account().map(AccountId::uuid),
            // A visitor proves who they are by what they bring; it is found before its owner is known. Jobs make links.
            identifying: !matches!(call.caller, Caller::Person(_)),
        }
    }

    /// The same caller, for a row of another scope.
    pub(super) fn within(self, scope: Scope) -> Self {
        Self { organisation: scope.organisation().map_or(Uuid::nil(), contract::id::OrganisationId::uuid), ..self }
    }

    /// Statements for this transaction only. All values are ours: identifiers and a constant.
    fn statements(self) -> String {
        let account = self.account.map_or_else(String::new, |account| account.to_string());
        let lookup = if self.identifying { "identity" } else { "" };
        let organisation = self.organisation;
        format!(
            "set local app.org = '{organisation}'; set local app.account = '{account}'; set local app.lookup = '{lookup}'"
        )
    }

    pub(super) async fn raise(self, conn: &mut PgConnection) -> Result<()> {
        sqlx::raw_sql(AssertSqlSafe(self.statements())).execute(conn).await?;
        Ok(())
    }
}

/// One round trip for `begin` and everything that holds for the transaction.
fn opening(kind: ModeKind, fence: Fence) -> String {
    let begin = match kind {
        ModeKind::Read => "begin isolation level repeatable read read only",
        // The planner must not scan small tables whole: a predicate lock on a relation conflicts with everybody.
        ModeKind::Write | ModeKind::Spend => "begin isolation level serializable; set local enable_seqscan = off",
        ModeKind::Hot => "begin isolation level read committed",
    };
    format!("{begin}; {}", fence.statements())
}

impl Core {
    pub(super) async fn begin<M: Mode>(&self, fence: Fence) -> Result<Tx<M>> {
        Ok(Tx::new(self.pool.begin_with(AssertSqlSafe(opening(M::KIND, fence))).await?))
    }

    #[expect(clippy::disallowed_methods, reason = "the program's only commit")]
    pub(super) async fn commit<M: Mode>(&self, tx: Tx<M>) -> Result<()> {
        tx.inner.commit().await?;
        Ok(())
    }

    pub(super) async fn record(&self, conn: &mut PgConnection, entry: &Entry) -> Result<Receipt> {
        record::append(conn, &self.keys, entry).await
    }

    /// Called after a commit. A full channel loses nothing: the sequencer finds the row by itself.
    pub(super) fn hand_over(&self, receipt: &Receipt) {
        let _ = self.committed.try_send(receipt.clone());
    }
}
