//! Telling every replica at once that somebody's access ended: a row and a notification in the revoking transaction, a
//! watcher in each process, and a signal that open streams wait for.
//!
//! The signal carries no verdict. Whoever holds a stream open asks the gate again when it comes.

use std::time::Duration;

use contract::id::{AccountId, OrganisationId, SandboxId, SignInId};
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Result;
use super::operation::{Tx, Write};

/// Channel of the notification. It carries nothing: the rows say what happened.
const CHANNEL: &str = "bailiwick_revocation";
/// How soon a revocation is seen when a notification is lost.
const POLL: Duration = Duration::from_millis(500);
/// How long rows are kept for watchers that lag.
const KEPT_MINUTES: i32 = 10;

/// Whose access ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revoked {
    /// One sign-in.
    SignIn(SignInId),
    /// A person in an organisation and all its sandboxes.
    Person {
        /// Where.
        organisation: OrganisationId,
        /// Who.
        account: AccountId,
    },
    /// A person in one sandbox.
    SandboxPerson {
        /// Where.
        organisation: OrganisationId,
        /// In which.
        sandbox: SandboxId,
        /// Who.
        account: AccountId,
    },
    /// Everybody in an organisation.
    Organisation(OrganisationId),
    /// Everybody in a sandbox.
    Sandbox(OrganisationId, SandboxId),
}

impl Tx<Write> {
    /// Tells open streams, after this transaction commits, that they have to ask again.
    ///
    /// # Errors
    /// The database's.
    pub async fn revoke(&mut self, revoked: Revoked) -> Result<()> {
        let (organisation, sandbox, account, sign_in): (Option<Uuid>, Option<Uuid>, Option<Uuid>, Option<Uuid>) =
            match revoked {
                Revoked::SignIn(sign_in) => (None, None, None, Some(sign_in.uuid())),
                Revoked::Person { organisation, account } => {
                    (Some(organisation.uuid()), None, Some(account.uuid()), None)
                }
                Revoked::SandboxPerson { organisation, sandbox, account } => {
                    (Some(organisation.uuid()), Some(sandbox.uuid()), Some(account.uuid()), None)
                }
                Revoked::Organisation(organisation) => (Some(organisation.uuid()), None, None, None),
                Revoked::Sandbox(organisation, sandbox) => {
                    (Some(organisation.uuid()), Some(sandbox.uuid()), None, None)
                }
            };
        sqlx::query(
            "insert into revocation (org_id, sandbox_id, account_id, sign_in_id, at) values ($1, $2, $3, $4, now())",
        )
        .bind(organisation)
        .bind(sandbox)
        .bind(account)
        .bind(sign_in)
        .execute(self.conn())
        .await?;
        sqlx::query("select pg_notify('bailiwick_revocation', '')").execute(self.conn()).await?;
        Ok(())
    }
}

/// The signal. Cheap to clone; each subscriber hears every revocation after it subscribed.
#[derive(Debug, Clone)]
pub struct Revocations {
    signal: broadcast::Sender<()>,
}

impl Revocations {
    /// A signal that nobody gives yet.
    pub(super) fn new() -> Self {
        Self { signal: broadcast::channel(64).0 }
    }

    /// Hears revocations from now on. A lagging receiver has missed one, which means the same as hearing one.
    pub fn subscribe(&self) -> broadcast::Receiver<()> {
        self.signal.subscribe()
    }

    /// Watches the database until told to stop.
    pub(super) async fn watch(self, pool: PgPool, stop: CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.listen(&pool, &stop).await {
                // What was missed is unknown, so every stream asks again; it will be closed if it no longer may.
                let _ = self.signal.send(());
                tracing::warn!(error = %error, "lost sight of revocations; trying again");
                tokio::select! { () = tokio::time::sleep(POLL) => {}, () = stop.cancelled() => {} }
            }
        }
    }

    async fn listen(&self, pool: &PgPool, stop: &CancellationToken) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        let mut seen = newest(pool).await?;
        let mut swept = tokio::time::Instant::now();
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                notified = listener.try_recv() => { notified?; }
                () = tokio::time::sleep(POLL) => {}
            }
            let now = newest(pool).await?;
            if now != seen {
                seen = now;
                let _ = self.signal.send(());
            }
            if swept.elapsed() > Duration::from_secs(60) {
                swept = tokio::time::Instant::now();
                sqlx::query("delete from revocation where at < now() - make_interval(mins => $1)")
                    .bind(KEPT_MINUTES)
                    .execute(pool)
                    .await?;
            }
        }
    }
}

/// Count and newest id tell any new row, also one whose transaction began early and committed late.
async fn newest(pool: &PgPool) -> Result<(i64, i64), sqlx::Error> {
    sqlx::query_as("select count(*), coalesce(max(id), 0) from revocation").fetch_one(pool).await
}
