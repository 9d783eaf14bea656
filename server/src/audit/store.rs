//! All SQL of the trail after the commit.

pub(super) mod reading;
pub(super) mod sealing;
pub(super) mod verifying;

use contract::audit::Hash;

/// A hash from a column. The column's own check keeps any other length out; a wrong one reads as zeros and fits nothing.
pub(super) fn hash(bytes: &[u8]) -> Hash {
    bytes.try_into().unwrap_or_default()
}

/// PostgreSQL has no unsigned integers; numbers of records stay far below 2^63.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
