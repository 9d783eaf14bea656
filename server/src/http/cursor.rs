//! Opaque, signed, never expiring positions in a list.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::code::Code;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretSlice};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use crate::error::Error;

/// Bytes of the tag in front.
const TAG: usize = 16;

fn tag(key: &SecretSlice<u8>, body: &[u8]) -> Result<Hmac<Sha256>, Error> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.expose_secret()).map_err(Error::internal)?;
    mac.update(body);
    Ok(mac)
}

/// Where a list goes on.
///
/// # Errors
/// Only a fault of ours.
pub fn encode<T: Serialize>(key: &SecretSlice<u8>, position: &T) -> Result<String, Error> {
    let body = serde_json::to_vec(position).map_err(Error::internal)?;
    let mut bytes = tag(key, &body)?.finalize().into_bytes()[..TAG].to_vec();
    bytes.extend_from_slice(&body);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Reads a position that this server wrote.
///
/// # Errors
/// An invalid field for anything else.
pub fn decode<T: DeserializeOwned>(key: &SecretSlice<u8>, cursor: &str) -> Result<T, Error> {
    let refused =
        || Error::invalid("?cursor", Code::InvalidField, "This is not a cursor of this list. Start without one.");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refused())?;
    let (sent, body) = bytes.split_at_checked(TAG).ok_or_else(refused)?;
    tag(key, body)?.verify_truncated_left(sent).map_err(|_| refused())?;
    serde_json::from_slice(body).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_cursors_read_back() {
        let key = SecretSlice::from(vec![7; 32]);
        let cursor = encode(&key, &("2026-01-01", 5)).unwrap();
        assert_eq!(decode::<(String, i32)>(&key, &cursor).unwrap(), ("2026-01-01".into(), 5));
        assert!(decode::<(String, i32)>(&SecretSlice::from(vec![8; 32]), &cursor).is_err());
        for bad in ["", "AAAA", "%%%", &cursor[1..]] {
            assert!(decode::<(String, i32)>(&key, bad).is_err(), "{bad}");
        }
    }
}
