use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use uuid::Uuid;

use super::keyfile::{Fault, KeyFileError, parse, read};
use super::keyring::{KeyRing, PersonKey, Purpose};
use super::seal::{Place, SealError, open_personal, seal_personal};

fn key() -> [u8; 32] {
    std::array::from_fn(|index| (index * 37 + 11) as u8)
}

fn only(bytes: &[u8]) -> Result<String, Fault> {
    parse(bytes).map(|keys| keys[0].id().to_owned())
}

#[test]
fn every_form_of_a_key_is_the_same_key() {
    let id = only(&key()).unwrap();
    assert_eq!(id, KeyRing::from_key(key()).active());
    let hex = hex::encode(key());
    let base64 = STANDARD.encode(key());
    for text in [
        hex.clone(),
        format!("{hex}\n"),
        hex.to_uppercase(),
        base64.clone(),
        format!("{base64}\r\n"),
        URL_SAFE_NO_PAD.encode(key()),
        format!("bailiwick-keys v1\n# one\n\nkey {id} {base64}\n"),
    ] {
        assert_eq!(only(text.as_bytes()).as_ref(), Ok(&id), "{text}");
    }
}

#[test]
fn doubtful_content_is_refused() {
    let hex = hex::encode(key());
    let base64 = STANDARD.encode(key());
    let id = only(&key()).unwrap();
    let refused = |bytes: &[u8]| only(bytes).unwrap_err();
    assert_eq!(refused(&key()[..31]), Fault::Length(31));
    assert_eq!(refused(&[key().as_slice(), b"\n"].concat()), Fault::Length(33));
    assert_eq!(refused(&hex.as_bytes()[..62]), Fault::Length(62));
    assert_eq!(refused(format!("{hex}\n\n").as_bytes()), Fault::Length(66));
    assert_eq!(refused(format!("\u{feff}{hex}").as_bytes()), Fault::ByteOrderMark);
    assert_eq!(refused(&hex.as_bytes()[..32]), Fault::Text);
    assert_eq!(refused(format!("*{}", &base64[1..]).as_bytes()), Fault::Encoding);
    assert_eq!(refused(&[0; 32]), Fault::Placeholder);
    assert_eq!(refused("00".repeat(32).as_bytes()), Fault::Placeholder);
    assert_eq!(refused("abcd".repeat(16).as_bytes()), Fault::Placeholder);
    assert_eq!(refused(STANDARD.encode("change-me-change-me-change-me-32").as_bytes()), Fault::Placeholder);
    assert_eq!(refused(&std::array::from_fn::<u8, 32, _>(|n| n as u8)), Fault::Placeholder);
    assert_eq!(refused(b"bailiwick-keys v1\n"), Fault::Count);
    assert_eq!(refused(b"bailiwick-keys v2\n"), Fault::Length(18));
    assert_eq!(refused(format!("bailiwick-keys v1\nkey 0000000000000000 {base64}").as_bytes()), Fault::Check(2));
    assert_eq!(
        refused(format!("bailiwick-keys v1\nkey {id} {base64}\nkey {id} {base64}").as_bytes()),
        Fault::Repeated(3)
    );
    assert_eq!(refused(format!("bailiwick-keys v1\nkee {id} {base64}").as_bytes()), Fault::Line(2));
}

#[test]
fn a_file_is_read_only_when_it_is_private() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    assert!(matches!(read(&path, false), Err(KeyFileError::Missing(_))));
    fs::write(&path, b"").unwrap();
    mode(0o400);
    assert!(matches!(read(&path, false), Err(KeyFileError::Empty(_))));
    mode(0o600);
    fs::write(&path, key()).unwrap();
    assert!(read(&path, false).is_ok());
    mode(0o440);
    assert!(read(&path, false).is_ok());
    for open in [0o444, 0o604, 0o420] {
        mode(open);
        assert!(matches!(read(&path, false), Err(KeyFileError::Exposed { mode, .. }) if mode == open));
        assert!(read(&path, true).is_ok());
    }
    mode(0o400);
    assert!(matches!(read(directory.path(), false), Err(KeyFileError::NotAFile(_))));
    // A mounted secret links to a file beside it; a link that leaves the directory may be anybody's.
    let beside = directory.path().join("beside");
    symlink(&path, &beside).unwrap();
    assert!(read(&beside, false).is_ok());
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("key");
    symlink(&path, &outside).unwrap();
    assert!(matches!(read(&outside, false), Err(KeyFileError::Link(_))));
    assert!(read(&outside, true).is_ok());
    fs::remove_file(&path).unwrap();
    assert!(matches!(read(&beside, false), Err(KeyFileError::Missing(_))));
    if nix::unistd::geteuid().is_root() {
        fs::write(&path, key()).unwrap();
        mode(0o400);
        nix::unistd::chown(&path, Some(nix::unistd::Uid::from_raw(65_534)), None).unwrap();
        assert!(matches!(read(&path, false), Err(KeyFileError::Owner { owner: 65_534, .. })));
    }
}

#[test]
fn messages_never_hold_a_key() {
    let text = format!("{:?} {:?}", parse(&key()).unwrap(), KeyRing::from_key(key()));
    assert!(!text.contains(&hex::encode(key())[..8]) && text.contains("RootKey("));
}

fn place<'a>() -> Place<'a> {
    Place { table: "t", column: "c", organisation: Uuid::from_u128(1), row: "r", version: 1, purpose: "p" }
}

#[test]
fn a_value_opens_only_in_its_place() {
    let ring = KeyRing::from_key(key());
    let sealed = ring.wrap(&place(), [5; 24], b"value").unwrap();
    assert_eq!(ring.unwrap(&place(), &sealed).unwrap().as_slice(), b"value");
    for moved in [
        Place { table: "u", ..place() },
        Place { column: "d", ..place() },
        Place { organisation: Uuid::from_u128(2), ..place() },
        Place { row: "s", ..place() },
        Place { version: 2, ..place() },
        Place { purpose: "q", ..place() },
        Place { table: "tc", column: "", ..place() },
    ] {
        assert!(matches!(ring.unwrap(&moved, &sealed), Err(SealError::Rejected { .. })), "{moved:?}");
    }
    for index in 0..sealed.len() {
        let mut altered = sealed.clone();
        altered[index] ^= 1;
        assert!(ring.unwrap(&place(), &altered).is_err(), "{index}");
        assert!(ring.unwrap(&place(), &sealed[..index]).is_err(), "{index}");
    }
    let mut other = key();
    other[0] ^= 1;
    assert!(matches!(KeyRing::from_key(other).unwrap(&place(), &sealed), Err(SealError::UnknownKey { .. })));
    assert!(matches!(ring.wrap(&place(), [5; 24], &vec![0; 65_537]), Err(SealError::Length)));
}

#[test]
fn a_newer_root_key_changes_no_derived_key() {
    let mut newer = key();
    newer[0] ^= 1;
    let old = KeyRing::from_key(key());
    let both = KeyRing::new([parse(&newer).unwrap(), parse(&key()).unwrap()].into_iter().flatten().collect()).unwrap();
    assert_ne!(old.active(), both.active());
    assert_eq!(old.derive(Purpose::Cursor), both.derive(Purpose::Cursor));
    assert_ne!(old.derive(Purpose::Cursor), old.derive(Purpose::Session));
    assert_eq!(old.note_key().to_bytes(), both.note_key().to_bytes());
    let sealed = old.wrap(&place(), [5; 24], b"value").unwrap();
    assert_eq!(both.unwrap(&place(), &sealed).unwrap().as_slice(), b"value");
}

#[test]
fn a_personal_field_opens_only_in_its_record() {
    let person = PersonKey { id: Uuid::from_u128(7), key: key().into() };
    let (record, other) = (Uuid::from_u128(8), Uuid::from_u128(9));
    let (nonce, sealed) = seal_personal(&person, record, "name", b"Ada").unwrap();
    assert_eq!(open_personal(&person, record, "name", nonce, &sealed).unwrap(), b"Ada");
    assert_eq!(open_personal(&person, other, "name", nonce, &sealed), None);
    assert_eq!(open_personal(&person, record, "email", nonce, &sealed), None);
    // The same attempt made again is the same bytes; another value has another nonce.
    assert_eq!(seal_personal(&person, record, "name", b"Ada").unwrap().0, nonce);
    assert_ne!(seal_personal(&person, record, "name", b"Bob").unwrap().0, nonce);
}
