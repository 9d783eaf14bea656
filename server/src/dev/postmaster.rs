//! One run of the database's main process: started by us, or adopted from an earlier run.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

use super::account::Account;
use super::directory::unusable;
use super::leftover;
use super::programs::Programs;
use crate::failure::{Exit, Failure};

/// How long an orderly end of the database may take.
const ORDERLY: Duration = Duration::from_secs(20);
/// The log is begun anew above this size.
const LOG: u64 = 8 << 20;

/// A running postmaster.
#[derive(Debug)]
pub struct Postmaster {
    pid: Pid,
    /// Absent for an adopted one, which is nobody's child any more.
    child: Option<Child>,
}

impl Postmaster {
    /// Takes over one that an earlier run left.
    #[must_use]
    pub fn adopt(pid: Pid) -> Self {
        Self { pid, child: None }
    }

    /// Starts one, in its own process group: Ctrl-C is for us, and we end the database in order.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(
        programs: &Programs,
        account: &Account,
        cluster: &Path,
        sockets: &Path,
        log: &Path,
    ) -> Result<Self, Failure> {
        let output = open_log(log)?;
        let errors = output.try_clone().map_err(|error| unusable(log, &error))?;
        let program = programs.path("postgres");
        let mut command = Command::new(&program);
        command
            .arg("-D")
            .arg(cluster)
            .arg("-k")
            .arg(sockets)
            .args(["-c", "listen_addresses=", "-c", "port=5432", "-c", "unix_socket_permissions=0700"])
            .args(["-c", "max_connections=80", "-c", "shared_buffers=64MB", "-c", "log_checkpoints=off"])
            .current_dir(cluster)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0);
        as_account(&mut command, account);
        let child = command
            .spawn()
            .map_err(|error| Failure::new(Exit::Failed, format!("{} cannot be started: {error}", program.display())))?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let pid = pid.ok_or_else(|| Failure::new(Exit::Failed, "the database ended at once"))?;
        Ok(Self { pid, child: Some(child) })
    }

    /// Returns when it has ended, for whatever reason.
    pub async fn ended(&mut self) {
        match &mut self.child {
            Some(child) => {
                let _ = child.wait().await;
            }
            None => {
                while leftover::alive(self.pid) {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    /// Whether it has ended already.
    pub fn has_ended(&mut self) -> bool {
        match &mut self.child {
            Some(child) => !matches!(child.try_wait(), Ok(None)),
            None => !leftover::alive(self.pid),
        }
    }

    /// Ends it in order (open transactions are rolled back), and by force if that takes too long.
    pub async fn stop(mut self) {
        for (signal, patience) in [(Signal::SIGINT, ORDERLY), (Signal::SIGQUIT, Duration::from_secs(5))] {
            if self.has_ended() {
                return;
            }
            let _ = kill(self.pid, signal);
            if tokio::time::timeout(patience, self.ended()).await.is_ok() {
                return;
            }
            tracing::warn!(pid = self.pid.as_raw(), "the database takes long to end");
        }
        let _ = kill(self.pid, Signal::SIGKILL);
        self.ended().await;
    }
}

/// Lets a program run as the database's user, and nothing of ours with it.
pub fn as_account(command: &mut Command, account: &Account) {
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
    if account.other {
        // With the user the standard library also drops our supplementary groups.
        command.uid(account.uid.as_raw()).gid(account.gid.as_raw());
    }
}

fn open_log(path: &Path) -> Result<File, Failure> {
    let long = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > LOG);
    if long {
        let _ = std::fs::rename(path, path.with_extension("log.old"));
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map_err(|error| unusable(path, &error))
}

/// The last lines of the database's log, for a message about why it does not start.
#[must_use]
pub fn last_words(log: &Path) -> String {
    let text = std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(6)..].join("\n  ")
}

/// Runs `initdb` into a folder of its own and renames it when complete: a start that is cut off leaves no half cluster.
///
/// # Errors
/// What `initdb` said, and the path.
pub async fn initialise(programs: &Programs, account: &Account, data: &Path) -> Result<PathBuf, Failure> {
    let (partial, cluster) = (data.join("cluster.new"), data.join("cluster"));
    if partial.exists() {
        std::fs::remove_dir_all(&partial).map_err(|error| unusable(&partial, &error))?;
    }
    std::fs::create_dir(&partial).and_then(|()| account.own(&partial)).map_err(|error| unusable(&partial, &error))?;
    let mut command = Command::new(programs.path("initdb"));
    command
        .arg("-D")
        .arg(&partial)
        .args(["--username=postgres", "--auth-local=trust", "--auth-host=reject"])
        .args(["--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-instructions"])
        .current_dir("/")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .process_group(0);
    as_account(&mut command, account);
    let output = command
        .output()
        .await
        .map_err(|error| Failure::new(Exit::Failed, format!("initdb cannot be started: {error}")))?;
    if !output.status.success() {
        let _ = std::fs::remove_dir_all(&partial);
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(
            Exit::DataDirectory,
            format!("no database could be made in {}: {}", data.display(), said.trim()),
        )
        .advise("See what PostgreSQL says above; a full disk and a directory that its user cannot reach are the usual causes."));
    }
    std::fs::rename(&partial, &cluster).map_err(|error| unusable(&cluster, &error))?;
    Ok(cluster)
}
