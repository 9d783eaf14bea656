//! How often a credential may be tried: per network address and per account or link. In memory, per process.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::Error;

/// Tries that one network address has at once; one more a second after that. People share addresses.
const ADDRESS_BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);
/// Tries at one account or link at once; one more every three seconds after that.
const SUBJECT_BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
const SUBJECT_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
/// Memory of keys that have recovered is given back after this many checks.
const SWEEP_EVERY: u32 = 1024;

/// The limits on credential checks.
pub struct CredentialLimits {
    addresses: DefaultKeyedRateLimiter<String>,
    subjects: DefaultKeyedRateLimiter<Vec<u8>>,
    clock: DefaultClock,
    checks: AtomicU32,
}

impl Default for CredentialLimits {
    fn default() -> Self {
        Self {
            addresses: RateLimiter::keyed(Quota::per_second(NonZeroU32::MIN).allow_burst(ADDRESS_BURST)),
            subjects: RateLimiter::keyed(Quota::per_minute(SUBJECT_PER_MINUTE).allow_burst(SUBJECT_BURST)),
            clock: DefaultClock::default(),
            checks: AtomicU32::new(0),
        }
    }
}

impl CredentialLimits {
    /// Counts one try from `address` at `subject` (an account's or credential's id, a link's hash).
    ///
    /// # Errors
    /// [`Error::Limited`] with the time until the next try.
    pub fn check(&self, address: Option<&str>, subject: Option<&[u8]>) -> Result<(), Error> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.addresses.retain_recent();
            self.subjects.retain_recent();
        }
        let now = self.clock.now();
        if let Some(address) = address {
            self.addresses.check_key(&network(address)).map_err(|until| Error::limited(until.wait_time_from(now)))?;
        }
        if let Some(subject) = subject {
            self.subjects.check_key(&subject.to_vec()).map_err(|until| Error::limited(until.wait_time_from(now)))?;
        }
        Ok(())
    }
}

/// Whoever holds one IPv6 address holds its /64.
fn network(address: &str) -> String {
    match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V6(v6)) if v6.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(limits: &CredentialLimits, address: Option<&str>, subject: Option<&[u8]>) -> u32 {
        (0..1000).find(|_| limits.check(address, subject).is_err()).unwrap_or(1000)
    }

    #[test]
    fn an_address_and_a_subject_run_out_by_themselves() {
        let limits = CredentialLimits::default();
        assert_eq!(tries(&limits, Some("192.0.2.1"), None), 60);
        assert_eq!(tries(&limits, Some("192.0.2.2"), Some(b"account")), 20);
        assert!(limits.check(Some("192.0.2.3"), Some(b"account")).is_err());
        assert!(limits.check(Some("192.0.2.3"), Some(b"another")).is_ok());
    }

    #[test]
    fn the_answer_says_when_to_come_back() {
        let limits = CredentialLimits::default();
        tries(&limits, None, Some(b"account"));
        match limits.check(None, Some(b"account")) {
            Err(Error::Limited(after)) => assert!(!after.is_zero() && after.as_secs() <= 3, "{after:?}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn neighbours_in_an_ipv6_network_share_their_tries() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }
}
