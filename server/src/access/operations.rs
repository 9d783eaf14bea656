//! Asking whether one may still look.

use serde::{Deserialize, Serialize};

use crate::gate::{Action, Authorized, Context, Decision, Operation, Read, Result, Scope, Tx};

/// May the caller look at this scope?
#[derive(Serialize, Deserialize)]
pub struct WatchAccess {
    /// Which.
    pub scope: Scope,
}

impl Operation for WatchAccess {
    const ACTION: Action = Action::AccessWatch;
    type Mode = Read;
    type Facts = ();
    type Output = ();

    fn scope(&self) -> Scope {
        self.scope
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(_: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }
}
