//! A database with a trail in it, for tests: written by the gate's own function, sealed by the real sequencer.
#![expect(clippy::disallowed_methods, reason = "tests act as the database's other users would")]

use std::path::PathBuf;
use std::sync::Arc;

use contract::id::{AccountId, OrganisationId, RecordId, SandboxId};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor, PgPool, Postgres, Transaction};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use uuid::Uuid;

use super::memory::{self, Memory};
use super::sequencer::{Parts, Sequencer};
use super::verify::{Verification, verify};
use crate::crypto::keyring::KeyRing;
use crate::gate::{
    Actor, Decided, Entry, Outcome, Personal, Receipt, Scope, SystemClock, Target, fresh, person::append,
};
use crate::migrate;

pub const ORGANISATION: OrganisationId = OrganisationId::from_uuid(Uuid::from_u128(0xa0));
pub const SANDBOX: SandboxId = SandboxId::from_uuid(Uuid::from_u128(0xb0));
pub const ACCOUNT: AccountId = AccountId::from_uuid(Uuid::from_u128(0xc0));

pub struct Scene {
    pub root: PgPool,
    pub app: PgPool,
    pub sequencer_pool: PgPool,
    pub keys: Arc<KeyRing>,
    pub directory: tempfile::TempDir,
}

pub fn key() -> [u8; 32] {
    std::array::from_fn(|index| (index * 29 + 5) as u8)
}

async fn pool(options: &PgConnectOptions) -> PgPool {
    PgPoolOptions::new().max_connections(4).connect_with(options.clone()).await.unwrap()
}

impl Scene {
    pub async fn new() -> Self {
        let server = std::env::var("BAILIWICK_TEST_DATABASE").expect("script/test starts PostgreSQL and names it");
        let superuser: PgConnectOptions = server.parse().unwrap();
        let name = format!("trail_{}", Uuid::now_v7().simple());
        migrate::prepare(&superuser, &name).await.unwrap();
        let database = superuser.database(&name);
        migrate::run(&database.clone().username("bailiwick_migrator")).await.unwrap();
        Self {
            root: pool(&database).await,
            app: pool(&database.clone().username("bailiwick_app")).await,
            sequencer_pool: pool(&database.clone().username("bailiwick_sequencer")).await,
            keys: Arc::new(KeyRing::from_key(key())),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub fn entry(scope: Scope) -> Entry {
        Entry {
            id: fresh::<RecordId>(),
            at: crate::gate::Clock::now(&SystemClock),
            scope,
            actor: Actor { kind: "person", id: Some(ACCOUNT.to_string()), account: Some(ACCOUNT) },
            action: "area.create",
            target: Target::new("area", "are_1"),
            decision: Decided::Allow,
            outcome: Outcome::Done,
            reason: None,
            confirmation: None,
            request: Some("request".to_owned()),
            parameters: serde_json::json!({ "name": "shop" }).as_object().unwrap().clone(),
            personal: vec![Personal::account(ACCOUNT).field("name", "Ada").field("email", "ada@example.org")],
        }
    }

    pub async fn begin(&self) -> Transaction<'static, Postgres> {
        let mut tx = self.app.begin().await.unwrap();
        let statement = format!("set local app.org = '{}'", ORGANISATION.uuid());
        tx.execute(AssertSqlSafe(statement)).await.unwrap();
        tx
    }

    /// Commits one record; every other one is a sandbox's.
    pub async fn record(&self, sandbox: bool) -> Receipt {
        let scope = if sandbox { Scope::Sandbox(ORGANISATION, SANDBOX) } else { Scope::Organisation(ORGANISATION) };
        let mut tx = self.begin().await;
        let receipt = append(&mut tx, &self.keys, &Self::entry(scope)).await.unwrap();
        tx.commit().await.unwrap();
        receipt
    }

    pub async fn records(&self, count: usize) -> Vec<Receipt> {
        let mut receipts = Vec::new();
        for index in 0..count {
            receipts.push(self.record(index % 2 == 1).await);
        }
        receipts
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().to_owned()
    }

    pub fn sequencer(&self) -> Sequencer {
        self.sequencer_hearing(mpsc::channel(1).1)
    }

    pub fn sequencer_hearing(&self, committed: mpsc::Receiver<Receipt>) -> Sequencer {
        let parts = Parts {
            pool: self.sequencer_pool.clone(),
            keys: Arc::clone(&self.keys),
            clock: Arc::new(SystemClock),
            data_directory: self.path(),
            committed,
            sealed: watch::channel(0).0,
        };
        Sequencer::new(parts, self.memory())
    }

    pub fn memory(&self) -> Memory {
        Memory::open(&self.path(), &self.keys.note_key().verifying_key()).unwrap()
    }

    /// Six records in two batches, each under a checkpoint of its own.
    pub async fn sealed() -> (Self, Vec<Receipt>) {
        let scene = Self::new().await;
        let mut receipts = scene.records(3).await;
        scene.sequencer().turn(Instant::now()).await.unwrap();
        receipts.extend(scene.records(3).await);
        let mut sequencer = scene.sequencer();
        // Another holder has the lease for a while; in tests it gives way at once.
        scene.tamper("update audit_lease set expires_at = 'epoch'").await;
        sequencer.turn(Instant::now()).await.unwrap();
        (scene, receipts)
    }

    /// Changes rows as a superuser who switches every trigger off.
    pub async fn tamper(&self, statement: &str) {
        let mut tx = self.root.begin().await.unwrap();
        tx.execute("set local session_replication_role = replica").await.unwrap();
        tx.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub async fn verify(&self) -> Verification {
        let key = self.keys.note_key().verifying_key();
        let mut remembered = memory::recall(&self.path().join(memory::FILE), &key).unwrap();
        self.verify_with(remembered.remove(&ORGANISATION.uuid())).await
    }

    pub async fn verify_with(&self, remembered: Option<memory::Remembered>) -> Verification {
        verify(&self.sequencer_pool, Some(&self.keys), remembered, ORGANISATION.uuid(), |_| {}).await.unwrap()
    }

    pub async fn count(&self, statement: &'static str) -> i64 {
        sqlx::query_scalar(statement).fetch_one(&self.root).await.unwrap()
    }
}
