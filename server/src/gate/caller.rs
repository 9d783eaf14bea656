//! Who asks. A caller is a claim that the gate proves again in each transaction; only this module makes one.

use std::sync::Arc;

use contract::id::{AccountId, SignInId};

/// Who asks, before the gate has looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// Nobody is signed in.
    Visitor,
    /// Somebody whose session names this sign-in.
    Person(Claim),
    /// The server's own background work, by name.
    Job(&'static str),
}

/// What a session claims. Proven by the `sign_in` row, in each transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    account: AccountId,
    sign_in: SignInId,
}

impl Claim {
    /// A claim made by the session that the request carried.
    pub(crate) fn of_session(account: AccountId, sign_in: SignInId) -> Self {
        Self { account, sign_in }
    }

    /// Whose.
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// Which sign-in.
    pub fn sign_in(&self) -> SignInId {
        self.sign_in
    }
}

/// The reader's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Polish.
    Pl,
}

/// A caller's wish that a repeated request has its first answer, kept 24 hours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// SHA-256 of the key that the client chose.
    pub key_hash: [u8; 32],
    /// SHA-256 over method, path and body: the key is good for this request only.
    pub request_digest: [u8; 32],
}

/// One request: who asks, and what the gate keeps of the circumstances.
#[derive(Debug, Clone)]
pub struct Call {
    /// Who.
    pub caller: Caller,
    /// Request id, as in the logs.
    pub request: Option<Arc<str>>,
    /// Client's network address, as the trusted proxies tell it.
    pub address: Option<String>,
    /// The reader's language.
    pub lang: Lang,
    /// Given by the client on a mutation.
    pub idempotency: Option<Idempotency>,
    /// The `If-Match` revision, where one was sent.
    pub if_match: Option<i64>,
}

impl Call {
    /// Background work of the server itself.
    pub fn job(name: &'static str) -> Self {
        Self {
            caller: Caller::Job(name),
            request: None,
            address: None,
            lang: Lang::En,
            idempotency: None,
            if_match: None,
        }
    }

    /// The claimed account, where somebody is signed in.
    pub fn account(&self) -> Option<AccountId> {
        match &self.caller {
            Caller::Person(claim) => Some(claim.account),
            _ => None,
        }
    }
}
