//! The private cluster for as long as the server runs: started or adopted, watched, started again if it dies, stopped.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::account::Account;
use super::postmaster::{Postmaster, initialise, last_words};
use super::programs::Programs;
use super::{directory, leftover};
use crate::failure::{Exit, Failure};

/// How long a database may take until it answers; recovery after a crash is part of it.
const READY: Duration = Duration::from_secs(90);
/// How long an adopted one may take before it is replaced.
const ADOPTED: Duration = Duration::from_secs(10);

/// A running private database. Call [`Cluster::stop`] before the process ends.
#[derive(Debug)]
pub struct Cluster {
    sockets: PathBuf,
    stop: CancellationToken,
    watch: JoinHandle<()>,
}

/// Everything that starts one run of this cluster's postmaster.
#[derive(Debug, Clone)]
struct Site {
    programs: Programs,
    account: Account,
    cluster: PathBuf,
    sockets: PathBuf,
    log: PathBuf,
}

impl Cluster {
    /// Makes the cluster on first use, and brings it up.
    ///
    /// # Errors
    /// PostgreSQL is not installed, its user cannot reach the directory, or it does not start: with its last words.
    pub async fn start(data: &Path) -> Result<Self, Failure> {
        let account = Account::choose()?;
        account.reaches(data)?;
        let sockets = directory::runtime(data, &account)?;
        let cluster = data.join("cluster");
        let programs = Programs::find(&cluster)?;
        if !cluster.exists() {
            tracing::info!(path = %cluster.display(), "making a private database");
            initialise(&programs, &account, data).await?;
        }
        let site = Site { programs, account, cluster, sockets: sockets.clone(), log: data.join("postgresql.log") };
        let postmaster = site.up().await?;
        let stop = CancellationToken::new();
        #[expect(
            clippy::disallowed_methods,
            reason = "the watcher lives as long as the cluster, and stop() waits for it"
        )]
        let watch = tokio::spawn(site.watch(postmaster, stop.clone()));
        Ok(Self { sockets, stop, watch })
    }

    /// How the cluster's superuser connects: for roles and databases only.
    #[must_use]
    pub fn superuser(&self) -> PgConnectOptions {
        superuser(&self.sockets)
    }

    /// Folder of the socket.
    #[must_use]
    pub fn socket_directory(&self) -> &Path {
        &self.sockets
    }

    /// Ends the database in order and waits for it.
    pub async fn stop(self) {
        self.stop.cancel();
        if self.watch.await.is_err() {
            tracing::error!("the database's watcher broke");
        }
        // Only ours is in it; a socket of a database that is being adopted elsewhere keeps it.
        let _ = std::fs::remove_dir(&self.sockets);
    }
}

impl Site {
    /// Adopts a postmaster of this cluster that runs, else clears leftovers and starts one.
    async fn up(&self) -> Result<Postmaster, Failure> {
        if let Some(pid) = leftover::running(&self.cluster) {
            let mut adopted = Postmaster::adopt(pid);
            if self.answers(&mut adopted, ADOPTED).await {
                tracing::info!(pid = pid.as_raw(), "found the database of an earlier run");
                return Ok(adopted);
            }
            tracing::warn!(pid = pid.as_raw(), "the database of an earlier run does not answer; it is replaced");
            adopted.stop().await;
        }
        leftover::clear(&self.cluster, &self.sockets).await;
        let mut started = self.begin()?;
        if self.answers(&mut started, READY).await {
            return Ok(started);
        }
        started.stop().await;
        Err(Failure::new(
            Exit::Database,
            format!("the private database does not start. Its last words:\n  {}", last_words(&self.log)),
        )
        .advise(format!("All of them are in {}.", self.log.display())))
    }

    fn begin(&self) -> Result<Postmaster, Failure> {
        Postmaster::start(&self.programs, &self.account, &self.cluster, &self.sockets, &self.log)
    }

    async fn answers(&self, postmaster: &mut Postmaster, patience: Duration) -> bool {
        let started = tokio::time::Instant::now();
        let options = superuser(&self.sockets);
        while started.elapsed() < patience && !postmaster.has_ended() {
            if let Ok(connection) = options.connect().await {
                let _ = connection.close().await;
                return true;
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        false
    }

    /// Keeps the database up until told to stop, then ends it.
    async fn watch(self, mut postmaster: Postmaster, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = postmaster.ended() => {}
            }
            tracing::error!(log = %self.log.display(), "the database ended; starting it again");
            leftover::clear(&self.cluster, &self.sockets).await;
            let mut pause = Duration::from_millis(100);
            postmaster = loop {
                match self.begin() {
                    Ok(next) => break next,
                    Err(error) => tracing::error!(%error, "the database cannot be started"),
                }
                if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                    return;
                }
                pause = (pause * 2).min(Duration::from_secs(5));
            };
            // One that dies at once must not be started in a tight circle.
            let calm = tokio::time::timeout(Duration::from_secs(1), postmaster.ended());
            if stop.run_until_cancelled(calm).await.is_none() {
                break;
            }
        }
        postmaster.stop().await;
    }
}

fn superuser(sockets: &Path) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass().socket(sockets).port(5432).username("postgres").database("postgres")
}
