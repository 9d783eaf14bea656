//! Routes of the trail.

use axum::extract::State;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use contract::code::Code;
use contract::id::{OrganisationId, RecordId, SandboxId};
use futures_util::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::IntoParams;
use utoipa_axum::routes;

use super::operations::{Filters, FollowRecords, Followed, ListRecords, ReadCheckpoint, ReadRecord, VerifyTrail};
use super::verify::{Progress, Verification, verify as verify_trail};
use super::wire::{AuditCheckpoint, AuditRecordInFull, AuditRecords, Opener};
use crate::error::Error;
use crate::gate::Result;
use crate::http::stream::respond;
use crate::http::{Api, App, Call, Page, Path, Problem, Query, cursor};

/// How often a follower looks by itself; what this process seals it hears of at once.
const FOLLOW: std::time::Duration = std::time::Duration::from_millis(750);

/// Routes of this slice.
pub fn routes() -> Api {
    Api::new()
        .routes(routes!(list))
        .routes(routes!(tail))
        .routes(routes!(verify))
        .routes(routes!(checkpoint))
        .routes(routes!(read))
}

/// What a list of records takes.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Account id, or `self`. Without wider access only one's own records are seen.
    actor: Option<String>,
    /// Name of an action, or a beginning of names such as `member.*`.
    action: Option<String>,
    /// Wire id of the target, or its kind.
    target: Option<String>,
    /// `done`, `denied`, `aborted` or `failed`.
    outcome: Option<String>,
    /// `allow`, `confirm` or `deny`.
    decision: Option<String>,
    /// From then on.
    from: Option<DateTime<Utc>>,
    /// Before then.
    to: Option<DateTime<Utc>>,
    /// Only this sandbox's records.
    sandbox: Option<SandboxId>,
    /// Most items: 1 to 200, 50 by default.
    limit: Option<u16>,
    /// Where to go on, from the answer before.
    cursor: Option<String>,
    /// Text within action, actor, target or reason.
    search: Option<String>,
}

impl ListQuery {
    fn filters(&self, search: Option<String>) -> Result<Filters> {
        let word = |name: &str, given: &Option<String>, known: &[&str]| match given.as_deref() {
            Some(word) if !known.contains(&word) => {
                Err(Error::invalid(name, Code::InvalidField, format!("One of {}.", known.join(", "))))
            }
            _ => Ok(given.clone()),
        };
        let text = |name: &str, given: &Option<String>| match given.as_deref() {
            Some(text) if text.len() > 200 || text.contains('\0') => {
                Err(Error::invalid(name, Code::InvalidText, "This cannot be looked for."))
            }
            _ => Ok(given.clone()),
        };
        let (action, action_prefix) = match text("?action", &self.action)?.as_deref() {
            None | Some("*") => (None, None),
            Some(name) => match name.strip_suffix('*') {
                Some(prefix) if prefix.ends_with('.') => (None, Some(prefix.to_owned())),
                Some(_) => {
                    return Err(Error::invalid("?action", Code::InvalidField, "A prefix ends in .* as in member.*"));
                }
                None => (Some(name.to_owned()), None),
            },
        };
        Ok(Filters {
            actor: text("?actor", &self.actor)?,
            action,
            action_prefix,
            target: text("?target", &self.target)?,
            outcome: word("?outcome", &self.outcome, &["done", "denied", "aborted", "failed", "parked"])?,
            decision: word("?decision", &self.decision, &["allow", "confirm", "deny"])?,
            from: self.from,
            to: self.to,
            search,
        })
    }
}

/// Records, newest first.
#[utoipa::path(get, path = "/organisations/{org}/audit", operation_id = "audit_list", tag = "audit",
    params(("org" = OrganisationId, Path), ListQuery),
    responses((status = 200, body = AuditRecords), (status = "4XX", body = Problem)))]
async fn list(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Query(query): Query<ListQuery>,
) -> Result<Response> {
    let page = Page { limit: query.limit, cursor: None, search: query.search.clone() };
    let before = query.cursor.as_deref().map(|text| cursor::decode::<RecordId>(&app.cursor_key, text)).transpose()?;
    let operation = ListRecords {
        organisation: org,
        sandbox: query.sandbox,
        filters: query.filters(page.search()?)?,
        before,
        limit: page.limit()?,
    };
    let found = app.gate.perform(call, operation).await?;
    let opener = Opener::new(&app.keys, org.uuid(), &found.output.keys);
    let items: Vec<_> = found.output.rows.iter().map(|row| opener.line(row)).collect();
    let next =
        items.last().filter(|_| found.output.more).map(|last| cursor::encode(&app.cursor_key, &last.id)).transpose()?;
    Ok(found.map(|_| AuditRecords { items, next_cursor: next }).ok())
}

/// Where a single record is looked at from.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct FromSandbox {
    /// The sandbox, for somebody who manages only that.
    sandbox: Option<SandboxId>,
}

/// One record in full.
#[utoipa::path(get, path = "/organisations/{org}/audit/{rec}", operation_id = "audit_read", tag = "audit",
    params(("org" = OrganisationId, Path), ("rec" = RecordId, Path), FromSandbox),
    responses((status = 200, body = AuditRecordInFull), (status = "4XX", body = Problem)))]
async fn read(
    State(app): State<App>,
    call: Call,
    Path((org, rec)): Path<(OrganisationId, RecordId)>,
    Query(from): Query<FromSandbox>,
) -> Result<Response> {
    let found = app.gate.perform(call, ReadRecord { organisation: org, sandbox: from.sandbox, record: rec }).await?;
    let opener = Opener::new(&app.keys, org.uuid(), &found.output.keys);
    let full = opener.full(org.uuid(), &found.output);
    Ok(found.map(|_| full).ok())
}

/// The newest signed checkpoint.
#[utoipa::path(get, path = "/organisations/{org}/audit/checkpoint", operation_id = "audit_checkpoint", tag = "audit",
    params(("org" = OrganisationId, Path)), responses((status = 200, body = AuditCheckpoint), (status = "4XX", body = Problem)))]
async fn checkpoint(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    let found = app.gate.perform(call, ReadCheckpoint { organisation: org }).await?;
    Ok(found.map(|found| Opener::new(&app.keys, org.uuid(), &[]).checkpoint(org.uuid(), found)).ok())
}

/// Verifies the whole trail of the organisation: `progress` events, then one `result`.
#[utoipa::path(post, path = "/organisations/{org}/audit/verify", operation_id = "audit_verify", tag = "audit",
    params(("org" = OrganisationId, Path)),
    responses((status = 200, content_type = "text/event-stream", body = Verification), (status = "4XX", body = Problem)))]
async fn verify(State(app): State<App>, call: Call, Path(org): Path<OrganisationId>) -> Result<Response> {
    app.gate.perform(call, VerifyTrail { organisation: org }).await?;
    let trail = app.trail.clone();
    let permit = std::sync::Arc::clone(&trail.verifications)
        .try_acquire_owned()
        .map_err(|_| Error::limited(std::time::Duration::from_secs(10)))?;
    let (tell, heard) = mpsc::channel::<Progress>(4);
    let work = async move {
        let remembered = trail.remembered(org.uuid()).await?;
        // A reader who is slow misses steps, and never holds the work up.
        let told = move |progress| {
            let _ = tell.try_send(progress);
        };
        let found = verify_trail(&trail.pool, Some(&trail.keys), remembered, org.uuid(), told).await;
        drop(permit);
        found
    };
    let events = futures_util::stream::unfold((heard, Some(Box::pin(work))), |(mut heard, work)| async move {
        let mut work = work?;
        tokio::select! {
            biased;
            Some(progress) = heard.recv() => Some((vec![event("progress", &progress)], (heard, Some(work)))),
            outcome = &mut work => {
                // What was told last comes before the result that it led to.
                let mut last = Vec::new();
                while let Ok(progress) = heard.try_recv() {
                    last.push(event("progress", &progress));
                }
                last.push(concluding(outcome));
                Some((last, (heard, None)))
            }
        }
    });
    Ok(respond(app.stop.clone(), events.flat_map(futures_util::stream::iter)).into_response())
}

fn concluding(outcome: Result<Verification>) -> Event {
    match outcome {
        Ok(found) => event("result", &found),
        Err(error) => {
            tracing::error!(error = %error, "a verification could not be finished");
            event("failed", &Code::Unavailable)
        }
    }
}

fn event<T: Serialize>(name: &str, value: &T) -> Event {
    Event::default().event(name).data(serde_json::to_string(value).unwrap_or_default())
}

/// Follows the trail: a `record` event for each record as it is sealed, `revoked` when the reader may no longer look.
#[utoipa::path(get, path = "/organisations/{org}/audit/tail", operation_id = "audit_tail", tag = "audit",
    params(("org" = OrganisationId, Path), FromSandbox),
    responses((status = 200, content_type = "text/event-stream", body = super::wire::AuditRecord), (status = "4XX", body = Problem)))]
async fn tail(
    State(app): State<App>,
    call: Call,
    Path(org): Path<OrganisationId>,
    Query(from): Query<FromSandbox>,
) -> Result<Response> {
    let sealed = app.trail.sealed();
    let ask = FollowRecords { organisation: org, sandbox: from.sandbox, after: None };
    let start = app.gate.perform(call.clone(), ask).await?.output.position;
    let stop = app.stop.clone();
    let follower = Follower { app, call, organisation: org, sandbox: from.sandbox, position: start, sealed };
    Ok(respond(stop, follower.events()).into_response())
}

struct Follower {
    app: App,
    call: Call,
    organisation: OrganisationId,
    sandbox: Option<SandboxId>,
    position: i64,
    sealed: tokio::sync::watch::Receiver<u64>,
}

impl Follower {
    fn events(self) -> impl Stream<Item = Event> + Send {
        futures_util::stream::unfold(Some(self), |follower| async move {
            let mut follower = follower?;
            // Every look is a read through the gate, so a reader whose access ended is told within the second.
            match follower.look().await {
                Ok(events) => Some((events, Some(follower))),
                Err(_) => Some((vec![Event::default().event("revoked").data("{}")], None)),
            }
        })
        .flat_map(futures_util::stream::iter)
    }

    async fn look(&mut self) -> Result<Vec<Event>> {
        tokio::select! {
            _ = self.sealed.changed() => {}
            () = tokio::time::sleep(FOLLOW) => {}
        }
        let ask = FollowRecords { organisation: self.organisation, sandbox: self.sandbox, after: Some(self.position) };
        let Followed { position, rows } = self.app.gate.perform(self.call.clone(), ask).await?.output;
        self.position = position;
        let opener = Opener::new(&self.app.keys, self.organisation.uuid(), &rows.keys);
        Ok(rows.rows.iter().map(|row| event("record", &opener.line(row))).collect())
    }
}
