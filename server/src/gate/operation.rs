//! What a slice says of one thing that can be asked: the operation, the permit that executing it spends, and the
//! transaction it may use.

use std::future::Future;
use std::marker::PhantomData;

use contract::id::{AccountId, Id, OrganisationId, SandboxId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, Postgres, Transaction};
use uuid::Uuid;

use super::context::Context;
use super::decide::Decision;
use super::policy::Action;
use super::{Result, Timestamp};

/// What an operation is done to, and so which policy, emergency stop and chain it falls under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// The whole installation.
    Installation,
    /// The caller's own account.
    Account,
    /// One organisation.
    Organisation(OrganisationId),
    /// One sandbox of an organisation.
    Sandbox(OrganisationId, SandboxId),
}

impl Scope {
    /// The organisation that it lies in.
    pub const fn organisation(self) -> Option<OrganisationId> {
        match self {
            Self::Organisation(organisation) | Self::Sandbox(organisation, _) => Some(organisation),
            Self::Installation | Self::Account => None,
        }
    }

    /// The sandbox, where it is one.
    pub const fn sandbox(self) -> Option<SandboxId> {
        match self {
            Self::Sandbox(_, sandbox) => Some(sandbox),
            _ => None,
        }
    }

    /// Key of the rows kept per scope (policy document, emergency state): the sandbox, else the organisation, else nil.
    pub fn key(self) -> Uuid {
        match self {
            Self::Sandbox(_, sandbox) => sandbox.uuid(),
            Self::Organisation(organisation) => organisation.uuid(),
            Self::Installation | Self::Account => Uuid::nil(),
        }
    }
}

/// What a record names as the thing acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// A noun of the vocabulary, such as `member`.
    pub kind: String,
    /// Wire id.
    pub id: String,
}

impl Target {
    /// A target of this kind.
    pub fn new(kind: &str, id: impl ToString) -> Self {
        Self { kind: kind.to_owned(), id: id.to_string() }
    }
}

impl From<Scope> for Target {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Installation => Self::new("installation", ""),
            Scope::Account => Self::new("account", "self"),
            Scope::Organisation(organisation) => Self::new("organisation", organisation),
            Scope::Sandbox(_, sandbox) => Self::new("sandbox", sandbox),
        }
    }
}

/// Recorded parameters by name. The gate drops whatever the action's line does not list.
pub type Parameters = serde_json::Map<String, serde_json::Value>;

/// Whose key seals a personal field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Somebody with an account.
    Account(AccountId),
    /// Somebody known only by a normalised e-mail address.
    Address(String),
}

/// Fields about one person that a record keeps as ciphertext under that person's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    /// Whose.
    pub subject: Subject,
    /// The fields by name.
    pub fields: Parameters,
}

impl Personal {
    /// About somebody with an account.
    pub fn account(account: AccountId) -> Self {
        Self { subject: Subject::Account(account), fields: Parameters::new() }
    }

    /// About somebody known by address only.
    pub fn address(address: &str) -> Self {
        Self { subject: Subject::Address(address.to_owned()), fields: Parameters::new() }
    }

    /// With one more field.
    #[must_use]
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }
}

/// What will happen, in the reader's language. Shown before a confirmation; never describes a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// English.
    pub en: String,
    /// Polish.
    pub pl: String,
}

mod sealed {
    pub trait Sealed {}
}

/// How an operation's transaction behaves. Four exist and no more can.
pub trait Mode: sealed::Sealed + Send + Sync + 'static {
    #[doc(hidden)]
    const KIND: ModeKind;
}

/// The four modes as values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum ModeKind {
    Read,
    Write,
    Spend,
    Hot,
}

macro_rules! modes {
    ($($(#[$doc:meta])* $mode:ident;)*) => {$(
        $(#[$doc])*
        pub enum $mode {}
        impl sealed::Sealed for $mode {}
        impl Mode for $mode { const KIND: ModeKind = ModeKind::$mode; }
    )*};
}

modes! {
    /// Repeatable read, read only. Not on record unless refused.
    Read;
    /// Serializable; recorded in the same transaction; retried as a whole.
    Write;
    /// Like `Write` for many small operations of different callers, each decided and recorded on its own, sharing one commit.
    Spend;
    /// Read committed under a role that reaches listed tables only. Not on record: bookkeeping such as "last seen".
    Hot;
}

/// A transaction that nobody outside the gate can begin, commit or keep.
pub struct Tx<M> {
    pub(super) inner: Transaction<'static, Postgres>,
    pub(super) _mode: PhantomData<fn() -> M>,
}

impl<M> Tx<M> {
    pub(super) fn new(inner: Transaction<'static, Postgres>) -> Self {
        Self { inner, _mode: PhantomData }
    }

    /// The connection, for a slice's `store.rs`.
    pub fn conn(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}

/// Proof that `O` was decided for this caller on these facts. Only the gate makes one, and executing spends it.
#[must_use]
pub struct Authorized<'a, O: Operation> {
    operation: &'a O,
    context: &'a Context,
    facts: O::Facts,
}

impl<'a, O: Operation> Authorized<'a, O> {
    pub(super) fn new(operation: &'a O, context: &'a Context, facts: O::Facts) -> Self {
        Self { operation, context, facts }
    }

    /// What was asked.
    pub fn operation(&self) -> &'a O {
        self.operation
    }

    /// What the decision was based on, read in this transaction.
    pub fn facts(&self) -> &O::Facts {
        &self.facts
    }

    /// The facts by value.
    pub fn into_facts(self) -> O::Facts {
        self.facts
    }

    /// Who asked, and where.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// The one timestamp of the request.
    pub fn at(&self) -> Timestamp {
        self.context.at()
    }
}

/// One thing that a caller may ask for.
///
/// An operation is a value: it carries everything random (ids, nonces, ciphertext), so that a retried attempt repeats the
/// same work, and it serialises, so that one waiting for a confirmation can be stored and carried out later. Secrets are
/// inside only as ciphertext.
pub trait Operation: Serialize + DeserializeOwned + Send + Sync + Sized + 'static {
    /// Its line in the policy table.
    const ACTION: Action;
    /// Version of the serialised form; a stored proposal of another version is void.
    const VERSION: i32 = 1;
    /// How its transaction behaves.
    type Mode: Mode;
    /// What the decision and the execution need to know from the database.
    type Facts: Send + Sync;
    /// What it answers.
    type Output: Serialize + DeserializeOwned + Send + 'static;

    /// Where it acts.
    fn scope(&self) -> Scope;

    /// What the record names as acted upon.
    fn target(&self) -> Target {
        self.scope().into()
    }

    /// Recorded parameters: ids, enumerations and names of things, never of people.
    fn parameters(&self) -> Parameters {
        Parameters::new()
    }

    /// Recorded parameters where they need the facts, such as a difference to what was there before.
    fn recorded(&self, facts: &Self::Facts) -> Parameters {
        let _ = facts;
        self.parameters()
    }

    /// Personal fields of others that the record keeps sealed. (The caller's own are added by the gate.)
    fn personal(&self, facts: &Self::Facts) -> Vec<Personal> {
        let _ = facts;
        Vec::new()
    }

    /// Reads what is needed, in the operation's own transaction.
    fn facts(&self, context: &Context, tx: &mut Tx<Self::Mode>) -> impl Future<Output = Result<Self::Facts>> + Send;

    /// The slice's own pure verdict; it can only make the policy's stricter.
    fn decide(&self, context: &Context, facts: &Self::Facts) -> Decision;

    /// Revision of the target; a confirmation given for another one is void.
    fn revision(&self, facts: &Self::Facts) -> Option<i64> {
        let _ = facts;
        None
    }

    /// What will happen, for whoever is asked to confirm it.
    fn describe(&self, facts: &Self::Facts) -> Description {
        let _ = facts;
        let target = self.target();
        Description {
            en: format!("{} on {} {}", Self::ACTION, target.kind, target.id),
            pl: format!("{} na {} {}", Self::ACTION, target.kind, target.id),
        }
    }

    /// Does it.
    fn execute(
        permit: Authorized<'_, Self>,
        tx: &mut Tx<Self::Mode>,
    ) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// A new id. Called where an operation is made, never while one is carried out.
pub fn fresh<I: Id>() -> I {
    I::from_uuid(fresh_uuid())
}

/// A new id of something that has no kind of its own on the wire, such as a passkey prompt.
#[expect(clippy::disallowed_methods, reason = "the one place that makes ids")]
pub fn fresh_uuid() -> Uuid {
    Uuid::now_v7()
}
