//! Which operating-system user the database runs as: PostgreSQL refuses to run as root.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::{Gid, Uid, User};

use crate::failure::{Exit, Failure};

/// The user that the database's programs run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// User id.
    pub uid: Uid,
    /// Primary group id.
    pub gid: Gid,
    /// Whether it differs from our own, so that files have to be handed over.
    pub other: bool,
}

impl Account {
    /// Ourselves, or `postgres`, else `nobody` when we are root.
    ///
    /// # Errors
    /// We are root and neither exists.
    pub fn choose() -> Result<Self, Failure> {
        let (uid, gid) = (nix::unistd::geteuid(), nix::unistd::getegid());
        if !uid.is_root() {
            return Ok(Self { uid, gid, other: false });
        }
        for name in ["postgres", "nobody"] {
            if let Ok(Some(user)) = User::from_name(name) {
                return Ok(Self { uid: user.uid, gid: user.gid, other: true });
            }
        }
        Err(Failure::new(
            Exit::Failed,
            "PostgreSQL does not run as root, and there is neither a user postgres nor nobody",
        )
        .advise("Create a user postgres, or run this command as an ordinary user."))
    }

    /// Gives a path to this user.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn own(&self, path: &Path) -> std::io::Result<()> {
        if self.other {
            nix::unistd::chown(path, Some(self.uid), Some(self.gid))?;
        }
        Ok(())
    }

    /// Whether this user may pass through every directory down to the path.
    ///
    /// # Errors
    /// Names the first directory that is closed.
    pub fn reaches(&self, path: &Path) -> Result<(), Failure> {
        let mut parents: Vec<&Path> = path.ancestors().collect();
        parents.reverse();
        for parent in parents {
            let Ok(metadata) = std::fs::metadata(parent) else {
                continue;
            };
            let bit = if metadata.uid() == self.uid.as_raw() {
                0o100
            } else if metadata.gid() == self.gid.as_raw() {
                0o010
            } else {
                0o001
            };
            if metadata.mode() & bit == 0 {
                let message =
                    format!("the database runs as user {} and may not pass through {}", self.uid, parent.display());
                return Err(Failure::new(Exit::DataDirectory, message).advise(format!(
                    "Choose another place with --data-directory, or allow it with: chmod o+x {}",
                    parent.display()
                )));
            }
        }
        Ok(())
    }
}
