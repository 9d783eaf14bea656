//! The development server's at-rest key: made once, beside the data that it protects.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use super::directory::write;
use crate::failure::{Exit, Failure};

/// The key file; one is made where none is, and never where a cluster was already sealed with one that is gone.
///
/// # Errors
/// It cannot be written, or it went missing.
pub fn ready(directory: &Path) -> Result<PathBuf, Failure> {
    let path = directory.join("at-rest.key");
    if path.exists() {
        return Ok(path);
    }
    if directory.join("cluster").exists() {
        return Err(Failure::new(
            Exit::DataDirectory,
            format!("the at-rest key {} is gone, and what is stored cannot be opened without it", path.display()),
        )
        .advise(format!("Put the key file back, or remove {} and begin anew.", directory.display())));
    }
    let key = Zeroizing::new(rand::random::<[u8; 32]>());
    let text = Zeroizing::new(format!("{}\n", BASE64_STANDARD.encode(*key)));
    write(&path, &text, 0o600)?;
    tracing::info!(path = %path.display(), "made an at-rest key; without it the stored data cannot be opened");
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_never_beside_old_data() {
        let place = tempfile::tempdir().unwrap();
        let path = ready(place.path()).unwrap();
        let first = std::fs::read_to_string(&path).unwrap();
        assert_eq!(BASE64_STANDARD.decode(first.trim()).unwrap().len(), 32);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        ready(place.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), first);

        std::fs::create_dir(place.path().join("cluster")).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(ready(place.path()).unwrap_err().message.contains("is gone"));
    }
}
