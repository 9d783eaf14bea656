//! Paging and searching a list.

use contract::code::Code;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::Error;

/// What every list takes.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// Most items: 1 to 200, 50 by default.
    pub limit: Option<u16>,
    /// Where to go on, from the answer before.
    pub cursor: Option<String>,
    /// Text to look for.
    pub search: Option<String>,
}

impl Page {
    const DEFAULT: u16 = 50;
    const MOST: u16 = 200;
    const SEARCH: usize = 100;

    /// Checked number of items.
    ///
    /// # Errors
    /// An invalid field where it is none or too many.
    pub fn limit(&self) -> Result<i64, Error> {
        match self.limit.unwrap_or(Self::DEFAULT) {
            limit @ 1..=Self::MOST => Ok(i64::from(limit)),
            _ => Err(Error::invalid("?limit", Code::InvalidField, format!("Between 1 and {} items.", Self::MOST))),
        }
    }

    /// Trimmed text to look for, if any.
    ///
    /// # Errors
    /// An invalid field where it is longer than 100 characters or has a NUL.
    pub fn search(&self) -> Result<Option<String>, Error> {
        let Some(text) = self.search.as_deref().map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        if text.chars().count() > Self::SEARCH {
            return Err(Error::invalid("?search", Code::TooLong, format!("At most {} characters.", Self::SEARCH)));
        }
        if text.contains('\0') {
            return Err(Error::invalid("?search", Code::InvalidText, "NUL cannot be looked for."));
        }
        Ok(Some(text.to_owned()))
    }
}
