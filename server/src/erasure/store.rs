//! The SQL of erasing: every tenant's table, in an order that their references allow.

use contract::id::{OrganisationId, SandboxId};
use sqlx::types::Json;
use uuid::Uuid;

use super::operations::Terminating;
use super::{Counts, rules};
use crate::error::Error;
use crate::gate::{Result, Timestamp, Tx, Write};
use crate::organisations::Life;

/// One table: its name in receipts, and a statement that removes at most `$3` of the rows of organisation `$1`, of its
/// sandbox `$2` alone where that is not null. Answers a row for each one removed.
pub(super) struct Step {
    pub(super) table: &'static str,
    statement: &'static str,
}

/// What a scope holds, with the scope's own row last.
pub(super) const STEPS: &[Step] = &[
    Step {
        table: "proposal_approval",
        statement: "delete from proposal_approval where (org_id, proposal_id, account_id) in (
          select a.org_id, a.proposal_id, a.account_id from proposal_approval a
          join proposal p on p.org_id = a.org_id and p.id = a.proposal_id
          where a.org_id = $1 and ($2::uuid is null or p.sandbox_id = $2) limit $3)",
    },
    Step {
        table: "proposal",
        statement: "delete from proposal where (org_id, id) in (
          select org_id, id from proposal where org_id = $1 and ($2::uuid is null or sandbox_id = $2) limit $3)",
    },
    Step {
        table: "emergency_target",
        statement: "delete from emergency_target where (org_id, scope_id, kind, target_id) in (
          select org_id, scope_id, kind, target_id from emergency_target
          where org_id = $1 and ($2::uuid is null or scope_id = $2 or target_id = $2) limit $3)",
    },
    Step {
        table: "emergency",
        statement: "delete from emergency where (org_id, scope_id) in (
          select org_id, scope_id from emergency where org_id = $1 and ($2::uuid is null or scope_id = $2) limit $3)",
    },
    Step {
        table: "policy_document",
        statement: "delete from policy_document where (org_id, scope_id, version) in (
          select org_id, scope_id, version from policy_document
          where org_id = $1 and ($2::uuid is null or scope_id = $2) limit $3)",
    },
    Step {
        table: "invitation",
        statement: "delete from invitation where (org_id, id) in (
          select org_id, id from invitation where org_id = $1 and ($2::uuid is null or sandbox_id = $2) limit $3)",
    },
    Step {
        table: "sandbox_member",
        statement: "delete from sandbox_member where (org_id, sandbox_id, id) in (
          select org_id, sandbox_id, id from sandbox_member
          where org_id = $1 and ($2::uuid is null or sandbox_id = $2) limit $3)",
    },
    Step {
        table: "area",
        statement:
            "delete from area where (org_id, sandbox_id, id) in (
          select org_id, sandbox_id, id from area where org_id = $1 and ($2::uuid is null or sandbox_id = $2) limit $3)",
    },
    Step {
        table: "sandbox",
        statement: "delete from sandbox where (org_id, id) in (
          select org_id, id from sandbox where org_id = $1 and ($2::uuid is null or id = $2) limit $3)",
    },
    Step {
        table: "organisation_member",
        statement: "delete from organisation_member where (org_id, id) in (
          select org_id, id from organisation_member where org_id = $1 and $2::uuid is null limit $3)",
    },
    Step {
        table: "organisation",
        statement: "delete from organisation where org_id in (
          select org_id from organisation where org_id = $1 and $2::uuid is null limit $3)",
    },
];

/// Tables with a tenant's rows that erasing leaves, each with the reason.
#[cfg(test)]
pub(super) const LEFT: &[(&str, &str)] = &[
    ("audit_record", "the trail outlives what it is about, and is append-only"),
    ("audit_pending", "emptied by whoever seals the trail"),
    ("audit_head", "the end of a chain that is kept"),
    ("tenant_key", "opens the trail, which is kept"),
    ("person_key", "opens the trail; ends when the person is erased"),
    ("session_entry", "says which sign-in was where, and ends with the sign-in"),
    ("revocation", "swept by the gate after minutes"),
    ("deletion_receipt", "says what was removed"),
];

/// Whether the organisation is in use; none where it is gone.
pub(super) async fn organisation_life(tx: &mut Tx<Write>, organisation: OrganisationId) -> Result<Option<Life>> {
    let word: Option<String> = sqlx::query_scalar("select status from organisation where org_id = $1")
        .bind(organisation.uuid())
        .fetch_optional(tx.conn())
        .await?;
    Ok(word.map(|word| Life::stored(&word)))
}

/// Whether the sandbox is in use; none where it is gone.
pub(super) async fn sandbox_life(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
) -> Result<Option<Life>> {
    let word: Option<String> = sqlx::query_scalar("select status from sandbox where org_id = $1 and id = $2")
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .fetch_optional(tx.conn())
        .await?;
    Ok(word.map(|word| Life::stored(&word)))
}

/// Everything that is terminating, in every organisation. Identities only.
pub(super) async fn terminating<M>(tx: &mut Tx<M>) -> Result<Vec<Terminating>> {
    let found: Vec<(Uuid, Option<Uuid>)> =
        sqlx::query_as("select org_id, sandbox_id from terminating_scopes()").fetch_all(tx.conn()).await?;
    Ok(found
        .into_iter()
        .map(|(organisation, sandbox)| Terminating {
            organisation: OrganisationId::from_uuid(organisation),
            sandbox: sandbox.map(SandboxId::from_uuid),
        })
        .collect())
}

/// Removes at most a batch of rows, and answers how many of which table.
pub(super) async fn remove(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
) -> Result<Counts> {
    let mut counts = Counts::new();
    let mut left = rules::BATCH;
    for step in STEPS {
        if left == 0 {
            break;
        }
        let removed = sqlx::query(step.statement)
            .bind(organisation.uuid())
            .bind(sandbox.map(SandboxId::uuid))
            .bind(left)
            .execute(tx.conn())
            .await?
            .rows_affected();
        let removed = i64::try_from(removed).map_err(Error::internal)?;
        if removed > 0 {
            counts.insert(step.table.to_owned(), removed);
        }
        left = left.saturating_sub(removed);
    }
    Ok(counts)
}

/// Adds a batch to the receipt.
pub(super) async fn add_to_receipt(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    (kind, target): (&str, Uuid),
    removed: &Counts,
    at: Timestamp,
) -> Result<()> {
    let earlier: Option<Json<Counts>> =
        sqlx::query_scalar("select counts from deletion_receipt where org_id = $1 and kind = $2 and target_id = $3")
            .bind(organisation.uuid())
            .bind(kind)
            .bind(target)
            .fetch_optional(tx.conn())
            .await?;
    let mut counts = earlier.map(|Json(counts)| counts).unwrap_or_default();
    for (table, rows) in removed {
        *counts.entry(table.clone()).or_default() += rows;
    }
    sqlx::query(
        "insert into deletion_receipt (org_id, kind, target_id, counts, removed_at) values ($1, $2, $3, $4, $5)
         on conflict (org_id, kind, target_id) do update set counts = excluded.counts, removed_at = excluded.removed_at",
    )
    .bind(organisation.uuid())
    .bind(kind)
    .bind(target)
    .bind(Json(counts))
    .bind(at)
    .execute(tx.conn())
    .await?;
    Ok(())
}
