//! What may be erased. Pure.

use contract::code::Code;

use crate::gate::Decision;
use crate::organisations::Life;

/// Most rows that one transaction removes.
pub(super) const BATCH: i64 = 1_000;

/// Only what is terminating is ever erased, whoever asks.
pub(super) fn erase(life: Life) -> Decision {
    match life {
        Life::Active => Decision::Deny(Code::Conflict),
        Life::Terminating => Decision::Allow,
    }
}

/// Whether nothing is left after a batch removed so many rows.
pub(super) fn is_finished(removed: i64) -> bool {
    removed < BATCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_is_never_erased() {
        assert_eq!(erase(Life::Active), Decision::Deny(Code::Conflict));
        assert_eq!(erase(Life::Terminating), Decision::Allow);
    }

    #[test]
    fn a_full_batch_may_have_left_something() {
        assert!(!is_finished(BATCH));
        assert!(is_finished(BATCH - 1));
        assert!(is_finished(0));
    }
}
