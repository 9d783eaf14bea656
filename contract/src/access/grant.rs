//! Whether a grant makes sense by itself, before anything is looked up.

use serde::{Deserialize, Serialize};

use super::{AREAS_LIMIT, Access, Agents, Edit, EditGrant, REACH_LIMIT, Reach, Row, Tier};
use crate::code::Code;
use crate::text;

/// What somebody asks to grant. The role is never guessed from the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Grant {
    /// Must be the tier that the answers make.
    pub role: Tier,
    /// Names of the areas seen; absent is the whole workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<String>>,
    /// Absent takes the role's meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Agents>,
    /// Absent takes the role's meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditGrant>,
    /// Absent keeps what the row says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Reach>,
}

impl Grant {
    /// The row that the grant would write, as far as access goes.
    #[must_use]
    pub fn row(&self) -> Row {
        Row { role: self.role, areas: self.areas.clone(), agents: self.agents, edit: self.edit.clone() }
    }
}

/// Why a grant is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The stable reason.
    pub code: Code,
    /// JSON pointer of the field at fault.
    pub pointer: &'static str,
    /// The reason in English, naming the areas at fault.
    pub message: String,
}

impl Refusal {
    fn new(code: Code, pointer: &'static str, message: impl Into<String>) -> Self {
        Self { code, pointer, message: message.into() }
    }
}

/// Brings the area names into their stored form and drops repetitions, keeping the order.
///
/// # Errors
/// `too_large` for more than [`AREAS_LIMIT`] names, and what [`text::area_name`] refuses.
pub fn tidy(mut grant: Grant) -> Result<Grant, Refusal> {
    if let Some(areas) = &mut grant.areas {
        *areas = tidy_names(areas, "/areas")?;
    }
    if let Some(EditGrant::Areas(areas)) = &mut grant.edit {
        *areas = tidy_names(areas, "/edit")?;
    }
    Ok(grant)
}

fn tidy_names(areas: &[String], pointer: &'static str) -> Result<Vec<String>, Refusal> {
    within(areas.len(), AREAS_LIMIT, pointer)?;
    let mut kept: Vec<String> = Vec::with_capacity(areas.len());
    for area in areas {
        let name = text::area_name(area).map_err(|error| Refusal::new(error.code, pointer, error.message))?;
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    Ok(kept)
}

fn within(count: usize, limit: usize, pointer: &'static str) -> Result<(), Refusal> {
    if count > limit {
        return Err(Refusal::new(Code::TooLarge, pointer, format!("at most {limit} may be named")));
    }
    Ok(())
}

/// The access that a grant gives, if it makes sense.
///
/// # Errors
/// `too_large` over a limit, `role_mismatch` when the role is not the tier of the answers, what [`refuse`] refuses,
/// and `access_refused` for a maintainer whose reach is a list.
pub fn check(grant: &Grant) -> Result<Access, Refusal> {
    within(grant.areas.as_ref().map_or(0, Vec::len), AREAS_LIMIT, "/areas")?;
    if let Some(EditGrant::Areas(areas)) = &grant.edit {
        within(areas.len(), AREAS_LIMIT, "/edit")?;
    }
    let access = grant.row().resolve();
    let tier = access.tier();
    if tier != grant.role {
        let message = format!("these answers make a {tier}, not a {}", grant.role);
        return Err(Refusal::new(Code::RoleMismatch, "/role", message));
    }
    refuse(&access)?;
    if let Some(Reach::Listed { capabilities, secrets }) = &grant.credentials {
        within(capabilities.len(), REACH_LIMIT, "/credentials/capabilities")?;
        within(secrets.len(), REACH_LIMIT, "/credentials/secrets")?;
        if grant.role == Tier::Maintainer {
            let message = "a maintainer's reach cannot be fenced";
            return Err(Refusal::new(Code::AccessRefused, "/credentials", message));
        }
    }
    Ok(access)
}

/// Refuses an access whose answers contradict each other. A manager is never refused.
///
/// # Errors
/// `access_refused` for chat without an area, editing everything while areas are named, an empty `edit` list, and
/// editing areas that are not seen (named in the message).
pub fn refuse(access: &Access) -> Result<(), Refusal> {
    if access.manage {
        return Ok(());
    }
    let refused = |pointer, message: String| Err(Refusal::new(Code::AccessRefused, pointer, message));
    let see = access.see.as_deref();
    if access.agents == Agents::Chat && see.is_none_or(<[String]>::is_empty) {
        return refused("/areas", "somebody who only chats needs at least one area".to_owned());
    }
    match (&access.edit, see) {
        (Edit::All, Some(_)) => {
            refused("/edit", "editing everything needs the whole workspace, but areas are named".to_owned())
        }
        (Edit::Areas(areas), _) if areas.is_empty() => {
            refused("/edit", "an edit list names at least one area".to_owned())
        }
        (Edit::Areas(areas), Some(_)) => {
            let unseen: Vec<&str> = areas.iter().map(String::as_str).filter(|area| !access.sees(area)).collect();
            if unseen.is_empty() {
                return Ok(());
            }
            refused("/edit", format!("areas that are edited but not seen: {}", unseen.join(", ")))
        }
        (Edit::None | Edit::All, _) | (Edit::Areas(_), None) => Ok(()),
    }
}
