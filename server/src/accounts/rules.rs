//! Times of signing in and what a stored ceremony or link is worth. Pure.

use chrono::{DateTime, TimeDelta, Utc};
use contract::code::Code;
use serde::{Deserialize, Serialize};

use crate::crypto::passkey::PasskeyError;

/// A use is noted at most this often.
pub const TOUCH: TimeDelta = TimeDelta::seconds(60);
/// A person has this long to answer a passkey prompt.
pub const CEREMONY: TimeDelta = TimeDelta::minutes(5);
/// The first owner's link works for this long.
pub const FIRST_OWNER_LINK: TimeDelta = TimeDelta::hours(24);

/// How long a sign-in lasts, as configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifetime {
    /// Seconds without a use after which it ends.
    pub idle_seconds: u64,
    /// Seconds after which it ends however much it is used.
    pub absolute_seconds: u64,
}

impl Lifetime {
    /// When a sign-in that begins at `at` ends at the latest.
    pub fn end(self, at: DateTime<Utc>) -> DateTime<Utc> {
        after(at, self.absolute_seconds)
    }

    /// When a sign-in used at `at` ends if it is not used again: never after its absolute end.
    pub fn idle_end(self, at: DateTime<Utc>, expires_at: DateTime<Utc>) -> DateTime<Utc> {
        after(at, self.idle_seconds).min(expires_at)
    }
}

fn after(at: DateTime<Utc>, seconds: u64) -> DateTime<Utc> {
    i64::try_from(seconds)
        .ok()
        .and_then(TimeDelta::try_seconds)
        .and_then(|delta| at.checked_add_signed(delta))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// Whether a use at `at` is to be noted.
pub fn worth_noting(seen_at: DateTime<Utc>, at: DateTime<Utc>) -> bool {
    at - seen_at >= TOUCH
}

/// Why a link cannot be used, if it cannot.
pub fn link_fault(used: bool, expires_at: DateTime<Utc>, at: DateTime<Utc>) -> Option<Code> {
    if used {
        Some(Code::TokenUsed)
    } else if expires_at <= at {
        Some(Code::TokenExpired)
    } else {
        None
    }
}

/// The reason of a refused sign-in. An unknown passkey and a wrong answer look the same, so that nobody learns which
/// credentials exist.
pub fn sign_in_refusal(error: &PasskeyError) -> Code {
    match error {
        PasskeyError::Counter => Code::PasskeyCounter,
        PasskeyError::Malformed(_) => Code::CeremonyInvalid,
        PasskeyError::Refused(_) | PasskeyError::Unusable(_) => Code::PasskeyUnknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    #[test]
    fn idle_never_outlives_the_absolute_end() {
        let lifetime = Lifetime { idle_seconds: 600, absolute_seconds: 3600 };
        assert_eq!(lifetime.end(at(0)), at(3600));
        assert_eq!(lifetime.idle_end(at(0), at(3600)), at(600));
        assert_eq!(lifetime.idle_end(at(3500), at(3600)), at(3600));
        let endless = Lifetime { idle_seconds: u64::MAX, absolute_seconds: u64::MAX };
        assert_eq!(endless.end(at(0)), DateTime::<Utc>::MAX_UTC);
    }

    #[test]
    fn a_use_is_noted_once_a_minute() {
        assert!(!worth_noting(at(0), at(59)));
        assert!(worth_noting(at(0), at(60)));
    }

    #[test]
    fn a_link_works_once_and_in_time() {
        assert_eq!(link_fault(false, at(10), at(9)), None);
        assert_eq!(link_fault(false, at(10), at(10)), Some(Code::TokenExpired));
        assert_eq!(link_fault(true, at(10), at(9)), Some(Code::TokenUsed));
        assert_eq!(link_fault(true, at(10), at(10)), Some(Code::TokenUsed));
    }

    #[test]
    fn only_a_copied_passkey_is_told_apart() {
        assert_eq!(sign_in_refusal(&PasskeyError::Counter), Code::PasskeyCounter);
        assert_eq!(sign_in_refusal(&PasskeyError::Refused(String::new())), Code::PasskeyUnknown);
    }
}
