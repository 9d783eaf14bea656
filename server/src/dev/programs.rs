//! Where PostgreSQL's own programs are, in the version that the cluster was made with.

use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};

/// Oldest major version that works.
const OLDEST: u32 = 15;

/// A folder with `initdb` and `postgres` of one major version.
#[derive(Debug, Clone)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// The newest installed, or for an existing cluster exactly its version.
    ///
    /// # Errors
    /// None is installed: says what to install.
    pub fn find(cluster: &Path) -> Result<Self, Failure> {
        let made_with =
            std::fs::read_to_string(cluster.join("PG_VERSION")).ok().and_then(|text| text.trim().parse::<u32>().ok());
        let installed = installed(Path::new("/usr/lib/postgresql"));
        let chosen = match made_with {
            Some(version) => installed.iter().find(|(found, _)| *found == version),
            None => installed.iter().max_by_key(|(found, _)| *found),
        };
        match (chosen, made_with) {
            (Some((_, folder)), _) => Ok(Self { folder: folder.clone() }),
            (None, Some(version)) => Err(Failure::new(
                Exit::Failed,
                format!("the cluster {} was made by PostgreSQL {version}, which is not installed", cluster.display()),
            )
            .advise(format!("Install it with: apt-get install postgresql-{version}"))),
            (None, None) => Err(Failure::new(Exit::Failed, format!("PostgreSQL {OLDEST} or newer is not installed"))
                .advise("Install it with: apt-get install postgresql (script/server does that).")),
        }
    }

    /// Path of one program.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Major versions with both programs, from where Debian and Ubuntu put them.
fn installed(debian: &Path) -> Vec<(u32, PathBuf)> {
    let complete = |folder: &Path| folder.join("initdb").exists() && folder.join("postgres").exists();
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(debian)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(version, folder)| *version >= OLDEST && complete(folder))
        .collect();
    found.sort();
    found
}
