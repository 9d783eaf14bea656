//! Writes one audit record inside the transaction that it is about.

use contract::code::Code;
use contract::id::{AccountId, ProposalId, RecordId};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;

use super::operation::{Parameters, Personal, Scope, Target};
use super::{Result, Timestamp};
use crate::crypto::keyring::KeyRing;
use crate::error::Error;

/// Who did it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// `person`, `visitor` or `job`.
    pub kind: &'static str,
    /// Wire id of the account, or the job's name.
    pub id: Option<String>,
    /// The account, for its key.
    pub account: Option<AccountId>,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Allowed.
    Allow,
    /// Confirmed or asked to be.
    Confirm,
    /// Denied.
    Deny,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Done,
    /// Refused by the decision.
    Denied,
    /// A proposal that ended without being carried out.
    Aborted,
    /// Allowed, and failed.
    Failed,
}

/// Everything that a record is made of.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its id.
    pub id: RecordId,
    /// When.
    pub at: Timestamp,
    /// Where; decides the chain.
    pub scope: Scope,
    /// Who.
    pub actor: Actor,
    /// Name of the action.
    pub action: &'static str,
    /// What it was done to.
    pub target: Target,
    /// What was decided.
    pub decision: Decided,
    /// What came of it.
    pub outcome: Outcome,
    /// Why not.
    pub reason: Option<Code>,
    /// The proposal that was confirmed.
    pub confirmation: Option<ProposalId>,
    /// Request id.
    pub request: Option<String>,
    /// What the action's line lists.
    pub parameters: Parameters,
    /// Sealed under people's keys.
    pub personal: Vec<Personal>,
}

/// Names a committed record and its leaf hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Which record.
    pub record_id: RecordId,
    /// SHA-256 of its bytes as a leaf, in hexadecimal.
    pub leaf: String,
}

pub(crate) async fn append(_conn: &mut PgConnection, _keys: &KeyRing, _entry: &Entry) -> Result<Receipt> {
    Err(Error::internal(anyhow::anyhow!("no audit tables")))
}
