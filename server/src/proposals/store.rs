//! Reading the gate's proposals for the list of waits.

use contract::id::{AccountId, OrganisationId, ProposalId};
use serde_json::Value;
use uuid::Uuid;

use crate::gate::{Result, Timestamp, Tx};

#[derive(sqlx::FromRow)]
pub struct Row {
    pub(super) id: Uuid,
    pub(super) action: String,
    pub(super) sandbox_id: Option<Uuid>,
    pub(super) description: Value,
    pub(super) requires: i32,
    pub(super) proposed_by: Uuid,
    pub(super) proposer_name: Option<String>,
    pub(super) state: String,
    pub(super) reason: Option<String>,
    pub(super) created_at: Timestamp,
    pub(super) expires_at: Timestamp,
    pub(super) frozen: bool,
    pub(super) approvals: i64,
    pub(super) approved_by_me: bool,
    /// The reader owns the sandbox that it is about.
    pub(super) owns: bool,
    /// The reader manages it.
    pub(super) manages: bool,
}

const ROWS: &str = "
select p.id, p.action, p.sandbox_id, p.description, p.requires, p.proposed_by, a.name as proposer_name, p.state, p.reason,
       p.created_at, p.expires_at, p.frozen_at is not null as frozen,
       (select count(*) from proposal_approval v where v.org_id = p.org_id and v.proposal_id = p.id and v.approved_at is not null) as approvals,
       exists (select 1 from proposal_approval v where v.org_id = p.org_id and v.proposal_id = p.id and v.account_id = $2
               and v.approved_at is not null) as approved_by_me,
       coalesce(s.owner_account_id = $2, false) as owns, coalesce(m.role = 'maintainer', false) as manages
from proposal p
left join account a on a.id = p.proposed_by
left join sandbox s on s.org_id = p.org_id and s.id = p.sandbox_id
left join sandbox_member m on m.org_id = p.org_id and m.sandbox_id = p.sandbox_id and m.account_id = $2
where p.org_id = $1";

/// Open proposals, oldest first, at most 200.
pub(super) async fn open<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    reader: AccountId,
    at: Timestamp,
) -> Result<Vec<Row>> {
    let sql = format!(
        "{ROWS} and p.state = 'open' and (p.expires_at > $3 or p.frozen_at is not null) order by p.created_at, p.id limit 200"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(organisation.uuid())
        .bind(reader.uuid())
        .bind(at)
        .fetch_all(tx.conn())
        .await?)
}

pub(super) async fn one<M>(
    tx: &mut Tx<M>,
    organisation: OrganisationId,
    id: ProposalId,
    reader: AccountId,
) -> Result<Option<Row>> {
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(format!("{ROWS} and p.id = $3")))
        .bind(organisation.uuid())
        .bind(reader.uuid())
        .bind(id.uuid())
        .fetch_optional(tx.conn())
        .await?)
}
