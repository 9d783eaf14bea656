//! A certificate for localhost that the server signs itself, kept, and renewed before it ends.

use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use time::{Duration, OffsetDateTime};

use super::directory::{unusable, write};
use crate::failure::{Exit, Failure};

/// Browsers refuse certificates that are valid for longer than 398 days.
const LIFETIME: Duration = Duration::days(397);
/// Renewed when less than this is left.
const MARGIN: Duration = Duration::days(30);

/// The certificate and its key as PEM files.
///
/// # Errors
/// They cannot be written.
pub fn ready(directory: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a certificate's life is measured by the machine's clock, before there is a server"
    )]
    let now = OffsetDateTime::now_utc();
    at(directory, now)
}

fn at(directory: &Path, now: OffsetDateTime) -> Result<(PathBuf, PathBuf), Failure> {
    let folder = directory.join("tls");
    let (certificate, key, until) =
        (folder.join("localhost.pem"), folder.join("localhost.key"), folder.join("valid-until"));
    let left = std::fs::read_to_string(&until)
        .ok()
        .and_then(|text| text.trim().parse::<i64>().ok())
        .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok())
        .map(|end| end - now);
    let good = left.is_some_and(|left| left > MARGIN && left <= LIFETIME);
    if good && certificate.exists() && key.exists() {
        return Ok((certificate, key));
    }
    let (certificate_pem, key_pem) = sign(now)
        .map_err(|error| Failure::new(Exit::Failed, format!("no certificate for localhost could be made: {error}")))?;
    std::fs::create_dir_all(&folder).map_err(|error| unusable(&folder, &error))?;
    // The date comes last: without it the next start makes the pair again.
    let _ = std::fs::remove_file(&until);
    for (path, text, mode) in [
        (&key, key_pem, 0o600),
        (&certificate, certificate_pem, 0o644),
        (&until, (now + LIFETIME).unix_timestamp().to_string(), 0o644),
    ] {
        write(path, &text, mode)?;
    }
    Ok((certificate, key))
}

fn sign(now: OffsetDateTime) -> Result<(String, String), rcgen::Error> {
    let mut parameters = CertificateParams::new(["localhost", "127.0.0.1", "::1"].map(String::from))?;
    parameters.distinguished_name.push(DnType::CommonName, "Bailiwick on this machine");
    parameters.not_before = now - Duration::hours(1);
    parameters.not_after = now + LIFETIME;
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    Ok((parameters.self_signed(&key)?.pem(), key.serialize_pem()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_kept_until_it_nears_its_end() {
        let place = tempfile::tempdir().unwrap();
        let now = OffsetDateTime::from_unix_timestamp(1_800_000_000).unwrap();
        let read = || std::fs::read_to_string(place.path().join("tls/localhost.pem")).unwrap();
        at(place.path(), now).unwrap();
        let first = read();
        at(place.path(), now + Duration::days(300)).unwrap();
        assert_eq!(read(), first);
        at(place.path(), now + LIFETIME - MARGIN).unwrap();
        let renewed = read();
        assert_ne!(renewed, first);
        // A clock that was set back, or a file that a crash left out, makes it again as well.
        at(place.path(), now).unwrap();
        assert_ne!(read(), renewed);
        std::fs::remove_file(place.path().join("tls/localhost.key")).unwrap();
        at(place.path(), now).unwrap();
        assert!(place.path().join("tls/localhost.key").exists());
    }
}
