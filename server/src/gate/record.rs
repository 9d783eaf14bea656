//! Writes one audit record inside the transaction that it is about.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use contract::audit::{self, INSTALLATION, Record, Ruling, Sealed};
use contract::code::Code;
use contract::id::{AccountId, ProposalId, RecordId};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use uuid::Uuid;

use super::operation::{Parameters, Personal, Scope, Subject, Target};
use super::{Result, Timestamp, person};
use crate::crypto::keyring::KeyRing;
use crate::crypto::seal::seal_personal;
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

/// Inserts the record and its pending row, and nothing else: no lock, no notification, no read of the chain's head.
///
/// # Errors
/// The database's, or an internal one for an entry that the record format refuses. The change is undone with it.
pub(crate) async fn append(conn: &mut PgConnection, keys: &KeyRing, entry: &Entry) -> Result<Receipt> {
    let (organisation, sandbox) = match entry.scope {
        Scope::Installation | Scope::Account => (INSTALLATION, None),
        Scope::Organisation(organisation) => (organisation.uuid(), None),
        Scope::Sandbox(organisation, sandbox) => (organisation.uuid(), Some(sandbox.uuid())),
    };
    let record = Record {
        id: entry.id.uuid(),
        at: entry.at,
        organisation,
        sandbox,
        actor: audit::Actor { kind: entry.actor.kind.to_owned(), id: entry.actor.id.clone(), behalf: None },
        action: entry.action.to_owned(),
        target: audit::Target { kind: entry.target.kind.clone(), id: entry.target.id.clone() },
        ruling: ruling(entry.decision, entry.outcome)?,
        reason: entry.reason.map(|code| code.as_str().to_owned()),
        confirmation: entry.confirmation.map(|proposal| proposal.to_string()),
        request: entry.request.clone(),
        parameters: entry.parameters.clone(),
        sealed: seal(conn, keys, organisation, entry).await?,
    };
    let bytes = record.encode().map_err(Error::internal)?;
    insert(conn, &record, &bytes).await?;
    Ok(Receipt { record_id: entry.id, leaf: hex::encode(audit::leaf(&bytes)) })
}

async fn insert(conn: &mut PgConnection, record: &Record, bytes: &[u8]) -> Result<()> {
    sqlx::query(
        "with record as (
           insert into audit_record (record_id, org_id, sandbox_id, at, actor_kind, actor_id, action, target_kind, target_id,
                                     decision, outcome, reason, bytes)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13))
         insert into audit_pending (record_id, org_id, sandbox_id, at) values ($1, $2, $3, $4)",
    )
    .bind(record.id)
    .bind(record.organisation)
    .bind(record.sandbox)
    .bind(record.at)
    .bind(&record.actor.kind)
    .bind(&record.actor.id)
    .bind(&record.action)
    .bind(&record.target.kind)
    .bind(&record.target.id)
    .bind(record.ruling.decision())
    .bind(record.ruling.outcome().as_str())
    .bind(&record.reason)
    .bind(bytes)
    .execute(conn)
    .await?;
    Ok(())
}

/// A contradiction is a fault of ours and fails the change. A confirmed proposal that is denied in the end was denied.
fn ruling(decision: Decided, outcome: Outcome) -> Result<Ruling> {
    match (decision, outcome) {
        (Decided::Allow, Outcome::Done) => Ok(Ruling::Done),
        (Decided::Allow, Outcome::Failed) => Ok(Ruling::Failed),
        (Decided::Confirm, Outcome::Done) => Ok(Ruling::ConfirmedDone),
        (Decided::Confirm, Outcome::Failed) => Ok(Ruling::ConfirmedFailed),
        (Decided::Confirm, Outcome::Aborted) => Ok(Ruling::Aborted),
        (Decided::Deny | Decided::Confirm, Outcome::Denied) => Ok(Ruling::Denied),
        (Decided::Allow, Outcome::Denied | Outcome::Aborted)
        | (Decided::Deny, Outcome::Done | Outcome::Failed | Outcome::Aborted) => {
            Err(Error::internal(audit::RecordError::Contradiction))
        }
    }
}

async fn seal(conn: &mut PgConnection, keys: &KeyRing, organisation: Uuid, entry: &Entry) -> Result<Vec<Sealed>> {
    let mut sealed: Vec<Sealed> = Vec::new();
    for personal in entry.personal.iter().filter(|personal| !personal.fields.is_empty()) {
        let own = match &personal.subject {
            Subject::Account(account) => entry.actor.account == Some(*account),
            Subject::Address(_) => entry.actor.kind == "visitor" && personal.fields.contains_key("networkAddress"),
        };
        let person = person::key_of(conn, keys, organisation, &personal.subject, entry.at).await?;
        for (name, value) in &personal.fields {
            let field = if own { format!("actor.{name}") } else { name.clone() };
            if sealed.iter().any(|known| known.field == field && known.key == person.id.simple().to_string()) {
                continue;
            }
            let plain = serde_json::to_vec(value).map_err(Error::internal)?;
            let (nonce, ct) = seal_personal(&person, entry.id.uuid(), &field, &plain)
                .ok_or_else(|| Error::internal(anyhow::anyhow!("a personal field could not be sealed")))?;
            sealed.push(Sealed {
                field,
                key: person.id.simple().to_string(),
                nonce: hex::encode(nonce),
                ct: BASE64.encode(ct),
            });
        }
    }
    Ok(sealed)
}
