//! What readers of the trail are answered.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::{DateTime, Utc};
use contract::audit::chain::ORIGIN;
use contract::audit::{Record, Sealed, leaf};
use contract::id::{RecordId, SandboxId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::store::reading::{Checkpointed, FullRecord, Row, WrappedKey};
use super::verify::name;
use crate::crypto::keyring::{KeyRing, PersonKey};
use crate::crypto::seal::open_personal;
use crate::gate::person;

/// Who acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditActor {
    /// `person`, `visitor` or `job`.
    pub kind: String,
    /// Wire id of the account, or the job's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Their name at that time; absent once the person was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What was acted on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditTarget {
    /// What kind of thing.
    pub kind: String,
    /// Its wire id.
    pub id: String,
}

/// One line of the trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// Which.
    pub id: RecordId,
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub actor: AuditActor,
    /// Did what.
    pub action: String,
    /// To what.
    pub target: AuditTarget,
    /// In which sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    /// `allow`, `confirm` or `deny`.
    pub decision: String,
    /// `done`, `denied`, `aborted` or `failed`.
    pub outcome: String,
    /// Code of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// It has its place in the chain.
    pub sealed: bool,
    /// Its number in the organisation's chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i32>)]
    pub seq: Option<i64>,
}

/// A page of the trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecords {
    /// Newest first.
    pub items: Vec<AuditRecord>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A record's place in one chain; hashes in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditLink {
    /// `org_…`, `sbx_…` or `installation`.
    pub chain: String,
    /// Its number there.
    #[schema(value_type = i32)]
    pub seq: i64,
    /// Its link.
    pub link: String,
    /// The link before it.
    pub previous: String,
    /// The link's authentication code.
    pub mac: String,
}

/// One record in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AuditRecordInFull {
    /// As lists show it.
    pub record: AuditRecord,
    /// The decoded bytes, with personal fields opened where their key still exists.
    #[schema(value_type = Object)]
    pub body: Value,
    /// The bytes that were hashed, in base64.
    pub bytes: String,
    /// SHA-256 of 0x00 and the bytes, in hexadecimal.
    pub leaf: String,
    /// Its places.
    pub links: Vec<AuditLink>,
}

/// A signed checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditCheckpoint {
    /// The signed note (C2SP tlog-checkpoint).
    pub note: String,
    /// Records that it covers.
    #[schema(value_type = i32)]
    pub size: i64,
    /// Root of the tree over them, in hexadecimal.
    pub root: String,
    /// When it was signed.
    pub at: DateTime<Utc>,
    /// The key that verifies it, as `signed-note` writes keys.
    pub key: String,
}

/// Opens personal fields with the keys that came along.
pub struct Opener<'a> {
    keys: HashMap<Uuid, PersonKey>,
    ring: &'a KeyRing,
}

impl<'a> Opener<'a> {
    /// Unwraps the keys. One that does not open is an operator's alarm and to the reader as if it were gone.
    pub fn new(ring: &'a KeyRing, organisation: Uuid, wrapped: &[WrappedKey]) -> Self {
        let open = |key: &WrappedKey| match person::open(ring, organisation, key.id, &key.wrapped) {
            Ok(opened) => Some((key.id, opened)),
            Err(error) => {
                tracing::error!(error = %error, "a person's key does not open");
                None
            }
        };
        Self { keys: wrapped.iter().filter_map(open).collect(), ring }
    }

    fn field(&self, record: Uuid, sealed: &Sealed) -> Option<Value> {
        let key = self.keys.get(&Uuid::try_parse(&sealed.key).ok()?)?;
        let nonce = hex::decode(&sealed.nonce).ok()?.try_into().ok()?;
        let plain = open_personal(key, record, &sealed.field, nonce, &BASE64.decode(&sealed.ct).ok()?)?;
        serde_json::from_slice(&plain).ok()
    }

    /// A line of a list.
    pub fn line(&self, row: &Row) -> AuditRecord {
        let name = Record::decode(&row.raw()).ok().and_then(|record| {
            let sealed = record.sealed.iter().find(|sealed| sealed.field == "actor.name")?;
            self.field(record.id, sealed)?.as_str().map(str::to_owned)
        });
        AuditRecord {
            id: RecordId::from_uuid(row.record),
            at: row.at,
            actor: AuditActor { kind: row.actor_kind.clone(), id: row.actor_id.clone(), name },
            action: row.action.clone(),
            target: AuditTarget { kind: row.target_kind.clone(), id: row.target_id.clone() },
            sandbox_id: row.sandbox.map(SandboxId::from_uuid),
            decision: row.decision.clone(),
            outcome: row.outcome.clone(),
            reason: row.reason.clone(),
            sealed: row.seq.is_some(),
            seq: row.seq,
        }
    }

    /// A record in full.
    pub fn full(&self, organisation: Uuid, found: &FullRecord) -> AuditRecordInFull {
        let bytes = found.row.raw();
        let mut body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if let (Some(fields), Ok(record)) = (body.as_object_mut(), Record::decode(&bytes)) {
            let mut personal = Map::new();
            for sealed in &record.sealed {
                // An erased person's field stays named, without a value.
                personal.insert(sealed.field.clone(), self.field(record.id, sealed).unwrap_or_default());
            }
            fields.remove("sealed");
            fields.insert("personal".to_owned(), Value::Object(personal));
        }
        let links = found
            .places
            .iter()
            .map(|place| AuditLink {
                chain: name(place.chain, organisation),
                seq: place.seq,
                link: hex::encode(&place.link),
                previous: hex::encode(place.previous.as_deref().unwrap_or(&ORIGIN)),
                mac: hex::encode(&place.mac),
            })
            .collect();
        AuditRecordInFull {
            record: self.line(&found.row),
            body,
            leaf: hex::encode(leaf(&bytes)),
            bytes: found.row.bytes.clone(),
            links,
        }
    }

    /// A checkpoint with the key that verifies it.
    pub fn checkpoint(&self, chain: Uuid, found: Checkpointed) -> AuditCheckpoint {
        let key = contract::audit::checkpoint::verifier_key(chain, &self.ring.note_key().verifying_key());
        AuditCheckpoint { note: found.note, size: found.size, root: hex::encode(&found.root), at: found.at, key }
    }
}
