//! Cryptography of the server: pure functions over keys and credentials. It knows no table and no request.
pub mod keyring;
pub mod passkey;
#[cfg(test)]
pub(crate) mod soft_authenticator;
