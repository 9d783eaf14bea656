//! Why a command ended without doing its work, in the operator's words, and the exit code that says so to a script.

use std::fmt;

/// What a script can tell apart by the exit code. 0 is success and 2 is a wrong command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Something failed that has no code of its own; the message says what.
    Failed = 1,
    /// The configuration was refused.
    Configuration = 3,
    /// The database could not be reached in time, or refused us.
    Database = 4,
    /// The address to listen on cannot be had.
    Address = 5,
    /// The data directory cannot be used.
    DataDirectory = 6,
    /// The database's schema is not one that this program works with.
    Schema = 7,
    /// The audit trail is broken.
    Broken = 8,
    /// The audit trail could not be verified as a whole.
    NotVerified = 9,
}

/// An end with a message for people and a code for scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Code of the process.
    pub exit: Exit,
    /// What went wrong; names the path, address or setting.
    pub message: String,
    /// What the operator can do about it.
    pub advice: Option<String>,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), advice: None }
    }

    /// Adds what the operator can do.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        match &self.advice {
            Some(advice) => write!(out, "\n  {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

impl From<crate::config::Refusal> for Failure {
    fn from(refusal: crate::config::Refusal) -> Self {
        Self::new(Exit::Configuration, refusal.to_string())
            .advise("`bailiwick config` prints every setting, its value and where it came from.")
    }
}
