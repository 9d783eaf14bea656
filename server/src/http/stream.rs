//! Server-sent events that end when the reader's access does.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::access::operations::WatchAccess;
use crate::app::App;
use crate::gate::{Call, Result, Scope};

/// How often access is asked for again when nothing was revoked: a sign-in may expire, a replica may be cut off.
const REASSURE: Duration = Duration::from_secs(20);

/// A held-open permission to look. [`Watch::ended`] resolves when it is gone.
pub struct Watch {
    app: App,
    call: Call,
    scope: Scope,
    signal: broadcast::Receiver<()>,
}

impl Watch {
    /// Begins, if the caller may look at this scope now.
    ///
    /// # Errors
    /// The gate's refusal.
    pub async fn begin(app: &App, call: &Call, scope: Scope) -> Result<Self> {
        // Subscribed first: what is revoked between the check and the wait is heard.
        let signal = app.gate.revocations().subscribe();
        let watch = Self { app: app.clone(), call: call.clone(), scope, signal };
        watch.check().await?;
        Ok(watch)
    }

    async fn check(&self) -> Result<()> {
        self.app.gate.perform(self.call.clone(), WatchAccess { scope: self.scope }).await.map(drop)
    }

    /// Resolves once the caller may no longer look. A database that does not answer ends it too: the reader comes back.
    pub async fn ended(&mut self) {
        loop {
            tokio::select! {
                // Lagging means having missed one, which is the same news.
                _ = self.signal.recv() => {}
                () = tokio::time::sleep(REASSURE) => {}
            }
            if self.check().await.is_err() {
                return;
            }
        }
    }
}

/// Events as a response that proxies do not hold back. It ends with the server, which would wait for it otherwise; the
/// reader then comes back, to a server that is there.
pub fn respond<S>(stop: CancellationToken, events: S) -> Sse<impl Stream<Item = Result<Event, Infallible>>>
where
    S: Stream<Item = Event> + Send + 'static,
{
    use futures_util::StreamExt;
    Sse::new(events.take_until(stop.cancelled_owned()).map(Ok))
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}
