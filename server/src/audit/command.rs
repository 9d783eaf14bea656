//! `bailiwick audit verify`.
#![expect(
    clippy::disallowed_methods,
    reason = "the operator's command verifies as the sequencer's role, beside the gate"
)]

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use contract::id::OrganisationId;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::memory::{self, Remembered};
use super::store::verifying;
use super::verify::{Verdict, Verification, verify};
use crate::crypto::keyring::KeyRing;
use crate::error::Error;
use crate::gate::Result;

/// What to verify, and how to say it.
#[derive(Debug)]
pub struct Ask<'a> {
    /// Connections as the sequencer's role.
    pub pool: &'a PgPool,
    /// The key file's keys; without them nothing can be verified, only found broken.
    pub keys: Option<&'a KeyRing>,
    /// Where the remembered checkpoints lie.
    pub data_directory: &'a Path,
    /// One organisation; all of them and the installation's chain where absent.
    pub organisation: Option<OrganisationId>,
    /// JSON, one object a line, in place of text.
    pub json: bool,
}

/// Verifies and prints; the worst verdict decides, see [`Verdict::exit_code`].
///
/// # Errors
/// The database's, a damaged memory file, or what `out` refuses.
pub async fn verify_command(ask: &Ask<'_>, out: &mut (dyn Write + Send)) -> Result<Verdict> {
    let remembered = recall(ask)?;
    let organisations = match ask.organisation {
        Some(organisation) => vec![organisation.uuid()],
        None => everybody(ask, &remembered).await?,
    };
    let mut worst = if organisations.is_empty() { Verdict::NotVerified } else { Verdict::Verified };
    for organisation in organisations {
        let kept = remembered.get(&organisation).cloned();
        let found = verify(ask.pool, ask.keys, kept, organisation, |_| {}).await?;
        print(ask.json, organisation, &found, out).map_err(Error::internal)?;
        worst = match (worst, found.verdict) {
            (Verdict::Broken, _) | (_, Verdict::Broken) => Verdict::Broken,
            (Verdict::NotVerified, _) | (_, Verdict::NotVerified) => Verdict::NotVerified,
            _ => Verdict::Verified,
        };
    }
    Ok(worst)
}

fn recall(ask: &Ask<'_>) -> Result<HashMap<Uuid, Remembered>> {
    let path = ask.data_directory.join(memory::FILE);
    match ask.keys {
        Some(keys) if path.exists() => memory::recall(&path, &keys.note_key().verifying_key()).map_err(Error::internal),
        _ => Ok(HashMap::new()),
    }
}

/// Chains that are only remembered belong to it: a trail that is gone altogether is found that way.
async fn everybody(ask: &Ask<'_>, remembered: &HashMap<Uuid, Remembered>) -> Result<Vec<Uuid>> {
    let mut conn = ask.pool.acquire().await?;
    let mut all = verifying::organisations(&mut conn).await?;
    all.extend(remembered.keys());
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn print(json: bool, organisation: Uuid, found: &Verification, out: &mut dyn Write) -> std::io::Result<()> {
    let name = super::verify::name(organisation, organisation);
    if json {
        return writeln!(out, "{}", json!({ "organisation": name, "verification": found }));
    }
    let word = match found.verdict {
        Verdict::Verified => "verified",
        Verdict::Broken => "BROKEN",
        Verdict::NotVerified => "not verified",
    };
    writeln!(out, "{name}: {word}. {}", found.detail)?;
    for chain in found.chains.iter().filter(|chain| chain.kind.is_some()) {
        let (at, kind) = (chain.break_at.unwrap_or_default(), chain.kind.as_deref().unwrap_or_default());
        writeln!(out, "  {}: {kind} at {at}", chain.chain)?;
    }
    Ok(())
}
