//! What an earlier run left behind: a database that still runs is found again, files of a dead one are cleared.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long the last processes of a database that was killed get to notice it and end.
const ORPHANS: Duration = Duration::from_secs(10);

/// A postmaster of this cluster that runs already.
///
/// The process id in the file proves nothing after a crash or a reboot, so the process itself has to work in the
/// cluster's directory.
#[must_use]
pub fn running(cluster: &Path) -> Option<Pid> {
    let pid = recorded(cluster)?;
    works_in(pid, cluster).then_some(pid)
}

/// Clears what a dead postmaster left: waits for its last children, then removes files that would stop a new one.
/// Call it only when none runs.
pub async fn clear(cluster: &Path, socket_directory: &Path) {
    let started = tokio::time::Instant::now();
    while !processes(cluster).is_empty() && started.elapsed() < ORPHANS {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for pid in processes(cluster) {
        // A child that is stuck keeps the shared memory, and a second postmaster beside it would damage the data.
        let _ = kill(pid, Signal::SIGQUIT);
    }
    let started = tokio::time::Instant::now();
    while !processes(cluster).is_empty() && started.elapsed() < ORPHANS {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if !processes(cluster).is_empty() {
        // PostgreSQL itself then refuses to start and says why.
        return;
    }
    for stale in [
        cluster.join("postmaster.pid"),
        socket_directory.join(".s.PGSQL.5432"),
        socket_directory.join(".s.PGSQL.5432.lock"),
    ] {
        if std::fs::remove_file(&stale).is_ok() {
            tracing::info!(path = %stale.display(), "removed what an earlier database left behind");
        }
    }
}

/// Whether the process exists, whoever it belongs to.
#[must_use]
pub fn alive(pid: Pid) -> bool {
    match kill(pid, None) {
        // A child that has ended and was not waited for yet still has its number.
        Ok(()) => state(pid) != Some('Z'),
        Err(error) => error == Errno::EPERM,
    }
}

fn state(pid: Pid) -> Option<char> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    status.rsplit(") ").next()?.chars().next()
}

fn recorded(cluster: &Path) -> Option<Pid> {
    let text = std::fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    // A line of -pid belongs to a single-user run, which is none to adopt.
    let pid: i32 = text.lines().next()?.trim().parse().ok()?;
    (pid > 0).then(|| Pid::from_raw(pid))
}

fn works_in(pid: Pid, directory: &Path) -> bool {
    let read = |name: &str| std::fs::read_link(PathBuf::from(format!("/proc/{pid}/{name}")));
    let program = read("exe").ok().and_then(|path| Some(path.file_name()?.to_str()?.starts_with("postgres")));
    // Another user's program file cannot be read: then the working directory decides alone, and that neither can.
    read("cwd").is_ok_and(|path| path == directory) && program.unwrap_or(true) && alive(pid)
}

/// Every process of a database that works in this directory.
fn processes(cluster: &Path) -> Vec<Pid> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some(Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)))
        .filter(|pid| works_in(*pid, cluster))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_file_is_no_database() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(running(place.path()), None);
        for text in ["", "x", "0", "-1", "1"] {
            std::fs::write(place.path().join("postmaster.pid"), text).unwrap();
            assert_eq!(running(place.path()), None, "{text}");
        }
        std::fs::write(place.path().join("postmaster.pid"), std::process::id().to_string()).unwrap();
        assert_eq!(running(place.path()), None);
    }

    #[tokio::test]
    async fn a_stale_pid_file_and_socket_are_removed() {
        let place = tempfile::tempdir().unwrap();
        for name in ["postmaster.pid", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"] {
            std::fs::write(place.path().join(name), std::process::id().to_string()).unwrap();
        }
        clear(place.path(), place.path()).await;
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
