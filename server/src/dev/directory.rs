//! The data directory and the short one for the socket: made, checked by writing, and locked.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::account::Account;
use crate::failure::{Exit, Failure};

/// A new cluster takes about 40 MB; its journal grows with the first writes.
const ROOM: u64 = 160 << 20;
/// With less than this an existing cluster soon stops.
const LITTLE: u64 = 24 << 20;

/// Makes the directory where it is missing, proves that it can be written, and answers its real path.
///
/// # Errors
/// Names the path, what the file system said, and what to do.
pub fn ready(directory: &Path) -> Result<PathBuf, Failure> {
    let broken = |error: &std::io::Error| unusable(directory, error);
    // Others may pass through, to what is theirs in it, and read nothing.
    DirBuilder::new().recursive(true).mode(0o711).create(directory).map_err(|error| broken(&error))?;
    let directory = directory.canonicalize().map_err(|error| broken(&error))?;
    if !directory.is_dir() {
        return Err(unusable(&directory, &ErrorKind::NotADirectory.into()));
    }
    let probe = directory.join(".write-probe");
    let written = File::create(&probe).and_then(|mut file| {
        file.write_all(&[0x55; 64 << 10])?;
        file.sync_all()
    });
    let removed = std::fs::remove_file(&probe);
    written.and(removed).map_err(|error| unusable(&directory, &error))?;
    let fresh = !directory.join("cluster").exists();
    room(&directory, if fresh { ROOM } else { LITTLE })?;
    Ok(directory)
}

fn room(directory: &Path, needed: u64) -> Result<(), Failure> {
    let Ok(status) = nix::sys::statvfs::statvfs(directory) else {
        return Ok(());
    };
    let free = status.blocks_available() * status.fragment_size();
    if free >= needed {
        return Ok(());
    }
    Err(Failure::new(
        Exit::DataDirectory,
        format!(
            "the data directory {} has only {} MB free, and {} MB are needed",
            directory.display(),
            free >> 20,
            needed >> 20
        ),
    )
    .advise("Free some space there, or choose another place with --data-directory."))
}

/// What the operator reads when a path of the data directory cannot be used.
pub fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    let advice = match error.kind() {
        ErrorKind::PermissionDenied => {
            "Give this user the right to write there, or choose another place with --data-directory."
        }
        ErrorKind::ReadOnlyFilesystem => {
            "The file system is read-only: mount it for writing, or choose another place with --data-directory."
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "The disk is full: free some space there, or choose another place with --data-directory."
        }
        _ => "Choose another place with --data-directory.",
    };
    Failure::new(Exit::DataDirectory, format!("the data directory cannot be used: {}: {error}", path.display()))
        .advise(advice)
}

/// Writes a small file whole or not at all: a full disk must not leave half of it under its name.
///
/// # Errors
/// Names the path.
pub fn write(path: &Path, text: &str, mode: u32) -> Result<(), Failure> {
    let partial = path.with_extension("new");
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&partial)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&partial, path))
        .map_err(|error| unusable(path, &error))
}

/// Two servers on one data directory would stop each other's database, so the first one holds this.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock. It is let go when this value or the process ends, however it ends.
    ///
    /// # Errors
    /// Somebody has it: names the process.
    pub fn take(directory: &Path) -> Result<Self, Failure> {
        let path = directory.join("dev.lock");
        let broken = |error: std::io::Error| unusable(&path, &error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(broken)?;
        if file.try_lock().is_err() {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            return Err(Failure::new(
                Exit::DataDirectory,
                format!("the data directory {} is in use by process {}", directory.display(), holder.trim()),
            )
            .advise("End that one first, or choose another place with --data-directory."));
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(broken)?;
        writeln!(file, "{}", std::process::id()).map_err(broken)?;
        Ok(Self { _file: file })
    }
}

/// A directory for the socket whose path is short enough for one (107 bytes with the socket's name), the same at each
/// start with the same data directory, and closed to others.
///
/// # Errors
/// None of the usual places can be used.
pub fn runtime(data: &Path, account: &Account) -> Result<PathBuf, Failure> {
    let digest = Sha256::digest(data.as_os_str().as_encoded_bytes());
    let name = format!("bailiwick-{}", hex::encode(&digest[..5]));
    let mut places = vec![PathBuf::from("/tmp")];
    if nix::unistd::geteuid().is_root() {
        places.insert(0, PathBuf::from("/run"));
    } else {
        places.insert(0, PathBuf::from(format!("/run/user/{}", account.uid)));
    }
    let mut last = Failure::new(Exit::Failed, "no directory for the database's socket");
    for place in places {
        match own(&place.join(&name), account) {
            Ok(path) => return Ok(path),
            Err(error) => {
                last = Failure::new(
                    Exit::Failed,
                    format!("no directory for the database's socket in {}: {error}", place.display()),
                );
            }
        }
    }
    Err(last.advise("Make /tmp writable for this user."))
}

fn own(path: &Path, account: &Account) -> std::io::Result<PathBuf> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => account.own(path)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    // Anybody may make a name in /tmp first: only a real directory of that user will do.
    let metadata = std::fs::symlink_metadata(path)?;
    if !metadata.is_dir() || metadata.uid() != account.uid.as_raw() {
        return Err(std::io::Error::new(
            ErrorKind::PermissionDenied,
            format!("{} belongs to somebody else", path.display()),
        ));
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_path_fits_and_a_foreign_directory_is_refused() {
        let account = Account { uid: nix::unistd::geteuid(), gid: nix::unistd::getegid(), other: false };
        let deep = tempfile::tempdir().unwrap().path().join("a".repeat(200));
        let runtime = runtime(&deep, &account).unwrap();
        assert!(runtime.join(".s.PGSQL.5432.lock").as_os_str().len() <= 107);
        assert_eq!(std::fs::metadata(&runtime).unwrap().mode() & 0o777, 0o700);
        std::fs::remove_dir(&runtime).unwrap();

        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", other.path().join("link")).unwrap();
        assert!(own(&other.path().join("link"), &account).is_err());
    }

    #[test]
    fn a_second_start_names_the_first_one() {
        let place = tempfile::tempdir().unwrap();
        let held = Lock::take(place.path()).unwrap();
        let refused = Lock::take(place.path()).unwrap_err();
        assert_eq!(refused.exit, Exit::DataDirectory);
        assert!(refused.message.contains(&std::process::id().to_string()));
        drop(held);
        assert!(Lock::take(place.path()).is_ok());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("data");
        std::fs::write(&file, "x").unwrap();
        let refused = ready(&file).unwrap_err();
        assert_eq!(refused.exit, Exit::DataDirectory);
        assert!(refused.message.contains(&file.display().to_string()));
    }
}
