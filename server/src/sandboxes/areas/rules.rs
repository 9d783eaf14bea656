//! Which areas somebody sees, and how many there may be. Pure.

use contract::access::Access;

/// Most areas of a sandbox. The list of them is answered whole.
pub(super) const LIMIT: i64 = 200;

/// Whether somebody with this access sees the area. Whoever is there without a row oversees, and sees all.
pub(super) fn sees(access: Option<&Access>, area: &str) -> bool {
    access.is_none_or(|access| access.sees(area))
}

/// Whether one more area fits beside `present` ones.
pub(super) fn fits(present: i64) -> bool {
    present < LIMIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::access::{Row, Tier};

    #[test]
    fn a_fenced_member_sees_the_areas_of_the_fence_only() {
        let fenced =
            Row { role: Tier::Viewer, areas: Some(vec!["web".to_owned()]), agents: None, edit: None }.resolve();
        assert!(sees(Some(&fenced), "web"));
        assert!(!sees(Some(&fenced), "finance"));
        assert!(sees(Some(&Access::managing()), "finance"));
        assert!(sees(None, "finance"));
    }

    #[test]
    fn there_is_a_most() {
        assert!(fits(LIMIT - 1));
        assert!(!fits(LIMIT));
    }
}
