//! What slice tests stand on: a database of their own behind the real roles, the real router, and people with passkeys.
//! PostgreSQL comes from `BAILIWICK_TEST_DATABASE`, a superuser's URL that `script/test` provides.

#![expect(clippy::disallowed_methods, reason = "tests make rows by hand and move clocks")]

mod database;
mod persona;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use chrono::{SubsecRound, TimeDelta, Utc};
use contract::access::OrganisationRole;
use contract::id::{AccountId, OrganisationId, SandboxId};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use persona::{Persona, Reply};

use crate::app::{App, Ingredients};
use crate::config::{Approval, Config, Database, DatabaseUrl, Log, LogFormat, Profile, Session, Tls};
use crate::crypto::keyring::KeyRing;
use crate::gate::{Clock, Timestamp};

/// Origin of every test's pages.
pub const ORIGIN: &str = "https://localhost:8443";

/// A clock that tests move forward.
#[derive(Debug, Default)]
pub struct TestClock {
    ahead: AtomicI64,
}

impl TestClock {
    /// Moves it.
    pub fn advance(&self, by: TimeDelta) {
        self.ahead.fetch_add(by.num_microseconds().unwrap(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        (Utc::now() + TimeDelta::microseconds(self.ahead.load(Ordering::SeqCst))).trunc_subsecs(6)
    }
}

/// One test's installation.
pub struct World {
    /// The server's parts.
    pub app: App,
    /// Moves with [`TestClock::advance`].
    pub clock: Arc<TestClock>,
    /// Connections as a superuser: outside every fence, for looking and for tampering.
    pub admin: PgPool,
    router: Router,
    stop: CancellationToken,
    _data: tempfile::TempDir,
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl World {
    /// A fresh installation with nobody in it.
    pub async fn new() -> Self {
        let database = database::fresh().await;
        let data = tempfile::tempdir().unwrap();
        let config = config(data.path().to_owned(), &database);
        let pool = crate::app::pool(config.database.app.options(), 8);
        let (clock, stop) = (Arc::new(TestClock::default()), CancellationToken::new());
        let ingredients = Ingredients { config, pool, keys: KeyRing::from_key([7; 32]), clock: clock.clone() };
        let (app, _receipts) = App::assemble(ingredients, &stop).unwrap();
        let router = crate::http::router(app.clone()).unwrap();
        let admin = PgPool::connect(&database.superuser).await.unwrap();
        Self { app, clock, admin, router, stop, _data: data }
    }

    /// Where this installation keeps files.
    pub fn data_directory(&self) -> PathBuf {
        self.app.config.data_directory.clone()
    }

    /// A signed-in person with a passkey.
    pub async fn person(&self, email: &str) -> Persona {
        Persona::sign_up(self, email, false).await
    }

    /// The installation's operator, signed in.
    pub async fn founder(&self) -> Persona {
        Persona::sign_up(self, "founder@example.org", true).await
    }

    /// Somebody who is not signed in.
    pub fn stranger(&self) -> Persona {
        Persona::visitor(self)
    }

    /// An organisation that `owner` owns, put straight into the database.
    pub async fn organisation(&self, owner: &Persona, name: &str) -> OrganisationId {
        let id = Uuid::now_v7();
        sqlx::query("insert into organisation (org_id, name, created_at) values ($1, $2, now())")
            .bind(id)
            .bind(name)
            .execute(&self.admin)
            .await
            .unwrap();
        let id = OrganisationId::from_uuid(id);
        self.belongs(id, owner.account, OrganisationRole::Owner).await;
        id
    }

    /// Makes an account belong to an organisation.
    pub async fn belongs(&self, organisation: OrganisationId, account: AccountId, role: OrganisationRole) {
        sqlx::query(
            "insert into organisation_member (org_id, id, account_id, role, created_at) values ($1, $2, $3, $4, now())",
        )
        .bind(organisation.uuid())
        .bind(Uuid::now_v7())
        .bind(account.uuid())
        .bind(role.as_str())
        .execute(&self.admin)
        .await
        .unwrap();
    }

    /// A sandbox that `owner` owns.
    pub async fn sandbox(&self, organisation: OrganisationId, owner: &Persona, name: &str) -> SandboxId {
        let id = Uuid::now_v7();
        sqlx::query(
            "insert into sandbox (org_id, id, name, owner_account_id, created_at) values ($1, $2, $3, $4, now())",
        )
        .bind(organisation.uuid())
        .bind(id)
        .bind(name)
        .bind(owner.account.uuid())
        .execute(&self.admin)
        .await
        .unwrap();
        SandboxId::from_uuid(id)
    }

    /// A plain member row of a sandbox with the meaning of its role.
    pub async fn granted(
        &self,
        organisation: OrganisationId,
        sandbox: SandboxId,
        account: AccountId,
        role: &str,
    ) -> Uuid {
        let id = Uuid::now_v7();
        sqlx::query(
            "insert into sandbox_member (org_id, sandbox_id, id, account_id, role, created_at) values ($1, $2, $3, $4, $5, now())",
        )
        .bind(organisation.uuid())
        .bind(sandbox.uuid())
        .bind(id)
        .bind(account.uuid())
        .bind(role)
        .execute(&self.admin)
        .await
        .unwrap();
        id
    }

    /// How many records match: `where` over `action`, `outcome` and the like.
    pub async fn records(&self, action: &str, outcome: &str) -> i64 {
        sqlx::query_scalar("select count(*) from audit_record where action = $1 and outcome = $2")
            .bind(action)
            .bind(outcome)
            .fetch_one(&self.admin)
            .await
            .unwrap()
    }
}

fn config(data_directory: PathBuf, database: &database::Fresh) -> Config {
    Config {
        profile: Profile::Dev,
        listen: "127.0.0.1:0".parse().unwrap(),
        public_origin: ORIGIN.parse().unwrap(),
        at_rest_key_file: data_directory.join("at-rest.key"),
        allow_loose_key_file: false,
        database: Database {
            app: DatabaseUrl::parse(&database.app).unwrap(),
            sequencer: DatabaseUrl::parse(&database.sequencer).unwrap(),
            migrator: None,
            connections: 8,
            start_wait: Duration::from_secs(1),
        },
        data_directory,
        tls: Tls::Proxy { trusted: vec!["127.0.0.1".parse().unwrap()] },
        session: Session { idle: Duration::from_secs(12 * 3600), absolute: Duration::from_secs(7 * 24 * 3600) },
        approval: Approval { confirmation: Duration::from_secs(600), parked: Duration::from_secs(24 * 3600) },
        log: Log { format: LogFormat::Text, filter: "warn".into() },
    }
}
