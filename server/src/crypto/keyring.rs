//! Keys.

/// Keys.
#[derive(Debug)]
pub struct KeyRing;
