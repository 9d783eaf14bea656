//! Finishing deletions: removes what a terminating organisation or sandbox still holds, batch by batch, and leaves a
//! receipt of what was removed. The one place that names every tenant's table in an order that their references allow.

mod operations;
mod rules;
mod store;

use std::collections::BTreeMap;

use crate::error::Error;
use crate::gate::{Call, Gate, Result};
use operations::{Batch, EraseOrganisation, EraseSandbox, ListTerminating, Terminating};

/// Rows removed, by table.
pub(crate) type Counts = BTreeMap<String, i64>;

/// Removes everything that is due. What fails is left for the next time, and does not keep the rest from being removed.
///
/// # Errors
/// Where not even the list of what is due can be read.
pub async fn erase_due(gate: &Gate) -> Result<()> {
    let due = gate.perform(Call::job("erasure"), ListTerminating {}).await?.output;
    for scope in due {
        if let Err(error) = erase(gate, scope).await {
            tracing::error!(error = %error, ?scope, "a deletion could not be finished; it goes on at the next tick");
            metrics::counter!("bailiwick_erasure_failures_total").increment(1);
        }
    }
    Ok(())
}

async fn erase(gate: &Gate, scope: Terminating) -> Result<()> {
    loop {
        let call = Call::job("erasure");
        let batch = match scope {
            Terminating { organisation, sandbox: Some(sandbox) } => {
                gate.perform(call, EraseSandbox { organisation, sandbox }).await.map(|done| done.output)
            }
            Terminating { organisation, sandbox: None } => {
                gate.perform(call, EraseOrganisation { organisation }).await.map(|done| done.output)
            }
        };
        match batch {
            Ok(Batch { finished: false, .. }) => {}
            // Another replica may have finished it meanwhile.
            Ok(Batch { finished: true, .. }) | Err(Error::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
