//! For benchmarks only: the gate's own append, reachable without a request around it.

use contract::id::{AccountId, OrganisationId, RecordId, SandboxId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::crypto::keyring::KeyRing;
use crate::gate::{self, Actor, Clock, Decided, Entry, Outcome, Personal, Result, Scope, SystemClock, Target, fresh};

/// Appends one ordinary record of a person who acted in an organisation or one of its sandboxes, in the caller's transaction.
///
/// # Errors
/// The database's.
pub async fn append(
    conn: &mut PgConnection,
    keys: &KeyRing,
    organisation: Uuid,
    sandbox: Option<Uuid>,
    who: Uuid,
) -> Result<()> {
    let organisation = OrganisationId::from_uuid(organisation);
    let scope = match sandbox {
        Some(sandbox) => Scope::Sandbox(organisation, SandboxId::from_uuid(sandbox)),
        None => Scope::Organisation(organisation),
    };
    let account = AccountId::from_uuid(who);
    let mut parameters = gate::Parameters::new();
    parameters.insert("role".to_owned(), "writer".into());
    let entry = Entry {
        id: fresh::<RecordId>(),
        at: SystemClock.now(),
        scope,
        actor: Actor { kind: "person", id: Some(account.to_string()), account: Some(account) },
        action: "member.grant",
        target: Target::new("member", format!("mbr_{}", who.simple())),
        decision: Decided::Allow,
        outcome: Outcome::Done,
        reason: None,
        confirmation: None,
        request: Some("0192a000-0000-7000-8000-000000000000".to_owned()),
        parameters,
        personal: vec![
            Personal::account(account)
                .field("name", "Ada Lovelace")
                .field("email", "ada@example.org")
                .field("networkAddress", "2001:db8::17"),
        ],
    };
    gate::person::append(conn, keys, &entry).await.map(drop)
}
