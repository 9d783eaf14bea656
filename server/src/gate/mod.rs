//! The gate: the single place that decides, confirms, commits and records.
//!
//! Every request becomes a value of a type that is an [`Operation`], and [`Gate::perform`] turns it into a decision, a
//! change and a record inside one transaction that nothing else can commit. The gate knows no slice.
//!
//! What the types refuse, checked by the compiler on every test run:
//!
//! A permit cannot be forged outside the gate,
//! ```compile_fail,E0624
//! use bailiwick::gate::{Authorized, Operation};
//! fn forge<'a, O: Operation>(operation: &'a O, context: &'a bailiwick::gate::Context, facts: O::Facts) -> Authorized<'a, O> {
//!     Authorized::new(operation, context, facts)
//! }
//! ```
//! nor spent twice,
//! ```compile_fail,E0382
//! use bailiwick::gate::{Authorized, Operation, Tx};
//! async fn twice<O: Operation>(permit: Authorized<'_, O>, tx: &mut Tx<O::Mode>) {
//!     let _ = O::execute(permit, tx).await;
//!     let _ = O::execute(permit, tx).await;
//! }
//! ```
//! the pool cannot be reached,
//! ```compile_fail,E0624
//! fn pool(gate: &bailiwick::gate::Gate) {
//!     let _ = gate.core();
//! }
//! ```
//! nobody else commits,
//! ```compile_fail,E0616
//! use bailiwick::gate::{Tx, Write};
//! async fn commit(tx: Tx<Write>) {
//!     let _ = tx.inner.commit().await;
//! }
//! ```
//! a read cannot call what writes,
//! ```compile_fail,E0308
//! use bailiwick::gate::{Read, Tx, Write};
//! async fn remove(_: &mut Tx<Write>) {}
//! async fn look(tx: &mut Tx<Read>) {
//!     remove(tx).await;
//! }
//! ```
//! no fifth mode can be invented,
//! ```compile_fail,E0277
//! enum Unaudited {}
//! impl bailiwick::gate::Mode for Unaudited {
//!     const KIND: bailiwick::gate::ModeKind = bailiwick::gate::ModeKind::Write;
//! }
//! ```
//! and an action without a line in the policy table does not exist.
//! ```compile_fail,E0599
//! const ACTION: bailiwick::gate::Action = bailiwick::gate::Action::DatabaseDrop;
//! ```

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};
use contract::id::RecordId;
use sqlx::PgPool;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::crypto::keyring::KeyRing;
use crate::crypto::passkey::Passkeys;
use crate::error::Error;

/// Makes a whole attempt again while the database says that it collided with another.
macro_rules! retry {
    ($attempt:expr) => {{
        let mut backoff = $crate::gate::Backoff::new();
        loop {
            match $attempt {
                Err(error) if $crate::error::Error::is_retryable(&error) => {
                    if let Err(error) = backoff.pause().await {
                        break Err(error);
                    }
                }
                other => break other.map_err($crate::error::Error::settled),
            }
        }
    }};
}

mod attempt;
mod caller;
mod context;
mod decide;
pub mod emergency;
mod entering;
mod entry;
mod idempotency;
mod operation;
pub(crate) mod person;
pub mod policy;
pub mod policy_document;
mod proposals;
mod record;
mod registry;
mod revocation;
mod run;
pub mod session_store;
mod spend;
mod standing;
mod transaction;

pub use caller::{Call, Caller, Claim, Idempotency, Lang};
pub use context::{
    Allowed, AllowedDecision, AllowedVerdict, Context, Governance, OrganisationStanding, PersonStanding,
    SandboxStanding, SignInStanding, Status,
};
pub use decide::{Coverage, Decision, Question, Verdict, built_in, decide};
pub use operation::{
    Authorized, Description, Hot, Mode, ModeKind, Operation, Parameters, Personal, Read, Scope, Spend, Subject, Target,
    Tx, Write, fresh, fresh_uuid,
};
pub use policy::Action;
pub(crate) use proposals::in_language;
pub use proposals::{Confirmed, ProposalNotice, Settings};
pub use record::{Actor, Decided, Entry, Outcome, Receipt};
pub use registry::Registry;
pub use revocation::{Revocations, Revoked};

use attempt::{Ask, Stopped};
use run::Run;
use spend::{Recording, Share};
use transaction::{Core, Fence};

/// UTC, to the microsecond, as PostgreSQL keeps it.
pub type Timestamp = DateTime<Utc>;
/// What everything here answers.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where time comes from, so that tests can hold it.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn now(&self) -> Timestamp {
        Utc::now().trunc_subsecs(6)
    }
}

/// How often a colliding attempt is made again, and how long it waits: jittered and growing.
pub(crate) struct Backoff {
    tries: u32,
}

impl Backoff {
    const TRIES: u32 = 20;

    pub(crate) fn new() -> Self {
        Self { tries: 0 }
    }

    pub(crate) async fn pause(&mut self) -> Result<()> {
        self.tries += 1;
        metrics::counter!("bailiwick_transaction_retries_total").increment(1);
        if self.tries >= Self::TRIES {
            return Err(Error::Unavailable("Too many people change this at the same moment. Try again.".into()));
        }
        let ceiling = 2_u64 << self.tries.min(6);
        let jitter = rand::random_range(0..=ceiling);
        tokio::time::sleep(Duration::from_millis(jitter)).await;
        Ok(())
    }
}

/// What an operation answered, with the receipt of its record.
#[derive(Debug)]
pub struct Performed<T> {
    /// The operation's answer.
    pub output: T,
    /// Names the record and its leaf hash; absent for reads.
    pub receipt: Option<Receipt>,
}

/// The gate. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    inner: Arc<Inner>,
}

struct Inner {
    core: Core,
    passkeys: Arc<Passkeys>,
    registry: Registry,
    settings: Settings,
    revocations: Revocations,
    spends: mpsc::Sender<Box<dyn Share>>,
}

/// What a gate is made of.
pub struct Parts {
    /// Connections as the application's role.
    pub pool: PgPool,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Keys for sealing personal fields.
    pub keys: Arc<KeyRing>,
    /// Our relying party.
    pub passkeys: Arc<Passkeys>,
    /// What can wait for a confirmation.
    pub registry: Registry,
    /// How long.
    pub settings: Settings,
    /// Receives the receipt of every committed record.
    pub committed: mpsc::Sender<Receipt>,
}

impl Gate {
    /// Starts the gate and its background parts, which end with `stop`.
    #[expect(clippy::disallowed_methods, reason = "the gate's own two tasks live as long as the gate")]
    pub fn new(parts: Parts, stop: &CancellationToken) -> Self {
        let core = Core { pool: parts.pool, clock: parts.clock, keys: parts.keys, committed: parts.committed };
        let (spends, queue) = mpsc::channel(spend::QUEUE);
        let revocations = Revocations::new();
        tokio::spawn(spend::run(core.clone(), queue));
        tokio::spawn(revocations.clone().watch(core.pool.clone(), stop.clone()));
        let (passkeys, registry, settings) = (parts.passkeys, parts.registry, parts.settings);
        Self { inner: Arc::new(Inner { core, passkeys, registry, settings, revocations, spends }) }
    }

    fn core(&self) -> &Core {
        &self.inner.core
    }

    fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    fn passkeys(&self) -> &Passkeys {
        &self.inner.passkeys
    }

    fn settings(&self) -> Settings {
        self.inner.settings
    }

    /// The gate's time.
    pub fn now(&self) -> Timestamp {
        self.inner.core.clock.now()
    }

    /// Where the gate's time comes from.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.inner.core.clock)
    }

    /// Forgets what has expired: sessions, unanswered prompts and answers kept for repeated requests.
    ///
    /// # Errors
    /// The database's.
    pub async fn sweep(&self) -> Result<()> {
        let pool = &self.core().pool;
        sqlx::query("delete from session where expires_at <= now()").execute(pool).await?;
        sqlx::query("delete from ceremony where expires_at <= now()").execute(pool).await?;
        Ok(())
    }

    /// Tells when somebody's access ended anywhere; whoever holds a stream open then asks again.
    pub fn revocations(&self) -> &Revocations {
        &self.inner.revocations
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// The database's.
    pub async fn ping(&self) -> Result<()> {
        sqlx::query("select 1").execute(&self.core().pool).await.map_err(Error::from).map_err(Error::settled)?;
        Ok(())
    }

    /// Decides, does and records one operation.
    ///
    /// # Errors
    /// The refusal, on record where the action changes anything; [`Error::ConfirmationRequired`] with the stored proposal;
    /// or what the operation itself answers.
    pub async fn perform<O: Operation>(&self, call: impl Into<Call>, operation: O) -> Result<Performed<O::Output>>
    where
        O::Mode: Run<O>,
    {
        let call = call.into();
        let (at, record) = (self.now(), fresh::<RecordId>());
        let (operation, mut seen) = (Arc::new(operation), None);
        match O::Mode::run(self, &call, &operation, (at, record), &mut seen).await {
            Ok(done) => {
                if done.enters && O::ACTION != Action::SessionEnter {
                    self.enter(&call, operation.as_ref()).await?;
                }
                Ok(Performed { output: done.output, receipt: done.receipt })
            }
            Err(Stopped::Confirm(pending)) => {
                let notice = self.propose(&call, operation.as_ref(), pending).await?;
                Err(Error::ConfirmationRequired(Box::new(notice)))
            }
            Err(Stopped::Failed(error)) => {
                let error = error.settled();
                let ask = Ask { call: &call, operation: operation.as_ref(), at, record };
                if let Some(entry) = entry::refused(&ask, seen.as_ref(), &error) {
                    self.record_apart(Fence::of(&call, entry.scope), entry).await;
                }
                Err(error)
            }
        }
    }

    /// A record that stands alone, in a shared commit. If it cannot be written the refusal stands all the same.
    async fn record_apart(&self, fence: Fence, entry: Entry) {
        let (share, told) = Recording::new(fence, entry);
        let written = match self.inner.spends.send(Box::new(share)).await {
            Ok(()) => told.await.unwrap_or_else(|_| Err(Error::Unavailable("shutting down".into()))),
            Err(_) => Err(Error::Unavailable("shutting down".into())),
        };
        if let Err(error) = written {
            metrics::counter!("bailiwick_refusals_unrecorded_total").increment(1);
            tracing::error!(error = %error, "a refusal could not be recorded");
        }
    }

    async fn enter<O: Operation>(&self, call: &Call, operation: &O) -> Result<()> {
        let Some(organisation) = operation.scope().organisation() else {
            return Ok(());
        };
        let call = Call { idempotency: None, ..call.clone() };
        let entering = Arc::new(entering::EnterOrganisation { organisation });
        let now = (self.now(), fresh::<RecordId>());
        match Spend::run(self, &call, &entering, now, &mut None).await {
            Ok(_) => Ok(()),
            Err(Stopped::Failed(error)) => match error.settled() {
                // The operation may have been the one that left or was ended meanwhile; it is on record itself.
                Error::NotFound | Error::Unauthenticated | Error::Denied(_) => Ok(()),
                error => Err(error),
            },
            Err(Stopped::Confirm(_)) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
