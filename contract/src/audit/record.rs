//! One record: from a value to the one byte string that is hashed and stored, and back.
//!
//! The bytes are RFC 8785 restricted until no library's choice matters: ASCII keys, no floating point, integers within
//! ±(2^53−1), times as UTC text with exactly six fractional digits, at most 16 levels and 64 KiB.

use super::chain::{ChainId, INSTALLATION};
use super::redact;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use chrono::{DateTime, NaiveDate, Timelike, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use uuid::Uuid;

/// The version of the format; a later one is another number in `v`.
pub const VERSION: u8 = 1;
/// The longest record.
pub const MAX_BYTES: usize = 64 * 1024;
/// The deepest nesting, the record itself being level 1.
pub const MAX_DEPTH: usize = 16;
/// The largest integer that every JSON reader keeps exactly.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;
const PREVIEW_CHARACTERS: usize = 256;

/// Why a record can be neither written nor read. The text names the rule, never the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Not JSON, not the schema, an unknown or missing field.
    #[error("not a record of this format")]
    Schema,
    /// The same content in another spelling: white space, order, a repeated key, an escaped letter.
    #[error("not in canonical form")]
    NotCanonical,
    /// A key outside ASCII.
    #[error("a key is not ASCII")]
    Key,
    /// Floating point, or an integer beyond ±(2^53−1).
    #[error("a number is not an exact integer")]
    Number,
    /// Control, bidirectional or otherwise invisible characters.
    #[error("a text has forbidden characters")]
    Text,
    /// More than [`MAX_DEPTH`] levels.
    #[error("nested too deeply")]
    Depth,
    /// More than [`MAX_BYTES`], even with its parameters cut.
    #[error("too long")]
    Length,
    /// Not `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    #[error("a time is not in canonical form")]
    Time,
    /// Decision and outcome contradict each other.
    #[error("the outcome contradicts the decision")]
    Contradiction,
    /// A field with a secret's name holds something else than the mark.
    #[error("a secret's field holds a value")]
    Unredacted,
}

/// Decision and outcome as one value, so that a contradiction (denied and done) cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// Allowed and done.
    Done,
    /// Allowed, and its execution failed.
    Failed,
    /// Denied.
    Denied,
    /// Waits for a confirmation.
    Parked,
    /// Confirmed and done.
    ConfirmedDone,
    /// Confirmed, and its execution failed.
    ConfirmedFailed,
    /// The confirmation was rejected, ran out or became void.
    Aborted,
}

/// What became of a proposal, as the wire spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It happened.
    Done,
    /// It was refused.
    Denied,
    /// Its confirmation was not given.
    Aborted,
    /// It was allowed and could not be carried out.
    Failed,
    /// It waits for its confirmation.
    Parked,
}

impl Outcome {
    /// The wire's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Denied => "denied",
            Self::Aborted => "aborted",
            Self::Failed => "failed",
            Self::Parked => "parked",
        }
    }
}

impl Ruling {
    const ALL: [Self; 7] = [
        Self::Done,
        Self::Failed,
        Self::Denied,
        Self::Parked,
        Self::ConfirmedDone,
        Self::ConfirmedFailed,
        Self::Aborted,
    ];

    /// Reads the wire's two words.
    ///
    /// # Errors
    /// [`RecordError::Contradiction`] for a pair that cannot be true.
    pub fn of(decision: &str, outcome: &str) -> Result<Self, RecordError> {
        Self::ALL
            .into_iter()
            .find(|ruling| ruling.decision() == decision && ruling.outcome().as_str() == outcome)
            .ok_or(RecordError::Contradiction)
    }

    /// `allow`, `confirm` or `deny`.
    #[must_use]
    pub fn decision(self) -> &'static str {
        match self {
            Self::Done | Self::Failed => "allow",
            Self::Denied => "deny",
            Self::Parked | Self::ConfirmedDone | Self::ConfirmedFailed | Self::Aborted => "confirm",
        }
    }

    /// What became of it.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Done | Self::ConfirmedDone => Outcome::Done,
            Self::Failed | Self::ConfirmedFailed => Outcome::Failed,
            Self::Denied => Outcome::Denied,
            Self::Parked => Outcome::Parked,
            Self::Aborted => Outcome::Aborted,
        }
    }
}

/// Who acted: `person`, `visitor`, `job` … and, where there is one, an opaque id. Never a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Actor {
    /// What kind of caller.
    pub kind: String,
    /// Its wire id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// On whose behalf, where that is somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behalf: Option<String>,
}

/// What was acted on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What kind of thing.
    pub kind: String,
    /// Its wire id.
    pub id: String,
}

/// A personal field as ciphertext under its person's key; destroying the key erases it and leaves every hash valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// What the field says, for example `actor.name`.
    pub field: String,
    /// The person key's id: a lower-case uuid without dashes.
    pub key: String,
    /// 12 bytes in hex.
    pub nonce: String,
    /// Ciphertext and tag in base64.
    pub ct: String,
}

/// A record before it is bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its id.
    pub id: Uuid,
    /// When, cut to microseconds.
    pub at: DateTime<Utc>,
    /// The organisation, or [`INSTALLATION`].
    pub organisation: ChainId,
    /// The sandbox whose chain is the record's home, if it is about one.
    pub sandbox: Option<ChainId>,
    /// Who.
    pub actor: Actor,
    /// Did what: an action of the vocabulary.
    pub action: String,
    /// To what.
    pub target: Target,
    /// Decision and outcome.
    pub ruling: Ruling,
    /// A symbolic code, never a message.
    pub reason: Option<String>,
    /// The proposal that was confirmed.
    pub confirmation: Option<String>,
    /// The request's id.
    pub request: Option<String>,
    /// What the vocabulary lists for this action.
    pub parameters: Map<String, Value>,
    /// Personal fields.
    pub sealed: Vec<Sealed>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u8,
    /// The home chain first; a sandbox record's second is its organisation.
    chains: Vec<String>,
    id: String,
    at: String,
    actor: Actor,
    action: String,
    target: Target,
    decision: String,
    outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confirmation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    parameters: Map<String, Value>,
    sealed: Vec<Sealed>,
}

impl Record {
    /// The canonical bytes. Secrets' fields are marked, and the largest parameters are cut until the record fits.
    ///
    /// # Errors
    /// [`RecordError`] for what has no place in a record; the caller's change then fails with it.
    pub fn encode(&self) -> Result<Vec<u8>, RecordError> {
        let mut parameters = Value::Object(self.parameters.clone());
        redact::redact(&mut parameters);
        let Value::Object(parameters) = parameters else { return Err(RecordError::Schema) };
        let mut written = Written {
            v: VERSION,
            chains: self.sandbox.iter().chain([&self.organisation]).map(|id| id.simple().to_string()).collect(),
            id: format!("rec_{}", self.id.simple()),
            at: time(self.at),
            actor: self.actor.clone(),
            action: self.action.clone(),
            target: self.target.clone(),
            decision: self.ruling.decision().to_owned(),
            outcome: self.ruling.outcome().as_str().to_owned(),
            reason: self.reason.clone(),
            confirmation: self.confirmation.clone(),
            request: self.request.clone(),
            parameters,
            sealed: self.sealed.clone(),
        };
        let value = serde_json::to_value(&written).map_err(|_| RecordError::Schema)?;
        check(&value, 1)?;
        let bytes = canonical(&value)?;
        if bytes.len() <= MAX_BYTES {
            return Ok(bytes);
        }
        shorten(&mut written.parameters, bytes.len() - MAX_BYTES)?;
        let value = serde_json::to_value(&written).map_err(|_| RecordError::Schema)?;
        let bytes = canonical(&value)?;
        if bytes.len() <= MAX_BYTES { Ok(bytes) } else { Err(RecordError::Length) }
    }

    /// Reads bytes strictly: whatever [`Record::encode`] cannot have written is refused.
    ///
    /// # Errors
    /// [`RecordError`], the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        if bytes.len() > MAX_BYTES {
            return Err(RecordError::Length);
        }
        let value: Value = serde_json::from_slice(bytes).map_err(|_| RecordError::Schema)?;
        check(&value, 1)?;
        // Comparing with our own writing refuses repeated keys, other orders, white space and needless escapes at once.
        if canonical(&value)? != bytes {
            return Err(RecordError::NotCanonical);
        }
        let written: Written = serde_json::from_value(value).map_err(|_| RecordError::Schema)?;
        if written.v != VERSION {
            return Err(RecordError::Schema);
        }
        if !written.parameters.iter().all(|(name, field)| redact::is_redacted(&json!({ name: field }))) {
            return Err(RecordError::Unredacted);
        }
        let (organisation, sandbox) = match written.chains.as_slice() {
            [organisation] => (chain(organisation)?, None),
            [sandbox, organisation] => (chain(organisation)?, Some(chain(sandbox)?)),
            _ => return Err(RecordError::Schema),
        };
        if sandbox.is_some_and(|sandbox| sandbox == organisation || sandbox == INSTALLATION) {
            return Err(RecordError::Schema);
        }
        if !written.sealed.iter().all(well_formed) {
            return Err(RecordError::Schema);
        }
        Ok(Self {
            id: chain(written.id.strip_prefix("rec_").ok_or(RecordError::Schema)?)?,
            at: parse_time(&written.at).ok_or(RecordError::Time)?,
            organisation,
            sandbox,
            actor: written.actor,
            action: written.action,
            target: written.target,
            ruling: Ruling::of(&written.decision, &written.outcome)?,
            reason: written.reason,
            confirmation: written.confirmation,
            request: written.request,
            parameters: written.parameters,
            sealed: written.sealed,
        })
    }
}

/// What the search columns must say, read from a record's bytes without building the record: a verifier recomputes it
/// for every record of a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns<'a> {
    /// The record's id.
    pub id: Uuid,
    /// Its time in microseconds since 1970.
    pub at_micros: i64,
    /// Its organisation.
    pub organisation: ChainId,
    /// Its sandbox.
    pub sandbox: Option<ChainId>,
    /// The actor's kind.
    pub actor_kind: Cow<'a, str>,
    /// The actor's id.
    pub actor_id: Option<Cow<'a, str>>,
    /// The action.
    pub action: Cow<'a, str>,
    /// The target's kind.
    pub target_kind: Cow<'a, str>,
    /// The target's id.
    pub target_id: Cow<'a, str>,
    /// The decision's word.
    pub decision: Cow<'a, str>,
    /// The outcome's word.
    pub outcome: Cow<'a, str>,
    /// The reason's code.
    pub reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    chains: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    at: Cow<'a, str>,
    #[serde(borrow)]
    actor: FieldsActor<'a>,
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow)]
    target: FieldsTarget<'a>,
    #[serde(borrow)]
    decision: Cow<'a, str>,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
    #[serde(borrow, default)]
    reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct FieldsActor<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct FieldsTarget<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
}

impl<'a> Columns<'a> {
    /// Reads them.
    ///
    /// # Errors
    /// [`RecordError::Schema`] or [`RecordError::Time`] where the bytes are no record. The full schema is not checked:
    /// the bytes are the ones that the server hashed.
    pub fn of(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let fields: Fields<'a> = serde_json::from_slice(bytes).map_err(|_| RecordError::Schema)?;
        let (organisation, sandbox) = match fields.chains.as_slice() {
            [organisation] => (chain(organisation)?, None),
            [sandbox, organisation] => (chain(organisation)?, Some(chain(sandbox)?)),
            _ => return Err(RecordError::Schema),
        };
        Ok(Self {
            id: chain(fields.id.strip_prefix("rec_").ok_or(RecordError::Schema)?)?,
            at_micros: parse_time(&fields.at).ok_or(RecordError::Time)?.timestamp_micros(),
            organisation,
            sandbox,
            actor_kind: fields.actor.kind,
            actor_id: fields.actor.id,
            action: fields.action,
            target_kind: fields.target.kind,
            target_id: fields.target.id,
            decision: fields.decision,
            outcome: fields.outcome,
            reason: fields.reason,
        })
    }
}

/// A time as records write it: UTC, exactly six fractional digits, `Z`.
#[must_use]
pub fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

/// Reads [`time`] and nothing else.
#[must_use]
pub fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    let bytes: &[u8; 27] = text.as_bytes().try_into().ok()?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (26, b'Z')];
    if marks.iter().any(|(index, mark)| bytes[*index] != *mark) {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<u32> {
        bytes[from..to]
            .iter()
            .try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + u32::from(digit - b'0')))
    };
    NaiveDate::from_ymd_opt(number(0, 4)?.try_into().ok()?, number(5, 7)?, number(8, 10)?)?
        .and_hms_micro_opt(number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 26)?)
        .filter(|at| at.nanosecond() < 1_000_000_000)
        .map(|at| at.and_utc())
}

fn canonical(value: &Value) -> Result<Vec<u8>, RecordError> {
    serde_json_canonicalizer::to_vec(value).map_err(|_| RecordError::Schema)
}

fn check(value: &Value, depth: usize) -> Result<(), RecordError> {
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => match number.as_i64() {
            Some(integer) if (-MAX_INTEGER..=MAX_INTEGER).contains(&integer) => Ok(()),
            _ => Err(RecordError::Number),
        },
        Value::String(text) if text.chars().any(forbidden) => Err(RecordError::Text),
        Value::String(_) => Ok(()),
        Value::Array(_) | Value::Object(_) if depth > MAX_DEPTH => Err(RecordError::Depth),
        Value::Array(items) => items.iter().try_for_each(|item| check(item, depth + 1)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, field)| {
            if !key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
                return Err(RecordError::Key);
            }
            check(field, depth + 1)
        }),
    }
}

/// Characters that make a text look like another one, or break a line of whoever prints it.
pub(crate) fn forbidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// Replaces the largest parameters by their hash, length and beginning until `excess` bytes are gone.
fn shorten(parameters: &mut Map<String, Value>, excess: usize) -> Result<(), RecordError> {
    let mut sizes = parameters
        .iter()
        .map(|(name, value)| canonical(value).map(|bytes| (bytes, name.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    sizes.sort_by_key(|(bytes, _)| std::cmp::Reverse(bytes.len()));
    let mut gained = 0;
    for (bytes, name) in sizes {
        let text = String::from_utf8_lossy(&bytes);
        let preview: String = text.chars().take(PREVIEW_CHARACTERS).collect();
        let stub = json!({ "sha256": hex::encode(Sha256::digest(&bytes)), "length": bytes.len(), "preview": preview });
        let saved = bytes.len().saturating_sub(canonical(&stub)?.len());
        if gained >= excess || saved == 0 {
            break;
        }
        gained += saved;
        parameters.insert(name, stub);
    }
    if gained >= excess { Ok(()) } else { Err(RecordError::Length) }
}

fn chain(text: &str) -> Result<Uuid, RecordError> {
    let lower = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if lower { Uuid::try_parse(text).map_err(|_| RecordError::Schema) } else { Err(RecordError::Schema) }
}

fn well_formed(sealed: &Sealed) -> bool {
    chain(&sealed.key).is_ok()
        && sealed.nonce.len() == 24
        && hex::decode(&sealed.nonce).is_ok_and(|nonce| hex::encode(nonce) == sealed.nonce)
        && BASE64.decode(&sealed.ct).is_ok_and(|ct| ct.len() >= 16)
}
