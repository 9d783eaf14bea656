//! The one error of the server. A variant exists only where a client would act differently; each carries what the caller
//! may read, and the internal one also what the operator needs.

use std::time::Duration;

use contract::code::Code;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::ProposalNotice;

/// A field that was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// JSON pointer into the body, or `?name` for a query parameter.
    pub pointer: String,
    /// Stable code.
    pub code: Code,
    /// What to do, for people.
    pub message: String,
}

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody is signed in, or no longer.
    #[error("nobody is signed in")]
    Unauthenticated,
    /// It does not exist, or the caller may not know that it does.
    #[error("not found")]
    NotFound,
    /// The caller may see it but not do it.
    #[error("denied: {0}")]
    Denied(Code),
    /// A person has to prove presence for exactly this.
    #[error("a confirmation is required")]
    ConfirmationRequired(Box<ProposalNotice>),
    /// The request itself cannot be understood (400, 413, 415 and the like).
    #[error("malformed request: {detail}")]
    Malformed {
        /// HTTP status.
        status: u16,
        /// Stable code.
        code: Code,
        /// For people.
        detail: String,
        /// Where, if at a field.
        fields: Vec<FieldProblem>,
    },
    /// Fields that are understood and refused (422).
    #[error("invalid: {0:?}")]
    Invalid(Vec<FieldProblem>),
    /// The state of things is against it (409).
    #[error("conflict: {code}: {detail}")]
    Conflict {
        /// Stable code.
        code: Code,
        /// For people.
        detail: String,
    },
    /// The revision that the caller names is not the current one (412).
    #[error("the revision is stale")]
    Stale,
    /// It existed and is used up or expired (410).
    #[error("gone: {code}: {detail}")]
    Gone {
        /// Stable code.
        code: Code,
        /// For people.
        detail: String,
    },
    /// Too many tries (429).
    #[error("rate limited for {0:?}")]
    Limited(Duration),
    /// The server cannot do it at the moment; trying again later may work (503).
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// A fault of ours. The caller reads nothing of it.
    #[error("internal: {0:#}")]
    Internal(anyhow::Error),
    /// The database's answer, before it has been told apart.
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Refused, with the reason.
    pub fn denied(code: Code) -> Self {
        Self::Denied(code)
    }

    /// One refused field.
    pub fn invalid(pointer: &str, code: Code, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldProblem { pointer: pointer.to_owned(), code, message: message.into() }])
    }

    /// The state of things is against it.
    pub fn conflict(code: Code, detail: impl Into<String>) -> Self {
        Self::Conflict { code, detail: detail.into() }
    }

    /// The named revision is not the current one.
    pub fn stale() -> Self {
        Self::Stale
    }

    /// Used up or expired.
    pub fn gone(code: Code, detail: impl Into<String>) -> Self {
        Self::Gone { code, detail: detail.into() }
    }

    /// Too many tries; again after this.
    pub fn limited(after: Duration) -> Self {
        Self::Limited(after)
    }

    /// A fault of ours.
    pub fn internal(error: impl Into<anyhow::Error>) -> Self {
        Self::Internal(error.into())
    }

    /// A refused text, at a field.
    pub fn text(pointer: &str, error: contract::text::TextError) -> Self {
        Self::invalid(pointer, error.code, error.message)
    }

    /// The stable code that clients switch on and records keep.
    pub fn code(&self) -> Code {
        match self {
            Self::Unauthenticated => Code::Unauthenticated,
            Self::NotFound => Code::NotFound,
            Self::Denied(code)
            | Self::Malformed { code, .. }
            | Self::Conflict { code, .. }
            | Self::Gone { code, .. } => *code,
            Self::ConfirmationRequired(_) => Code::ConfirmationRequired,
            Self::Invalid(fields) => fields.first().map_or(Code::InvalidField, |field| field.code),
            Self::Stale => Code::StaleRevision,
            Self::Limited(_) => Code::RateLimited,
            Self::Unavailable(_) => Code::Unavailable,
            Self::Internal(_) => Code::Internal,
            Self::Database(error) => match told_apart(error) {
                Told::LastOwner => Code::LastOwner,
                Told::Unavailable => Code::Unavailable,
                Told::Again | Told::Fault => Code::Internal,
            },
        }
    }

    /// Whether the whole attempt should be made again.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::Database(error) if told_apart(error) == Told::Again)
    }

    /// Tells a database's answer apart; every other error stays what it is.
    #[must_use]
    pub(crate) fn settled(self) -> Self {
        match self {
            Self::Database(error) => match told_apart(&error) {
                Told::LastOwner => Self::conflict(
                    Code::LastOwner,
                    "An organisation keeps at least one owner. Make somebody else owner first.",
                ),
                Told::Unavailable => {
                    tracing::error!(error = %error, "the database cannot be reached or cannot write");
                    Self::Unavailable(
                        "The database cannot be reached at the moment. Nothing was changed; try again.".into(),
                    )
                }
                Told::Again => Self::Unavailable("Too many people change this at the same moment. Try again.".into()),
                Told::Fault => Self::internal(error),
            },
            other => other,
        }
    }
}

#[derive(PartialEq, Eq)]
enum Told {
    /// Serialization failure or deadlock.
    Again,
    /// No connection, shutting down, out of disk, read only.
    Unavailable,
    /// The last-owner invariant.
    LastOwner,
    /// Ours.
    Fault,
}

fn told_apart(error: &sqlx::Error) -> Told {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => {
            Told::Unavailable
        }
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("40001" | "40P01") => Told::Again,
            Some("BW001") => Told::LastOwner,
            Some("57P01" | "57P02" | "57P03" | "53100" | "53200" | "53300" | "58030") => Told::Unavailable,
            Some(code) if code.starts_with("08") => Told::Unavailable,
            _ => Told::Fault,
        },
        sqlx::Error::Protocol(message) if message.contains("unexpected end") || message.contains("closed") => {
            Told::Unavailable
        }
        _ => Told::Fault,
    }
}
