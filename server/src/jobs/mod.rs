//! Background work beside the requests. Each job goes through the gate as [`crate::gate::Caller::Job`]; every replica may
//! run all of them, since what they do is decided again in its own transaction.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::gate::{Receipt, Result};

/// How soon an overdue proposal ends and a requested deletion begins.
const TICK: Duration = Duration::from_secs(2);
/// How often what has expired is swept away.
const SWEEP: Duration = Duration::from_secs(600);

/// Starts sealing and the clockwork; both end with `stop`, and `tracker` awaits them.
pub fn start(app: &App, receipts: mpsc::Receiver<Receipt>, tracker: &TaskTracker, stop: &CancellationToken) {
    let (sealing, ending) = (app.clone(), stop.clone());
    tracker.spawn(async move {
        if let Err(error) = sealing.trail.seal(sealing.gate.clock(), receipts, ending.clone()).await {
            // A server that cannot seal must not go on as if its trail were proven.
            tracing::error!(error = %error, "the audit trail cannot be sealed; the server stops");
            ending.cancel();
        }
    });
    let (ticking, ending) = (app.clone(), stop.clone());
    tracker.spawn(async move {
        let mut swept = tokio::time::Instant::now();
        while tokio::time::timeout(TICK, ending.cancelled()).await.is_err() {
            note("proposals", ticking.gate.expire_proposals().await);
            note("erasure", crate::erasure::erase_due(&ticking.gate).await);
            if swept.elapsed() > SWEEP {
                swept = tokio::time::Instant::now();
                note("sessions", ticking.gate.sweep().await);
            }
        }
    });
}

fn note(job: &'static str, outcome: Result<()>) {
    if let Err(error) = outcome {
        metrics::counter!("bailiwick_job_failures_total", "job" => job).increment(1);
        tracing::warn!(job, error = %error, "a job failed; it is tried again at the next tick");
    }
}
