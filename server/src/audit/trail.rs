//! The trail as other parts hold it.

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::memory::{self, Remembered};
use super::sequencer::{self, Parts};
use crate::crypto::keyring::KeyRing;
use crate::error::Error;
use crate::gate::{Clock, Receipt, Result};

/// Verifications that may run at once; each takes a core.
const VERIFICATIONS: usize = 2;

/// Connections, keys and the signal that something was sealed. Cheap to clone.
#[derive(Clone)]
pub struct Trail {
    pub(super) pool: PgPool,
    pub(super) keys: Arc<KeyRing>,
    pub(super) verifications: Arc<Semaphore>,
    data_directory: PathBuf,
    sealed: watch::Sender<u64>,
}

impl Trail {
    /// A trail over connections as the sequencer's role; remembered checkpoints lie in the data directory.
    pub fn new(pool: PgPool, keys: Arc<KeyRing>, data_directory: PathBuf) -> Self {
        let verifications = Arc::new(Semaphore::new(VERIFICATIONS));
        Self { pool, keys, verifications, data_directory, sealed: watch::channel(0).0 }
    }

    /// Seals until told to stop. Run it once a process.
    ///
    /// # Errors
    /// Only at the start: the remembered checkpoints cannot be read.
    pub async fn seal(
        &self,
        clock: Arc<dyn Clock>,
        committed: mpsc::Receiver<Receipt>,
        stop: CancellationToken,
    ) -> Result<()> {
        let parts = Parts {
            pool: self.pool.clone(),
            keys: Arc::clone(&self.keys),
            clock,
            data_directory: self.data_directory.clone(),
            committed,
            sealed: self.sealed.clone(),
        };
        sequencer::run(parts, stop).await
    }

    /// Changes whenever this process sealed something.
    pub(super) fn sealed(&self) -> watch::Receiver<u64> {
        self.sealed.subscribe()
    }

    /// The newest checkpoint of a chain that is remembered outside the database.
    pub(super) async fn remembered(&self, chain: uuid::Uuid) -> Result<Option<Remembered>> {
        let path = self.data_directory.join(memory::FILE);
        let key = self.keys.note_key().verifying_key();
        tokio::task::spawn_blocking(move || {
            if !path.exists() {
                return Ok(None);
            }
            memory::recall(&path, &key).map(|mut newest| newest.remove(&chain))
        })
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)
    }
}
