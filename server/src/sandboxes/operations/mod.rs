//! One type per thing that can be asked of a sandbox.

mod sandbox;
mod transfer;

pub(super) use sandbox::{CreateSandbox, DeleteSandbox, ListSandboxes, ReadSandbox, RenameSandbox};
pub(super) use transfer::TransferSandbox;
