//! Who reads which records. Pure.

use contract::code::Code;

use crate::gate::Decision;

/// What a reader may see of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// Every record of the scope: whoever oversees it.
    Everything,
    /// The records of this actor: everybody their own.
    Own(String),
}

/// The view of somebody with this standing.
pub fn view(oversees: bool, own: &str) -> View {
    if oversees { View::Everything } else { View::Own(own.to_owned()) }
}

/// Whose records are looked for, once `self` is spelled out; none means everybody's.
pub fn actor(view: &View, asked: Option<&str>, own: &str) -> Option<String> {
    match (view, asked) {
        (_, Some("self")) => Some(own.to_owned()),
        (_, Some(asked)) => Some(asked.to_owned()),
        (View::Everything, None) => None,
        (View::Own(own), None) => Some(own.clone()),
    }
}

/// Whether the records of this actor may be looked for.
pub fn may_look(view: &View, actor: Option<&str>) -> Decision {
    match view {
        View::Everything => Decision::Allow,
        View::Own(own) if actor == Some(own) => Decision::Allow,
        View::Own(_) => Decision::Deny(Code::InsufficientAccess),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_reads_their_own_and_overseers_everything() {
        let (all, own) = (view(true, "acc_a"), view(false, "acc_a"));
        assert_eq!(actor(&all, None, "acc_a"), None);
        assert_eq!(actor(&all, Some("self"), "acc_a").as_deref(), Some("acc_a"));
        assert_eq!(actor(&own, None, "acc_a").as_deref(), Some("acc_a"));
        assert_eq!(may_look(&all, None), Decision::Allow);
        assert_eq!(may_look(&all, Some("acc_b")), Decision::Allow);
        assert_eq!(may_look(&own, Some("acc_a")), Decision::Allow);
        assert_eq!(may_look(&own, Some("acc_b")), Decision::Deny(Code::InsufficientAccess));
        assert_eq!(may_look(&own, None), Decision::Deny(Code::InsufficientAccess));
    }
}
