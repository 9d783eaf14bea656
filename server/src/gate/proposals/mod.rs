//! Proposals: operations that wait for a person's presence. Stored by the gate, confirmed against a challenge that is
//! derived from everything they would do, decided again for proposer and approver, and carried out once.

mod store;

use chrono::TimeDelta;
use contract::code::Code;
use contract::id::{AccountId, OrganisationId, ProposalId, RecordId, SandboxId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::attempt::{Pending, refuse};
use super::caller::{Call, Lang};
use super::context::Context;
use super::decide::Decision;
use super::entry::{self, Ended};
use super::operation::{Description, Operation, Scope, Tx, Write, fresh};
use super::policy::Action;
use super::record::{Outcome, Receipt};
use super::registry::{Expected, is_over};
use super::transaction::Fence;
use super::{Gate, Performed, Result, Timestamp, standing};
use crate::crypto::passkey::{Credential, PasskeyError};
use crate::error::Error;

/// Most proposals that one person may leave open in one organisation.
const MAX_OPEN: i64 = 50;

/// What a client is told when a confirmation is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalNotice {
    /// Which proposal to confirm.
    pub proposal_id: ProposalId,
    /// Its organisation.
    pub organisation_id: OrganisationId,
    /// What will happen, in the reader's language.
    pub description: String,
    /// How many different people have to confirm.
    pub requires: i32,
}

/// What a confirmation led to.
pub enum Confirmed {
    /// Carried out: the operation's own answer.
    Executed(Performed<Value>),
    /// One more person is needed; the proposal stays open.
    Parked,
}

#[derive(FromRow)]
struct Row {
    action: String,
    version: i32,
    operation: Value,
    sandbox_id: Option<Uuid>,
    description: Value,
    digest: Vec<u8>,
    nonce: Vec<u8>,
    policy_version: String,
    target_revision: Option<i64>,
    requires: i32,
    proposed_by: Uuid,
    state: String,
    expires_at: Timestamp,
    frozen_at: Option<Timestamp>,
}

/// What an approver was challenged with.
#[derive(Serialize, Deserialize)]
struct Ceremony {
    nonce: String,
    expires_at: Timestamp,
}

/// A loaded proposal with what it means.
struct Open {
    id: ProposalId,
    organisation: OrganisationId,
    action: Action,
    row: Row,
}

impl Open {
    fn scope(&self) -> Scope {
        scope(self.organisation, self.row.sandbox_id)
    }

    fn proposer(&self) -> AccountId {
        AccountId::from_uuid(self.row.proposed_by)
    }
}

fn scope(organisation: OrganisationId, sandbox: Option<Uuid>) -> Scope {
    match sandbox {
        Some(sandbox) => Scope::Sandbox(organisation, SandboxId::from_uuid(sandbox)),
        None => Scope::Organisation(organisation),
    }
}

/// SHA-256 of the canonical proposal: action, scope, every parameter, policy version, target's revision, id and nonce.
fn digest(id: ProposalId, row: &Row, scope: Scope) -> Result<[u8; 32]> {
    let canonical = serde_json_canonicalizer::to_vec(&json!({
        "action": row.action,
        "version": row.version,
        "scope": { "organisation": scope.organisation(), "sandbox": scope.sandbox() },
        "operation": row.operation,
        "policyVersion": row.policy_version,
        "targetRevision": row.target_revision.map(|revision| revision.to_string()),
        "requires": row.requires,
        "proposal": id,
        "proposedBy": AccountId::from_uuid(row.proposed_by),
        "nonce": hex::encode(&row.nonce),
    }))
    .map_err(Error::internal)?;
    Ok(Sha256::digest(canonical).into())
}

/// What one approver signs: SHA-256 over the digest, who they are, and a nonce of this ceremony.
fn challenge(digest: &[u8], approver: AccountId, nonce: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(digest).chain_update(approver.uuid().as_bytes()).chain_update(nonce).finalize().into()
}

impl Gate {
    /// Stores an operation that has to be confirmed, in a transaction of its own, and answers what to tell the client.
    pub(super) async fn propose<O: Operation>(
        &self,
        call: &Call,
        operation: &O,
        pending: Pending,
    ) -> Result<ProposalNotice> {
        let (at, id) = (self.now(), fresh::<ProposalId>());
        let scope = operation.scope();
        let (Some(organisation), Some(account)) = (scope.organisation(), call.account()) else {
            return Err(Error::internal(anyhow::anyhow!("{} cannot be proposed here", O::ACTION)));
        };
        self.registry().get(O::ACTION)?;
        let mut row = Row {
            action: O::ACTION.name().to_owned(),
            version: O::VERSION,
            operation: serde_json::to_value(operation).map_err(Error::internal)?,
            sandbox_id: scope.sandbox().map(SandboxId::uuid),
            description: serde_json::to_value(&pending.description).map_err(Error::internal)?,
            digest: Vec::new(),
            nonce: rand::random::<[u8; 32]>().to_vec(),
            policy_version: pending.policy,
            target_revision: pending.revision,
            requires: i32::from(pending.people),
            proposed_by: account.uuid(),
            state: "open".to_owned(),
            expires_at: at + self.settings().confirmation,
            frozen_at: None,
        };
        row.digest = digest(id, &row, scope)?.to_vec();
        retry!(self.store_once(call, scope, (organisation, id), &row, at).await)?;
        Ok(ProposalNotice {
            proposal_id: id,
            organisation_id: organisation,
            description: in_language(&pending.description, call.lang),
            requires: i32::from(pending.people),
        })
    }

    async fn store_once(
        &self,
        call: &Call,
        scope: Scope,
        (organisation, id): (OrganisationId, ProposalId),
        row: &Row,
        at: Timestamp,
    ) -> Result<()> {
        let mut tx = self.core().begin::<Write>(Fence::of(call, scope)).await?;
        let open: i64 = sqlx::query_scalar(
            "select count(*) from proposal where org_id = $1 and proposed_by = $2 and state = 'open' and expires_at > $3",
        )
        .bind(organisation.uuid())
        .bind(row.proposed_by)
        .bind(at)
        .fetch_one(tx.conn())
        .await?;
        if open >= MAX_OPEN {
            return Err(Error::conflict(
                Code::Busy,
                "Too many of your proposals wait for a confirmation. Confirm or reject some first.",
            ));
        }
        store::insert(tx.conn(), organisation, id, row, at).await?;
        self.core().commit(tx).await
    }

    /// Gives the caller a fresh challenge for a proposal: WebAuthn request options bound to it and to them.
    ///
    /// # Errors
    /// Not found, closed, expired, denied, or a caller without a passkey.
    pub async fn challenge(&self, call: &Call, organisation: OrganisationId, id: ProposalId) -> Result<Value> {
        let (at, nonce) = (self.now(), rand::random::<[u8; 32]>());
        retry!(self.challenge_once(call, (organisation, id), &nonce, at).await)
    }

    async fn challenge_once(
        &self,
        call: &Call,
        (organisation, id): (OrganisationId, ProposalId),
        nonce: &[u8; 32],
        at: Timestamp,
    ) -> Result<Value> {
        let mut tx = self.core().begin::<Write>(Fence::of(call, Scope::Organisation(organisation))).await?;
        let (open, approver) = self.open(&mut tx, call, organisation, id, at).await?;
        let account = approver.account()?;
        let credentials: Vec<Credential> =
            store::passkeys(tx.conn(), account).await?.into_iter().map(|(_, key)| key).collect();
        let asked = challenge(&open.row.digest, account, nonce);
        let (options, _) = self.passkeys().start_confirmation(&credentials, asked).map_err(unconfirmed)?;
        let ceremony = Ceremony { nonce: hex::encode(nonce), expires_at: at + self.settings().confirmation };
        sqlx::query(
            "insert into proposal_approval (org_id, proposal_id, account_id, ceremony) values ($1, $2, $3, $4)
             on conflict (org_id, proposal_id, account_id) do update set ceremony = excluded.ceremony",
        )
        .bind(organisation.uuid())
        .bind(id.uuid())
        .bind(account.uuid())
        .bind(serde_json::to_value(&ceremony).map_err(Error::internal)?)
        .execute(tx.conn())
        .await?;
        self.core().commit(tx).await?;
        Ok(options)
    }

    /// Verifies a person's answer and, when enough different people have answered, carries the proposal out.
    ///
    /// # Errors
    /// Besides those of the operation: closed, expired, void, or an answer that proves nothing.
    pub async fn confirm(
        &self,
        call: &Call,
        organisation: OrganisationId,
        id: ProposalId,
        answer: &Value,
    ) -> Result<Confirmed> {
        let now = (self.now(), fresh::<RecordId>());
        match retry!(self.confirm_once(call, (organisation, id), answer, now).await) {
            Ok(Some(confirmed)) => {
                if let Confirmed::Executed(Performed { receipt: Some(receipt), .. }) = &confirmed {
                    self.core().hand_over(receipt);
                }
                Ok(confirmed)
            }
            Ok(None) => {
                self.close(call, (organisation, id), "void", Code::ProposalVoid).await?;
                Err(Error::conflict(
                    Code::ProposalVoid,
                    "Policy, access or the thing itself changed since this was proposed. Look again and propose it anew.",
                ))
            }
            Err(error) => {
                if let Error::Denied(code) = &error {
                    self.record_unconfirmed(call, organisation, id, *code, now).await;
                }
                Err(error)
            }
        }
    }

    /// None where the proposal can no longer be carried out as it was proposed.
    async fn confirm_once(
        &self,
        call: &Call,
        (organisation, id): (OrganisationId, ProposalId),
        answer: &Value,
        (at, record): (Timestamp, RecordId),
    ) -> Result<Option<Confirmed>> {
        let mut tx = self.core().begin::<Write>(Fence::of(call, Scope::Organisation(organisation))).await?;
        let (open, approver) = self.open(&mut tx, call, organisation, id, at).await?;
        let account = approver.account()?;
        self.prove(&mut tx, &open, account, answer, at).await?;
        let approved = store::approve(tx.conn(), organisation, id, account, at).await?;
        let proposer = if open.proposer() == account {
            approver
        } else {
            standing::of_account(tx.conn(), open.proposer(), &approver).await?
        };
        let stored = self.registry().get(open.action)?;
        if proposer.governance().version != open.row.policy_version || stored.version() != open.row.version {
            return Ok(None);
        }
        let execute = i32::try_from(approved.len()).is_ok_and(|approved| approved >= open.row.requires);
        let expected = Expected { revision: open.row.target_revision, execute };
        let redone = match stored.redo(&open.row.operation, &proposer, expected, &mut tx).await {
            Err(Error::Denied(_) | Error::Stale | Error::NotFound | Error::Unauthenticated) => return Ok(None),
            other => other?,
        };
        let Some(output) = redone.output else {
            store::park(tx.conn(), organisation, id, at, at + self.settings().parked).await?;
            self.core().commit(tx).await?;
            return Ok(Some(Confirmed::Parked));
        };
        store::finish(tx.conn(), organisation, id, "executed", None, at).await?;
        let ended = Ended {
            record,
            proposal: id,
            proposer: open.proposer(),
            action: open.action,
            target: redone.target,
            parameters: redone.parameters,
            personal: redone.personal,
            approved_by: approved,
            outcome: Outcome::Done,
            reason: None,
            request: call.request.as_deref(),
        };
        let receipt = self.core().record(tx.conn(), &entry::ended(&proposer, ended)).await?;
        self.core().commit(tx).await?;
        Ok(Some(Confirmed::Executed(Performed { output, receipt: Some(receipt) })))
    }

    /// Ends a proposal without carrying it out. Everything else stays byte for byte as it was.
    ///
    /// # Errors
    /// Not found, closed, denied.
    pub async fn reject(&self, call: &Call, organisation: OrganisationId, id: ProposalId) -> Result<()> {
        let at = self.now();
        retry!(self.check_once(call, organisation, id, at).await)?;
        self.close(call, (organisation, id), "rejected", Code::Rejected).await
    }

    async fn check_once(&self, call: &Call, organisation: OrganisationId, id: ProposalId, at: Timestamp) -> Result<()> {
        let mut tx = self.core().begin::<Write>(Fence::of(call, Scope::Organisation(organisation))).await?;
        self.open(&mut tx, call, organisation, id, at).await?;
        self.core().commit(tx).await
    }

    /// Ends the proposals whose time is over. Run by the server's own clockwork.
    ///
    /// # Errors
    /// The database's.
    pub async fn expire_proposals(&self) -> Result<()> {
        let due: Vec<(Uuid, Uuid)> = sqlx::query_as("select org_id, proposal_id from overdue_proposals($1)")
            .bind(self.now())
            .fetch_all(&self.core().pool)
            .await?;
        for (organisation, id) in due {
            let which = (OrganisationId::from_uuid(organisation), ProposalId::from_uuid(id));
            self.close(&Call::job("proposals"), which, "expired", Code::Expired).await?;
        }
        Ok(())
    }

    /// Moves an open proposal to a terminal state with its one record. One that is no longer open is left alone.
    async fn close(&self, call: &Call, which: (OrganisationId, ProposalId), state: &str, reason: Code) -> Result<()> {
        let now = (self.now(), fresh::<RecordId>());
        let receipt = retry!(self.close_once(call, which, (state, reason), now).await)?;
        if let Some(receipt) = receipt {
            self.core().hand_over(&receipt);
        }
        Ok(())
    }

    async fn close_once(
        &self,
        call: &Call,
        (organisation, id): (OrganisationId, ProposalId),
        (state, reason): (&str, Code),
        (at, record): (Timestamp, RecordId),
    ) -> Result<Option<Receipt>> {
        let mut tx = self.core().begin::<Write>(Fence::of(call, Scope::Organisation(organisation))).await?;
        let Some(open) = store::load(tx.conn(), organisation, id).await?.filter(|open| open.row.state == "open") else {
            return Ok(None);
        };
        store::finish(tx.conn(), organisation, id, state, Some(reason), at).await?;
        let base = Context::new(call, open.scope(), at);
        let proposer = standing::of_account(tx.conn(), open.proposer(), &base).await?;
        let (target, parameters) = self.registry().get(open.action)?.outline(&open.row.operation)?;
        let ended = Ended {
            record,
            proposal: id,
            proposer: open.proposer(),
            action: open.action,
            target,
            parameters,
            personal: Vec::new(),
            approved_by: Vec::new(),
            outcome: Outcome::Aborted,
            reason: Some(reason),
            request: call.request.as_deref(),
        };
        let receipt = self.core().record(tx.conn(), &entry::ended(&proposer, ended)).await?;
        self.core().commit(tx).await?;
        Ok(Some(receipt))
    }

    /// A confirmation that proved nothing is on record. If that cannot be written the refusal stands all the same.
    async fn record_unconfirmed(
        &self,
        call: &Call,
        organisation: OrganisationId,
        id: ProposalId,
        code: Code,
        (at, record): (Timestamp, RecordId),
    ) {
        let scope = Scope::Organisation(organisation);
        let entry = entry::unconfirmed(call, scope, id, code, (at, record));
        self.record_apart(Fence::of(call, scope), entry).await;
    }

    /// An open proposal that the caller may answer, with the caller's standing in its scope.
    async fn open(
        &self,
        tx: &mut Tx<Write>,
        call: &Call,
        organisation: OrganisationId,
        id: ProposalId,
        at: Timestamp,
    ) -> Result<(Open, Context)> {
        let wide = standing::of_call(tx.conn(), call, Scope::Organisation(organisation), at).await?;
        refuse(wide.verdict(Action::ProposalConfirm, Decision::Allow).decision)?;
        let open = store::load(tx.conn(), organisation, id).await?.ok_or(Error::NotFound)?;
        let approver = match open.scope() {
            Scope::Organisation(_) => wide,
            narrow => standing::of_call(tx.conn(), call, narrow, at).await?,
        };
        refuse(approver.verdict(open.action, Decision::Allow).decision)?;
        if open.row.state != "open" {
            return Err(Error::conflict(Code::ProposalClosed, "This proposal has already been decided."));
        }
        if open.row.frozen_at.is_none() && is_over(open.row.expires_at, at) {
            return Err(Error::gone(Code::ProposalExpired, "This proposal has expired. Propose it anew."));
        }
        Ok((open, approver))
    }

    /// Checks the answer against this proposal, this person and this ceremony. The ceremony is used up by it.
    async fn prove(
        &self,
        tx: &mut Tx<Write>,
        open: &Open,
        account: AccountId,
        answer: &Value,
        at: Timestamp,
    ) -> Result<()> {
        let used: Option<Option<Value>> = sqlx::query_scalar(
            "select ceremony from proposal_approval where org_id = $1 and proposal_id = $2 and account_id = $3",
        )
        .bind(open.organisation.uuid())
        .bind(open.id.uuid())
        .bind(account.uuid())
        .fetch_optional(tx.conn())
        .await?;
        let ceremony: Ceremony = used
            .flatten()
            .and_then(|value| serde_json::from_value(value).ok())
            .ok_or_else(|| Error::denied(Code::ConfirmationInvalid))?;
        let nonce = hex::decode(&ceremony.nonce).map_err(|_| Error::denied(Code::ConfirmationInvalid))?;
        let bound = digest(open.id, &open.row, open.scope())?;
        if ceremony.expires_at <= at || bound.as_slice() != open.row.digest {
            return Err(Error::denied(Code::ConfirmationInvalid));
        }
        let asked = challenge(&bound, account, &nonce);
        let stored = store::passkeys(tx.conn(), account).await?;
        let credentials: Vec<Credential> = stored.iter().map(|(_, credential)| credential.clone()).collect();
        // The challenge is derived again from the stored proposal, so that nothing but that proposal can be confirmed.
        let (_, state) = self.passkeys().start_confirmation(&credentials, asked).map_err(unconfirmed)?;
        let verified = self.passkeys().finish_confirmation(answer, &state, &credentials).map_err(unconfirmed)?;
        let id = stored.iter().find(|(_, credential)| credential.id() == verified.credential.id()).map(|(id, _)| *id);
        sqlx::query("update passkey set credential = $3, last_used_at = $4 where id = $1 and account_id = $2")
            .bind(id)
            .bind(account.uuid())
            .bind(serde_json::to_value(&verified.credential).map_err(Error::internal)?)
            .bind(at)
            .execute(tx.conn())
            .await?;
        Ok(())
    }
}

fn unconfirmed(error: PasskeyError) -> Error {
    tracing::warn!(error = %error, "a confirmation was refused");
    match error {
        PasskeyError::Counter => Error::denied(Code::PasskeyCounter),
        PasskeyError::Unusable(_) => Error::internal(error),
        PasskeyError::Refused(_) | PasskeyError::Malformed(_) => Error::denied(Code::ConfirmationInvalid),
    }
}

/// A stored description in the reader's language.
pub(crate) fn in_language(description: &Description, lang: Lang) -> String {
    match lang {
        Lang::En => description.en.clone(),
        Lang::Pl => description.pl.clone(),
    }
}

/// Durations that proposals live by.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How long a proposal and a challenge wait for the person at the keyboard.
    pub confirmation: TimeDelta,
    /// How long a parked proposal waits for somebody else.
    pub parked: TimeDelta,
}

impl Default for Settings {
    fn default() -> Self {
        Self { confirmation: TimeDelta::minutes(10), parked: TimeDelta::hours(24) }
    }
}
