//! The gate's nets, each against real PostgreSQL and each as the application's own role.

use axum::http::{Method, StatusCode};
use contract::access::OrganisationRole;
use contract::id::{AreaId, OrganisationId, RecordId, SandboxId};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use super::*;
use crate::testing::{Persona, World};

fn call(persona: &Persona) -> Call {
    Call { caller: Caller::Person(Claim::of_session(persona.account, persona.sign_in)), ..Call::job("test") }
}

struct Place {
    world: World,
    owner: Persona,
    org: OrganisationId,
    sbx: SandboxId,
}

async fn place() -> Place {
    let world = World::new().await;
    let owner = world.person("owner@example.org").await;
    let org = world.organisation(&owner, "Acme").await;
    let sbx = world.sandbox(org, &owner, "Web").await;
    Place { world, owner, org, sbx }
}

async fn as_app(place: &Place, tenant: Uuid) -> PgConnection {
    let mut connection = PgConnection::connect_with(&place.world.app.config.database.app.options()).await.unwrap();
    sqlx::query("select set_config('app.org', $1, false)")
        .bind(tenant.to_string())
        .execute(&mut connection)
        .await
        .unwrap();
    connection
}

async fn count(place: &Place, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&place.world.admin).await.unwrap()
}

/// Makes an area, or misbehaves.
#[derive(serde::Serialize, serde::Deserialize)]
struct MakeArea {
    org: OrganisationId,
    sbx: SandboxId,
    id: AreaId,
    early: bool,
    own: Decision,
}

async fn insert_area<M>(operation: &MakeArea, tx: &mut Tx<M>) -> Result<()> {
    sqlx::query("insert into area (org_id, sandbox_id, id, name, created_at) values ($1, $2, $3, $4, now())")
        .bind(operation.org.uuid())
        .bind(operation.sbx.uuid())
        .bind(operation.id.uuid())
        .bind(operation.id.to_string())
        .execute(tx.conn())
        .await?;
    Ok(())
}

macro_rules! area_operation {
    ($name:ident, $action:ident, $mode:ident) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct $name(MakeArea);
        impl Operation for $name {
            const ACTION: Action = Action::$action;
            type Mode = $mode;
            type Facts = ();
            type Output = AreaId;
            fn scope(&self) -> Scope {
                Scope::Sandbox(self.0.org, self.0.sbx)
            }
            fn parameters(&self) -> Parameters {
                Parameters::from_iter([
                    ("area".to_owned(), json!(self.0.id)),
                    ("colour".to_owned(), json!("vermilion")),
                ])
            }
            async fn facts(&self, _: &Context, tx: &mut Tx<$mode>) -> Result<()> {
                if self.0.early { insert_area(&self.0, tx).await } else { Ok(()) }
            }
            fn decide(&self, _: &Context, (): &()) -> Decision {
                self.0.own
            }
            async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<$mode>) -> Result<AreaId> {
                insert_area(&permit.operation().0, tx).await?;
                Ok(permit.operation().0.id)
            }
        }
    };
}

area_operation!(Written, AreaCreate, Write);
area_operation!(WrittenInARead, AreaList, Read);
area_operation!(WrittenHot, AreaList, Hot);
area_operation!(Spent, AreaCreate, Spend);

fn make(place: &Place) -> MakeArea {
    MakeArea { org: place.org, sbx: place.sbx, id: fresh(), early: false, own: Decision::Allow }
}

#[tokio::test]
async fn a_change_and_its_record_commit_together() {
    let place = place().await;
    let done = place.world.app.gate.perform(call(&place.owner), Written(make(&place))).await.unwrap();
    let (record, parameters): (Uuid, String) =
        sqlx::query_as("select record_id, convert_from(bytes, 'UTF8') from audit_record where action = 'area.create' and outcome = 'done'")
            .fetch_one(&place.world.admin)
            .await
            .unwrap();
    assert_eq!(RecordId::from_uuid(record), done.receipt.unwrap().record_id);
    assert!(parameters.contains(&done.output.to_string()));
    assert!(!parameters.contains("vermilion"), "what the line does not list is absent: {parameters}");
    assert!(!parameters.contains("owner@example.org"), "personal fields are sealed: {parameters}");
}

#[tokio::test]
async fn a_refused_change_leaves_its_record_and_nothing_else() {
    let place = place().await;
    let refused =
        Written(MakeArea { early: true, own: Decision::Deny(contract::code::Code::AreaInUse), ..make(&place) });
    let error = place.world.app.gate.perform(call(&place.owner), refused).await.unwrap_err();
    assert!(matches!(error, Error::Denied(_)), "{error}");
    assert_eq!(count(&place, "select count(*) from area").await, 0);
    assert_eq!(place.world.records("area.create", "denied").await, 1);
}

#[tokio::test]
async fn a_stranger_learns_nothing_and_cannot_fill_a_tenants_trail() {
    let place = place().await;
    let stranger = place.world.person("stranger@example.org").await;
    let error = place.world.app.gate.perform(call(&stranger), Written(make(&place))).await.unwrap_err();
    assert!(matches!(error, Error::NotFound), "{error}");
    assert_eq!(count(&place, "select count(*) from audit_record where outcome = 'denied' and org_id = '00000000-0000-0000-0000-000000000000'").await, 1);
    let visitor = Call { caller: Caller::Visitor, ..Call::job("test") };
    let error = place.world.app.gate.perform(visitor, Written(make(&place))).await.unwrap_err();
    assert!(matches!(error, Error::Unauthenticated), "{error}");
}

#[tokio::test]
async fn an_id_of_another_tenants_sandbox_does_not_reach_its_chain() {
    let place = place().await;
    let rival = place.world.person("rival@example.org").await;
    let own = place.world.organisation(&rival, "Rival").await;
    let crossed = Written(MakeArea { org: own, ..make(&place) });
    let error = place.world.app.gate.perform(call(&rival), crossed).await.unwrap_err();
    assert!(matches!(error, Error::NotFound), "{error}");
    let (organisation, sandbox): (Uuid, Option<Uuid>) =
        sqlx::query_as("select org_id, sandbox_id from audit_record where outcome = 'denied'")
            .fetch_one(&place.world.admin)
            .await
            .unwrap();
    assert_eq!((organisation, sandbox), (own.uuid(), None));
}

#[tokio::test]
async fn a_read_cannot_write_and_a_hot_path_reaches_only_its_tables() {
    let place = place().await;
    let code = |error: Error| match error {
        Error::Internal(error) => error
            .downcast_ref::<sqlx::Error>()
            .and_then(|error| error.as_database_error()?.code().map(|code| code.to_string()))
            .unwrap_or_default(),
        other => other.to_string(),
    };
    let gate = &place.world.app.gate;
    assert_eq!(code(gate.perform(call(&place.owner), WrittenInARead(make(&place))).await.unwrap_err()), "25006");
    assert_eq!(code(gate.perform(call(&place.owner), WrittenHot(make(&place))).await.unwrap_err()), "42501");
    assert_eq!(count(&place, "select count(*) from area").await, 0);
}

#[tokio::test]
async fn spends_share_a_commit_and_not_a_verdict() {
    let place = place().await;
    let gate = &place.world.app.gate;
    let spends = (0..40).map(|number| {
        let own = if number % 4 == 0 { Decision::Deny(contract::code::Code::AreaInUse) } else { Decision::Allow };
        gate.perform(call(&place.owner), Spent(MakeArea { own, ..make(&place) }))
    });
    let answers = futures_util::future::join_all(spends).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 30);
    assert_eq!(count(&place, "select count(*) from area").await, 30);
    assert_eq!(place.world.records("area.create", "done").await, 30);
    assert_eq!(place.world.records("area.create", "denied").await, 10);
}

#[tokio::test]
async fn row_level_security_holds_for_a_query_that_forgot_the_tenant() {
    let place = place().await;
    let other = place.world.person("other@example.org").await;
    let foreign = place.world.organisation(&other, "Other").await;
    place.world.sandbox(foreign, &other, "Theirs").await;
    let mut app = as_app(&place, place.org.uuid()).await;
    let names: Vec<String> = sqlx::query_scalar("select name from sandbox").fetch_all(&mut app).await.unwrap();
    assert_eq!(names, ["Web"]);
    let organisations: i64 = sqlx::query_scalar("select count(*) from organisation").fetch_one(&mut app).await.unwrap();
    assert_eq!(organisations, 1);
    let people: i64 = sqlx::query_scalar("select count(*) from account").fetch_one(&mut app).await.unwrap();
    assert_eq!(people, 1, "only colleagues");
    let moved = sqlx::query("update sandbox set name = 'x' where name = 'Theirs'").execute(&mut app).await.unwrap();
    assert_eq!(moved.rows_affected(), 0);
    let nobody = PgConnection::connect_with(&place.world.app.config.database.app.options()).await;
    let rows: i64 = sqlx::query_scalar("select count(*) from sandbox").fetch_one(&mut nobody.unwrap()).await.unwrap();
    assert_eq!(rows, 0, "without a tenant there is nothing");
}

#[tokio::test]
async fn a_change_without_a_record_does_not_commit() {
    let place = place().await;
    let mut app = as_app(&place, place.org.uuid()).await;
    let error = sqlx::query("update sandbox set name = 'x' where org_id = $1")
        .bind(place.org.uuid())
        .execute(&mut app)
        .await
        .unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().as_deref(), Some("BW002"));
    for sql in [
        "update account set name = 'x' where id in (select account_id from organisation_member)",
        "delete from organisation_member",
        "insert into emergency (org_id, scope_id, state) select org_id, org_id, '{}' from organisation",
    ] {
        sqlx::query("select set_config('app.account', $1, false)")
            .bind(place.owner.account.uuid().to_string())
            .execute(&mut app)
            .await
            .unwrap();
        assert!(sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut app).await.is_err(), "{sql}");
    }
    assert_eq!(count(&place, "select count(*) from sandbox where name = 'x'").await, 0);
}

#[tokio::test]
async fn history_cannot_be_rewritten_by_the_application() {
    let place = place().await;
    place.world.app.gate.perform(call(&place.owner), Written(make(&place))).await.unwrap();
    let mut app = as_app(&place, place.org.uuid()).await;
    for sql in [
        "update audit_record set action = 'x'",
        "delete from audit_record",
        "truncate audit_record",
        "delete from audit_link",
        "delete from policy_document",
    ] {
        let outcome = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut app).await;
        let untouched = matches!(&outcome, Err(error) if error.as_database_error().is_some())
            || outcome.is_ok_and(|done| done.rows_affected() == 0);
        assert!(untouched, "{sql}");
    }
    assert_eq!(place.world.records("area.create", "done").await, 1);
}

/// Tables without a fence or without the trigger, each with its reason. These lists only shrink.
const UNFENCED: &[(&str, &str)] = &[
    ("ceremony", "named by an unguessable id; holds no tenant's data"),
    ("first_owner_link", "the installation's; holds a keyed hash"),
    ("session", "named by the hash of an unguessable id"),
    ("revocation", "ids only; every replica has to see all of them"),
    ("audit_lease", "who seals which shard; the application's role cannot reach it"),
    ("key_canary", "a check value; the same for the whole installation"),
    ("_sqlx_migrations", "the migrator's own"),
];
const UNRECORDED: &[(&str, &str)] = &[
    ("ceremony", "the gap between two halves of a prompt"),
    ("session", "a cookie's pointer to a sign-in, which is recorded"),
    ("session_entry", "written by the recorded session.enter"),
    ("revocation", "a signal of recorded changes"),
    ("idempotency", "an answer kept beside a recorded change"),
    ("proposal", "recorded at its terminal outcome"),
    ("proposal_approval", "part of a proposal"),
    ("_sqlx_migrations", "the migrator's own"),
];

#[tokio::test]
async fn every_table_is_fenced_and_recorded_or_says_why_not() {
    let place = place().await;
    let tables: Vec<(String, bool, bool)> = sqlx::query_as(
        "select c.relname, c.relrowsecurity,
                exists (select 1 from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid and p.proname = 'require_audit')
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition",
    )
    .fetch_all(&place.world.admin)
    .await
    .unwrap();
    assert!(tables.len() > 25);
    for (table, fenced, recorded) in &tables {
        assert_ne!(*fenced, UNFENCED.iter().any(|(name, _)| name == table), "row-level security of {table}");
        // The trail cannot record itself.
        let is_trail =
            table.starts_with("audit_") || matches!(table.as_str(), "person_key" | "tenant_key" | "key_canary");
        assert_ne!(*recorded, is_trail || UNRECORDED.iter().any(|(name, _)| name == table), "audit trigger of {table}");
    }
    for (name, _) in UNFENCED.iter().chain(UNRECORDED) {
        assert!(tables.iter().any(|(table, ..)| table == name), "{name} no longer exists");
    }
}

#[tokio::test]
async fn a_repeated_request_gets_its_first_answer() {
    let place = place().await;
    let path = format!("/organisations/{}/emergency/engage", place.org);
    let body = || Some(br#"{"reason":"drill"}"#.to_vec());
    let key = [("idempotency-key", "k-1")];
    let first = place.owner.send(Method::POST, &path, &key, body()).await;
    let second = place.owner.send(Method::POST, &path, &key, body()).await;
    assert_eq!((first.status, second.status), (StatusCode::OK, StatusCode::OK), "{second:?}");
    assert_eq!(first.json, second.json);
    assert_eq!(first.headers["audit-receipt"], second.headers["audit-receipt"]);
    assert_eq!(place.world.records("emergency.engage", "done").await, 1);
    let other = place.owner.send(Method::POST, &path, &key, Some(br#"{"reason":"other"}"#.to_vec())).await;
    assert_eq!((other.status, other.code()), (StatusCode::CONFLICT, "idempotency_reused"));
}

#[tokio::test]
async fn an_ended_or_expired_sign_in_is_nobody_from_the_next_request_on() {
    let place = place().await;
    let path = format!("/organisations/{}/emergency", place.org);
    assert_eq!(place.owner.get(&path).await.status, StatusCode::OK);
    place.world.clock.advance(chrono::TimeDelta::hours(13));
    assert_eq!(place.owner.get(&path).await.status, StatusCode::UNAUTHORIZED);
    place.world.clock.advance(chrono::TimeDelta::hours(-13));
    assert_eq!(place.owner.get(&path).await.status, StatusCode::OK);
    sqlx::query("update sign_in set ended_at = now() where id = $1")
        .bind(place.owner.sign_in.uuid())
        .execute(&place.world.admin)
        .await
        .unwrap();
    assert_eq!(place.owner.get(&path).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_sign_in_is_noted_once_in_each_organisation_that_it_enters() {
    let place = place().await;
    let path = format!("/organisations/{}/emergency", place.org);
    let looks = (0..5).map(|_| place.owner.get(&path));
    futures_util::future::join_all(looks).await;
    place.owner.get(&path).await;
    assert_eq!(place.world.records("session.enter", "done").await, 1);
}

#[tokio::test]
async fn an_auditor_sees_and_changes_nothing() {
    let place = place().await;
    let auditor = place.world.person("auditor@example.org").await;
    place.world.belongs(place.org, auditor.account, OrganisationRole::Auditor).await;
    assert_eq!(auditor.get(&format!("/organisations/{}/policy", place.org)).await.status, StatusCode::OK);
    let refused =
        auditor.post(&format!("/organisations/{}/emergency/engage", place.org), json!({"reason": "drill"})).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::FORBIDDEN, "insufficient_access"));
}
