//! Reads a caller's standing, the policy in force and the emergency state in one statement of the operation's own
//! transaction. Nothing is remembered between requests: what was revoked a moment ago is gone here.

use contract::access::{Access, OrganisationRole, Row};
use contract::id::{AccountId, MemberId, OrganisationId, SandboxId, SignInId};
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::caller::{Call, Caller};
use super::context::{
    Context, Governance, OrganisationStanding, PersonStanding, SandboxStanding, SignInStanding, Status,
};
use super::emergency::Stop;
use super::operation::Scope;
use super::policy_document::{Breadth, PolicyDocument};
use super::{Result, Timestamp};
use crate::error::Error;

/// Everything is looked up by primary or unique key, so that serializable transactions lock rows and not relations.
/// `$1` sign-in (null when the gate decides for somebody who is not at the keyboard), `$2` account, `$3` organisation,
/// `$4` sandbox, `$5` now.
const STANDING: &str = "
select
  s.method, s.created_at as signed_in_at, s.seen_at, s.expires_at,
  (s.id is not null and s.ended_at is null and s.expires_at > $5 and s.idle_expires_at > $5) as sign_in_valid,
  a.email, a.name, a.operator,
  o.status as org_status, om.role as org_role,
  (select count(*) from (select 1 from organisation_member w where w.org_id = $3 and w.role = 'owner' limit 2) owners) as owners,
  exists (select 1 from session_entry e where e.sign_in_id = $1 and e.org_id = $3) as entered,
  sb.status as sandbox_status, sb.owner_account_id,
  sm.id as member_id, sm.role as member_role, sm.areas, sm.agents, sm.edit,
  po.document as org_policy, po.version as org_policy_version,
  ps.document as sandbox_policy, ps.version as sandbox_policy_version,
  eo.state as org_stop, es.state as sandbox_stop
from (select 1) one
left join account a on a.id = $2
left join sign_in s on s.id = $1 and s.account_id = $2
left join organisation o on o.org_id = $3
left join organisation_member om on om.org_id = $3 and om.account_id = $2
left join sandbox sb on sb.org_id = $3 and sb.id = $4
left join sandbox_member sm on sm.org_id = $3 and sm.sandbox_id = $4 and sm.account_id = $2
left join lateral (select document, version from policy_document p where p.org_id = $3 and p.scope_id = $3
                   order by version desc limit 1) po on true
left join lateral (select document, version from policy_document p where p.org_id = $3 and p.scope_id = $4
                   order by version desc limit 1) ps on true
left join emergency eo on eo.org_id = $3 and eo.scope_id = $3
left join emergency es on es.org_id = $3 and es.scope_id = $4
";

#[derive(FromRow)]
struct Found {
    method: Option<String>,
    signed_in_at: Option<Timestamp>,
    seen_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    sign_in_valid: Option<bool>,
    email: Option<String>,
    name: Option<String>,
    operator: Option<bool>,
    org_status: Option<String>,
    org_role: Option<String>,
    owners: Option<i64>,
    entered: Option<bool>,
    sandbox_status: Option<String>,
    owner_account_id: Option<Uuid>,
    member_id: Option<Uuid>,
    member_role: Option<String>,
    areas: Option<Vec<String>>,
    agents: Option<String>,
    edit: Option<Value>,
    org_policy: Option<Value>,
    org_policy_version: Option<i64>,
    sandbox_policy: Option<Value>,
    sandbox_policy_version: Option<i64>,
    org_stop: Option<Value>,
    sandbox_stop: Option<Value>,
}

/// What the gate knows of this call in this scope.
///
/// # Errors
/// [`Error::Unauthenticated`] where the claimed sign-in has ended, expired or belongs to somebody else.
pub(super) async fn of_call(conn: &mut PgConnection, call: &Call, scope: Scope, at: Timestamp) -> Result<Context> {
    let mut context = Context::new(call, scope, at);
    let (sign_in, account) = match &call.caller {
        Caller::Person(claim) => (Some(claim.sign_in()), Some(claim.account())),
        Caller::Visitor | Caller::Job(_) => (None, None),
    };
    if account.is_none() && scope.organisation().is_none() {
        return Ok(context);
    }
    let found = find(conn, sign_in, account, scope, at).await?;
    if let (Some(sign_in), Some(account)) = (sign_in, account) {
        let person = person(&found, account, Some(sign_in)).ok_or(Error::Unauthenticated)?;
        if found.sign_in_valid != Some(true) {
            return Err(Error::Unauthenticated);
        }
        context.person = Some(person);
    }
    fill(&mut context, &found, account)?;
    Ok(context)
}

/// The standing of somebody who is not at the keyboard: whoever proposed what another person now confirms.
pub(super) async fn of_account(conn: &mut PgConnection, account: AccountId, base: &Context) -> Result<Context> {
    let found = find(conn, None, Some(account), base.scope, base.at).await?;
    let mut context =
        Context { person: person(&found, account, None), organisation: None, sandbox: None, ..base.clone() };
    fill(&mut context, &found, Some(account))?;
    Ok(context)
}

async fn find(
    conn: &mut PgConnection,
    sign_in: Option<SignInId>,
    account: Option<AccountId>,
    scope: Scope,
    at: Timestamp,
) -> Result<Found> {
    Ok(sqlx::query_as(STANDING)
        .bind(sign_in.map(SignInId::uuid))
        .bind(account.map(AccountId::uuid))
        .bind(scope.organisation().map(OrganisationId::uuid))
        .bind(scope.sandbox().map(SandboxId::uuid))
        .bind(at)
        .fetch_one(conn)
        .await?)
}

fn person(found: &Found, account: AccountId, sign_in: Option<SignInId>) -> Option<PersonStanding> {
    let sign_in = match sign_in {
        Some(id) => Some(SignInStanding {
            id,
            method: found.method.clone()?,
            created_at: found.signed_in_at?,
            seen_at: found.seen_at?,
            expires_at: found.expires_at?,
        }),
        None => None,
    };
    Some(PersonStanding {
        account,
        email: found.email.clone()?,
        name: found.name.clone()?,
        operator: found.operator?,
        sign_in,
    })
}

fn fill(context: &mut Context, found: &Found, account: Option<AccountId>) -> Result<()> {
    if let (Some(id), Some(status)) = (context.scope.organisation(), &found.org_status) {
        let role = found.org_role.as_deref().map(str::parse::<OrganisationRole>).transpose().map_err(unreadable)?;
        context.organisation = Some(OrganisationStanding {
            id,
            status: life(status),
            role,
            sole_owner: found.owners.unwrap_or(0) <= 1,
            entered: found.entered.unwrap_or(false),
        });
    }
    if let (Some(id), Some(status), Some(owner)) =
        (context.scope.sandbox(), &found.sandbox_status, found.owner_account_id)
    {
        let owner = AccountId::from_uuid(owner);
        let is_owner = account == Some(owner);
        let governs = matches!(
            context.organisation.as_ref().and_then(|organisation| organisation.role),
            Some(OrganisationRole::Owner | OrganisationRole::Admin)
        );
        let access = if is_owner || governs { Some(Access::managing()) } else { granted(found)? };
        context.sandbox = Some(SandboxStanding {
            id,
            status: life(status),
            owner,
            is_owner,
            member: found.member_id.map(MemberId::from_uuid),
            access,
        });
    }
    context.governance = governance(found);
    Ok(())
}

fn granted(found: &Found) -> Result<Option<Access>> {
    let Some(role) = &found.member_role else {
        return Ok(None);
    };
    let row =
        Row::stored(role, found.areas.clone(), found.agents.as_deref(), found.edit.as_ref()).map_err(unreadable)?;
    Ok(Some(row.resolve()))
}

fn governance(found: &Found) -> Governance {
    // A stored null took the document away.
    let read = |stored: &Option<Value>, breadth| {
        stored.as_ref().filter(|value| !value.is_null()).map(|value| PolicyDocument::read(value, breadth))
    };
    let (organisation, sandbox) =
        (read(&found.org_policy, Breadth::Organisation), read(&found.sandbox_policy, Breadth::Sandbox));
    let invalid = [&organisation, &sandbox].into_iter().any(|document| matches!(document, Some(Err(_))));
    if invalid {
        tracing::error!("a stored policy document does not validate; the built-in policy applies in its place");
        metrics::counter!("bailiwick_policy_invalid_total").increment(1);
    }
    Governance {
        organisation: organisation.and_then(Result::ok),
        sandbox: sandbox.and_then(Result::ok),
        version: format!("{}/{}", found.org_policy_version.unwrap_or(0), found.sandbox_policy_version.unwrap_or(0)),
        invalid,
        stopped: Stop::read(found.org_stop.as_ref()).engaged() || Stop::read(found.sandbox_stop.as_ref()).engaged(),
    }
}

fn life(status: &str) -> Status {
    if status == "active" { Status::Active } else { Status::Terminating }
}

fn unreadable(error: impl std::fmt::Display) -> Error {
    Error::internal(anyhow::anyhow!("a stored row cannot be read: {error}"))
}
