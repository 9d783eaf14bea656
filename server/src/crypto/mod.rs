//! Cryptography of the server: pure functions over keys and credentials. It knows no request, and of tables only the one
//! that proves that the key file fits.
pub mod keyfile;
pub mod keyring;
pub mod link_token;
pub mod passkey;
pub mod seal;
pub mod store;

#[cfg(test)]
mod key_tests;
#[cfg(test)]
pub(crate) mod soft_authenticator;
