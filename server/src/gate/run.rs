//! How each of the four modes carries an operation out.

use std::sync::Arc;

use contract::id::RecordId;

use super::attempt::{Ask, Done, Stopped};
use super::caller::Call;
use super::context::Context;
use super::operation::{Hot, Mode, Operation, Read, Spend, Write};
use super::spend::Operating;
use super::transaction::Fence;
use super::{Backoff, Gate, Result, Timestamp};
use crate::error::Error;

/// A mode that can carry `O` out. Sealed with [`Mode`].
pub trait Run<O: Operation>: Mode {
    #[doc(hidden)]
    fn run(
        gate: &Gate,
        call: &Call,
        operation: &Arc<O>,
        now: (Timestamp, RecordId),
        seen: &mut Option<Context>,
    ) -> impl Future<Output = Result<Done<O::Output>, Stopped>> + Send;
}

impl<O: Operation<Mode = Read>> Run<O> for Read {
    async fn run(
        gate: &Gate,
        call: &Call,
        operation: &Arc<O>,
        now: (Timestamp, RecordId),
        seen: &mut Option<Context>,
    ) -> Result<Done<O::Output>, Stopped> {
        alone(gate, call, operation.as_ref(), now, seen).await
    }
}

impl<O: Operation<Mode = Hot>> Run<O> for Hot {
    async fn run(
        gate: &Gate,
        call: &Call,
        operation: &Arc<O>,
        now: (Timestamp, RecordId),
        seen: &mut Option<Context>,
    ) -> Result<Done<O::Output>, Stopped> {
        alone(gate, call, operation.as_ref(), now, seen).await
    }
}

impl<O: Operation<Mode = Write>> Run<O> for Write {
    async fn run(
        gate: &Gate,
        call: &Call,
        operation: &Arc<O>,
        now: (Timestamp, RecordId),
        seen: &mut Option<Context>,
    ) -> Result<Done<O::Output>, Stopped> {
        let mut backoff = Backoff::new();
        loop {
            match alone(gate, call, operation.as_ref(), now, seen).await {
                Err(Stopped::Failed(error)) if error.is_retryable() => {
                    if let Err(error) = backoff.pause().await {
                        return Err(error.into());
                    }
                }
                outcome => return outcome,
            }
        }
    }
}

impl<O: Operation<Mode = Spend>> Run<O> for Spend {
    async fn run(
        gate: &Gate,
        call: &Call,
        operation: &Arc<O>,
        (at, record): (Timestamp, RecordId),
        seen: &mut Option<Context>,
    ) -> Result<Done<O::Output>, Stopped> {
        let (share, answer) = Operating::new(call.clone(), Arc::clone(operation), at, record);
        let stopped = || Stopped::from(Error::Unavailable("The server is shutting down.".into()));
        gate.inner.spends.send(Box::new(share)).await.map_err(|_| stopped())?;
        let spent = answer.await.map_err(|_| stopped())?;
        *seen = spent.seen;
        spent.outcome
    }
}

async fn alone<O: Operation>(
    gate: &Gate,
    call: &Call,
    operation: &O,
    (at, record): (Timestamp, RecordId),
    seen: &mut Option<Context>,
) -> Result<Done<O::Output>, Stopped> {
    let core = gate.core();
    let ask = Ask { call, operation, at, record };
    let mut tx = core.begin::<O::Mode>(Fence::of(call, operation.scope())).await?;
    let done = core.attempt(&ask, &mut tx, seen).await?;
    core.commit(tx).await?;
    if let Some(receipt) = &done.receipt {
        core.hand_over(receipt);
    }
    Ok(done)
}
