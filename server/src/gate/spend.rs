//! Many small operations of different callers in one commit. Each is decided and recorded on its own, behind a savepoint
//! of its own; what they share is the wait for the disk.

use std::sync::Arc;

use async_trait::async_trait;
use contract::id::RecordId;
use tokio::sync::{mpsc, oneshot};

use super::attempt::{Ask, Done, Stopped};
use super::caller::Call;
use super::context::Context;
use super::operation::{Operation, Spend, Tx};
use super::record::{Entry, Receipt};
use super::transaction::{Core, Fence};
use super::{Backoff, Result, Timestamp};
use crate::error::Error;

/// Most operations that share one commit.
const BATCH: usize = 64;
/// Operations that may wait; beyond it callers wait to be let in.
pub(super) const QUEUE: usize = 1_024;

/// One operation's share of a batch.
#[async_trait]
pub(super) trait Share: Send {
    fn fence(&self) -> Fence;
    /// Does the work inside the savepoint. Called again when the whole batch is made again.
    async fn attempt(&mut self, core: &Core, tx: &mut Tx<Spend>) -> Result<()>;
    /// Told once, after the commit or after it failed for good.
    fn conclude(self: Box<Self>, core: &Core, committed: Result<()>);
}

/// Runs batches until every sender is gone.
pub(super) async fn run(core: Core, mut queue: mpsc::Receiver<Box<dyn Share>>) {
    let mut batch: Vec<Box<dyn Share>> = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        let mut backoff = Backoff::new();
        let outcome = loop {
            match together(&core, &mut batch).await {
                Err(error) if error.is_retryable() => match backoff.pause().await {
                    Ok(()) => {}
                    Err(error) => break Err(error),
                },
                other => break other.map_err(Error::settled),
            }
        };
        for share in batch.drain(..) {
            let told = match &outcome {
                Ok(()) => Ok(()),
                Err(error) => Err(Error::Unavailable(error.to_string())),
            };
            share.conclude(&core, told);
        }
    }
}

async fn together(core: &Core, batch: &mut [Box<dyn Share>]) -> Result<()> {
    let Some(first) = batch.first() else {
        return Ok(());
    };
    let mut tx = core.begin::<Spend>(first.fence()).await?;
    for share in batch.iter_mut() {
        sqlx::query("savepoint share").execute(tx.conn()).await?;
        share.fence().raise(tx.conn()).await?;
        match share.attempt(core, &mut tx).await {
            Err(error) if error.is_retryable() => return Err(error),
            // A refused share leaves nothing behind and does not disturb the others; it tells its caller itself.
            Err(_) => sqlx::query("rollback to savepoint share").execute(tx.conn()).await?,
            Ok(()) => sqlx::query("release savepoint share").execute(tx.conn()).await?,
        };
    }
    core.commit(tx).await
}

/// What an operation in this mode came to.
pub(super) struct Spent<O: Operation> {
    pub(super) outcome: Result<Done<O::Output>, Stopped>,
    pub(super) seen: Option<Context>,
}

pub(super) struct Operating<O: Operation<Mode = Spend>> {
    call: Call,
    operation: Arc<O>,
    at: Timestamp,
    record: RecordId,
    seen: Option<Context>,
    outcome: Option<Result<Done<O::Output>, Stopped>>,
    reply: oneshot::Sender<Spent<O>>,
}

impl<O: Operation<Mode = Spend>> Operating<O> {
    pub(super) fn new(
        call: Call,
        operation: Arc<O>,
        at: Timestamp,
        record: RecordId,
    ) -> (Self, oneshot::Receiver<Spent<O>>) {
        let (reply, answer) = oneshot::channel();
        (Self { call, operation, at, record, seen: None, outcome: None, reply }, answer)
    }
}

#[async_trait]
impl<O: Operation<Mode = Spend>> Share for Operating<O> {
    fn fence(&self) -> Fence {
        Fence::of(&self.call, self.operation.scope())
    }

    async fn attempt(&mut self, core: &Core, tx: &mut Tx<Spend>) -> Result<()> {
        let ask = Ask { call: &self.call, operation: self.operation.as_ref(), at: self.at, record: self.record };
        match core.attempt(&ask, tx, &mut self.seen).await {
            Ok(done) => {
                self.outcome = Some(Ok(done));
                Ok(())
            }
            Err(Stopped::Failed(error)) if error.is_retryable() => Err(error),
            Err(stopped) => {
                self.outcome = Some(Err(stopped));
                // Rolls the savepoint back; the caller is told by `outcome`.
                Err(Error::Unavailable(String::new()))
            }
        }
    }

    fn conclude(self: Box<Self>, core: &Core, committed: Result<()>) {
        let outcome = match (committed, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => {
                Err(Stopped::Failed(Error::internal(anyhow::anyhow!("an operation of a batch was not attempted"))))
            }
            (Err(error), _) => Err(Stopped::Failed(error)),
        };
        if let Ok(Done { receipt: Some(receipt), .. }) = &outcome {
            core.hand_over(receipt);
        }
        let _ = self.reply.send(Spent { outcome, seen: self.seen });
    }
}

/// A record that stands alone: a refusal.
pub(super) struct Recording {
    fence: Fence,
    entry: Entry,
    receipt: Option<Receipt>,
    reply: oneshot::Sender<Result<()>>,
}

impl Recording {
    pub(super) fn new(fence: Fence, entry: Entry) -> (Self, oneshot::Receiver<Result<()>>) {
        let (reply, answer) = oneshot::channel();
        (Self { fence, entry, receipt: None, reply }, answer)
    }
}

#[async_trait]
impl Share for Recording {
    fn fence(&self) -> Fence {
        self.fence.within(self.entry.scope)
    }

    async fn attempt(&mut self, core: &Core, tx: &mut Tx<Spend>) -> Result<()> {
        self.receipt = Some(core.record(tx.conn(), &self.entry).await?);
        Ok(())
    }

    fn conclude(self: Box<Self>, core: &Core, committed: Result<()>) {
        let told = match (committed, &self.receipt) {
            (Ok(()), Some(receipt)) => {
                core.hand_over(receipt);
                Ok(())
            }
            (Ok(()), None) => Err(Error::internal(anyhow::anyhow!("a refusal could not be recorded"))),
            (Err(error), _) => Err(error),
        };
        let _ = self.reply.send(told);
    }
}
