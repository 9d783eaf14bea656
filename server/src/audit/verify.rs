//! Verifies an organisation's part of the trail on a live database: every record, link, code, checkpoint and search column,
//! in constant memory and one snapshot.
//!
//! "Verified" needs the key file and a checkpoint that was remembered outside the database. Without either the answer is
//! "not verified", however well everything fits together: whoever owns the database could have written it all.

use contract::audit::verify::{Break, Walk};
use contract::audit::{ChainId, Columns, INSTALLATION, Note};
use contract::id::{OrganisationId, SandboxId};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::memory::Remembered;
use super::store::verifying::{self as store, End, Published};
use crate::crypto::keyring::KeyRing;
use crate::error::Error;
use crate::gate::Result;

const PAGE: i64 = 5_000;

/// The answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything fits, up to a checkpoint that is remembered outside the database.
    Verified,
    /// Something does not fit.
    Broken,
    /// Nothing contradicts, and nothing proves it either.
    NotVerified,
}

impl Verdict {
    /// What the command exits with.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Verified => 0,
            Self::Broken => 1,
            Self::NotVerified => 2,
        }
    }
}

/// What was found out about one chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedChain {
    /// `org_…`, `sbx_…` or `installation`.
    pub chain: String,
    /// First number of the verified range.
    #[schema(value_type = i32)]
    pub from: u64,
    /// Last number of it; less than `from` where nothing was verified.
    #[schema(value_type = i32)]
    pub to: u64,
    /// The first number that does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i32>)]
    pub break_at: Option<u64>,
    /// How it does not fit.
    #[serde(rename = "break", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// The remembered checkpoint that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestingOn {
    /// Records that it covers.
    #[schema(value_type = i32)]
    pub size: u64,
    /// Root of the tree over them, in hexadecimal.
    pub root: String,
    /// When it was signed.
    pub at: String,
}

/// A verification's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// The answer.
    pub verdict: Verdict,
    /// Chain by chain.
    pub chains: Vec<VerifiedChain>,
    /// Records whose bodies were hashed.
    #[schema(value_type = i32)]
    pub records: u64,
    /// What it rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<RestingOn>,
    /// Records at the end that no remembered checkpoint covers, the unsealed ones included.
    #[schema(value_type = i32)]
    pub uncovered: u64,
    /// In one sentence, for people.
    pub detail: String,
}

/// How far a verification is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    /// Links that were checked.
    #[schema(value_type = i32)]
    pub checked: u64,
    /// Links that there are to check, as the heads claim.
    #[schema(value_type = i32)]
    pub of: u64,
}

type Found = (u64, Break);

/// Verifies one organisation; the nil uuid is the installation's own chain.
///
/// # Errors
/// The database's. What does not fit is no error but the result.
pub async fn verify(
    pool: &PgPool,
    keys: Option<&KeyRing>,
    remembered: Option<Remembered>,
    organisation: Uuid,
    mut progress: impl FnMut(Progress) + Send,
) -> Result<Verification> {
    let mut tx = store::snapshot(pool).await?;
    let conn = &mut *tx;
    let ends = store::ends(conn, organisation).await?;
    let of = ends.iter().map(|end| end.seq).sum();
    let note_key = keys.map(|keys| keys.note_key().verifying_key());
    let walk = Walk::new(organisation, keys.map(|keys| keys.mac_key(organisation)), true);
    let mut main = Main { walk, note_key, epoch: 0, remembered, bodies: 0 };
    let mut chains = Vec::new();
    let mut found = None;
    let mut rows = store::page(conn, organisation, 0, PAGE).await?;
    while let Some(last) = rows.last() {
        let (after, last) = (main.walk.seq(), store::link(last)?.seq);
        let checkpoints = store::checkpoints(conn, organisation, after, last).await?;
        // The next page is on its way while this one is hashed.
        let hashing = tokio::task::spawn_blocking(move || {
            let outcome = main.take(&rows, checkpoints);
            (main, outcome)
        });
        let (next, hashed) = tokio::join!(store::page(conn, organisation, last, PAGE), hashing);
        let (state, outcome) = hashed.map_err(Error::internal)?;
        main = state;
        found = outcome?;
        progress(Progress { checked: main.walk.seq(), of });
        if found.is_some() {
            break;
        }
        rows = next?;
    }
    let end = ends.iter().find(|end| end.chain == organisation);
    if found.is_none() {
        let beyond = store::checkpoints(conn, organisation, main.walk.seq(), u64::MAX >> 1).await?;
        found = main.finish(end, &beyond);
    }
    let (bodies, waiting) = store::counts(conn, organisation).await?;
    if found.is_none() && bodies != main.bodies + waiting && store::unlinked(conn, organisation).await?.is_some() {
        found = Some((main.walk.seq() + 1, Break::Unlinked));
    }
    chains.push(report(organisation, organisation, main.walk.seq(), found));
    let mut checked = main.walk.seq();
    for end in ends.iter().filter(|end| end.chain != organisation) {
        let key = keys.map(|keys| keys.mac_key(end.chain));
        let (walk, found) = home(conn, organisation, end, Walk::new(end.chain, key, false)).await?;
        checked += walk.seq();
        progress(Progress { checked, of });
        chains.push(report(end.chain, organisation, walk.seq(), found));
    }
    Ok(conclude(&main, chains, waiting, keys.is_some()))
}

/// The walk along an organisation's own chain.
struct Main {
    walk: Walk,
    note_key: Option<VerifyingKey>,
    /// Checkpoints passed so far, which is the epoch of the next record.
    epoch: u64,
    remembered: Option<Remembered>,
    bodies: u64,
}

impl Main {
    fn take(&mut self, rows: &[PgRow], checkpoints: Vec<Published>) -> Result<Option<Found>> {
        let mut checkpoints = checkpoints.into_iter().peekable();
        for row in rows {
            let mut published = None;
            if let Err(kind) = self.step(row)? {
                return Ok(Some((self.walk.seq() + 1, kind)));
            }
            while let Some(next) = checkpoints.next_if(|next| next.size == self.walk.seq()) {
                if let Err(kind) = self.checkpoint(&next) {
                    return Ok(Some((self.walk.seq(), kind)));
                }
                published = Some(next);
            }
            if let Some(remembered) = self.remembered.as_ref().filter(|kept| kept.checkpoint.size == self.walk.seq()) {
                if self.walk.tree() != Some(&remembered.frontier) {
                    return Ok(Some((self.walk.seq(), Break::Checkpoint)));
                }
                if published.is_none_or(|published| published.note != remembered.note) {
                    return Ok(Some((self.walk.seq(), Break::CheckpointMissing)));
                }
            }
        }
        Ok(None)
    }

    fn step(&mut self, row: &PgRow) -> Result<std::result::Result<(), Break>> {
        let (link, bytes) = (store::link(row)?, store::bytes(row)?);
        // An epoch ends with a checkpoint: a later one than was seen says that a checkpoint is gone.
        if link.seq == self.walk.seq() + 1 && link.epoch != self.epoch {
            return Ok(Err(if link.epoch > self.epoch { Break::CheckpointMissing } else { Break::Epoch }));
        }
        // The walk goes on only after everything about this record fits, so that the range ends before it.
        let mut ahead = self.walk.clone();
        if let Err(kind) = ahead.step(&link, bytes) {
            return Ok(Err(kind));
        }
        let Some(bytes) = bytes else { return Ok(Err(Break::Body)) };
        let Ok(columns) = Columns::of(bytes) else { return Ok(Err(Break::Record)) };
        if !store::derived(row, &columns)? {
            return Ok(Err(Break::Columns));
        }
        if columns.sandbox.is_some() && store::other_leaf(row)? != Some(link.leaf) {
            return Ok(Err(Break::Home));
        }
        self.walk = ahead;
        self.bodies += 1;
        Ok(Ok(()))
    }

    fn checkpoint(&mut self, published: &Published) -> std::result::Result<(), Break> {
        let root = self.walk.tree().map(contract::audit::Frontier::root);
        if published.epoch != self.epoch || Some(published.root) != root {
            return Err(Break::Checkpoint);
        }
        if let Some(key) = &self.note_key {
            let signed = Note::from_text(published.note.as_str()).verify(key).map_err(|_| Break::CheckpointMissing)?;
            let fits = signed.size == published.size && Some(signed.root) == root && signed.epoch == self.epoch;
            if !fits || signed.link != *self.walk.link() {
                return Err(Break::Checkpoint);
            }
        }
        self.epoch += 1;
        Ok(())
    }

    /// The end of the chain against everything that claims to know it.
    fn finish(&self, end: Option<&End>, beyond: &[Published]) -> Option<Found> {
        let next = self.walk.seq() + 1;
        let remembered = self.remembered.as_ref().map_or(0, |kept| kept.checkpoint.size);
        if remembered >= next || !beyond.is_empty() {
            return Some((next, Break::Truncated));
        }
        match end {
            None if self.walk.seq() == 0 => None,
            Some(end) if fits(end, &self.walk) => (end.epoch != self.epoch).then_some((next, Break::CheckpointMissing)),
            _ => Some((next, Break::Head)),
        }
    }
}

fn fits(end: &End, walk: &Walk) -> bool {
    end.seq == walk.seq() && end.link == *walk.link() && end.frontier.as_ref() == walk.tree()
}

async fn home(
    conn: &mut sqlx::PgConnection,
    organisation: Uuid,
    end: &End,
    mut walk: Walk,
) -> Result<(Walk, Option<Found>)> {
    loop {
        let rows = store::home_page(conn, end.chain, organisation, walk.seq(), PAGE).await?;
        for row in &rows {
            let link = store::link(row)?;
            let same = store::other_leaf(row)? == Some(link.leaf);
            let outcome = walk.step(&link, None).and(if same { Ok(()) } else { Err(Break::Home) });
            if let Err(kind) = outcome {
                // A step that fits has moved the walk on; one that does not has left it.
                let at = if kind == Break::Home { walk.seq() } else { walk.seq() + 1 };
                return Ok((walk, Some((at, kind))));
            }
        }
        if rows.is_empty() {
            let found = (!fits(end, &walk)).then_some((walk.seq() + 1, Break::Head));
            return Ok((walk, found));
        }
    }
}

fn report(chain: ChainId, organisation: Uuid, to: u64, found: Option<Found>) -> VerifiedChain {
    VerifiedChain {
        chain: name(chain, organisation),
        from: 1,
        to: found.map_or(to, |(at, _)| at - 1),
        break_at: found.map(|(at, _)| at),
        kind: found.map(|(_, kind)| kind.as_str().to_owned()),
    }
}

/// A chain's name on the wire.
pub fn name(chain: ChainId, organisation: Uuid) -> String {
    if chain == INSTALLATION {
        "installation".to_owned()
    } else if chain == organisation {
        OrganisationId::from_uuid(chain).to_string()
    } else {
        SandboxId::from_uuid(chain).to_string()
    }
}

fn conclude(main: &Main, chains: Vec<VerifiedChain>, waiting: u64, keyed: bool) -> Verification {
    let covered = main.remembered.as_ref().map_or(0, |kept| kept.checkpoint.size);
    let uncovered = main.walk.seq().saturating_sub(covered) + waiting;
    let broken = chains.iter().find(|chain| chain.kind.is_some());
    let (verdict, detail) = match (broken, keyed, &main.remembered) {
        (Some(chain), ..) => (
            Verdict::Broken,
            format!(
                "Chain {} does not fit from record {} on: {}.",
                chain.chain,
                chain.break_at.unwrap_or_default(),
                chain.kind.as_deref().unwrap_or_default()
            ),
        ),
        (None, false, _) => (Verdict::NotVerified, "Nothing contradicts, but without the key file no code can be checked.".into()),
        (None, true, None) => (
            Verdict::NotVerified,
            "Nothing contradicts, but no checkpoint is remembered outside the database, so a rewritten trail could not be told apart.".into(),
        ),
        (None, true, Some(kept)) => (
            Verdict::Verified,
            format!(
                "Records 1 to {} are as they were sealed; a checkpoint of {} covers {}; {} at the end are not covered yet.",
                main.walk.seq(),
                kept.checkpoint.at,
                covered,
                uncovered
            ),
        ),
    };
    let checkpoint = main.remembered.as_ref().map(|kept| RestingOn {
        size: kept.checkpoint.size,
        root: hex::encode(kept.checkpoint.root),
        at: kept.checkpoint.at.clone(),
    });
    Verification { verdict, chains, records: main.bodies, checkpoint, uncovered, detail }
}
