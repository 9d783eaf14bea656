//! The composition root: what the server is made of. Reads like a parts list and decides nothing.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use chrono::TimeDelta;
use secrecy::SecretSlice;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::audit::Trail;
use crate::config::{Config, Network, Tls};
use crate::crypto::keyring::{KeyRing, Purpose};
use crate::crypto::passkey::Passkeys;
use crate::gate::{Clock, Gate, Parts, Receipt, Registry, Settings, SystemClock};

/// Receipts that wait to be noticed by the sequencer; more are found by it in the table.
const RECEIPTS: usize = 8_192;
/// Connections as the sequencer's role: one seals, the others verify.
const SEQUENCER_CONNECTIONS: u32 = 4;
/// How long a request waits for a connection before it is told that the database is not there.
const ACQUIRE: Duration = Duration::from_secs(5);

/// The server's parts. Cheap to clone.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

/// What handlers may reach.
pub struct Inner {
    /// Decides, does and records.
    pub gate: Gate,
    /// The checked configuration.
    pub config: Config,
    /// Our relying party.
    pub passkeys: Arc<Passkeys>,
    /// Keys derived from the key file.
    pub keys: Arc<KeyRing>,
    /// Signs list positions.
    pub cursor_key: SecretSlice<u8>,
    /// Seals, follows and verifies what the gate recorded.
    pub trail: Trail,
    /// Cancelled when the server is to end: what is held open then ends by itself.
    pub stop: CancellationToken,
    /// Recent tries at credentials and uses of sign-ins.
    pub recent: crate::accounts::Recent,
    sessions: PgPool,
    origin: String,
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

/// What differs between a server and a test.
pub struct Ingredients {
    /// The checked configuration.
    pub config: Config,
    /// Connections as the application's role.
    pub pool: PgPool,
    /// Keys of the key file.
    pub keys: KeyRing,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// Every operation that may wait for a confirmation.
pub fn registry() -> Registry {
    let mut registry = Registry::default();
    crate::accounts::register(&mut registry);
    crate::emergency::register(&mut registry);
    crate::invitations::register(&mut registry);
    crate::members::register(&mut registry);
    crate::organisations::register(&mut registry);
    crate::policies::register(&mut registry);
    crate::sandboxes::register(&mut registry);
    registry
}

impl App {
    /// Puts the parts together. The receiver hears of every committed record.
    ///
    /// # Errors
    /// The public origin cannot be a relying party.
    pub fn assemble(
        ingredients: Ingredients,
        stop: &CancellationToken,
    ) -> anyhow::Result<(Self, mpsc::Receiver<Receipt>)> {
        let Ingredients { config, pool, keys, clock } = ingredients;
        let passkeys = Arc::new(Passkeys::new(config.relying_party(), &config.public_origin)?);
        let keys = Arc::new(keys);
        let (committed, receipts) = mpsc::channel(RECEIPTS);
        let parts = Parts {
            pool: pool.clone(),
            clock,
            keys: Arc::clone(&keys),
            passkeys: Arc::clone(&passkeys),
            registry: registry(),
            settings: Settings {
                confirmation: TimeDelta::from_std(config.approval.confirmation)?,
                parked: TimeDelta::from_std(config.approval.parked)?,
            },
            committed,
        };
        let inner = Inner {
            gate: Gate::new(parts, stop),
            passkeys,
            cursor_key: SecretSlice::from(keys.derive(Purpose::Cursor).to_vec()),
            trail: Trail::new(
                self::pool(config.database.sequencer.options(), SEQUENCER_CONNECTIONS),
                Arc::clone(&keys),
                config.data_directory.clone(),
            ),
            keys,
            stop: stop.clone(),
            recent: crate::accounts::Recent::default(),
            sessions: pool,
            origin: config.origin(),
            config,
        };
        Ok((Self { inner: Arc::new(inner) }, receipts))
    }

    /// The server's parts for this configuration.
    ///
    /// # Errors
    /// The key file cannot be used or does not fit the database; the database refuses us.
    #[expect(clippy::disallowed_methods, reason = "checks schema and key before there is a gate")]
    pub async fn build(config: Config, stop: &CancellationToken) -> anyhow::Result<(Self, mpsc::Receiver<Receipt>)> {
        let keys = KeyRing::from_file(&config.at_rest_key_file, config.allow_loose_key_file)?;
        let pool = pool(config.database.app.options(), config.database.connections);
        let mut connection = pool.acquire().await.context("the database cannot be reached")?;
        crate::migrate::check(&mut connection).await?;
        crate::crypto::store::check_canary(&mut connection, &keys, rand::random()).await?;
        drop(connection);
        Self::assemble(Ingredients { config, pool, keys, clock: Arc::new(SystemClock) }, stop)
    }

    /// The origin that browsers send for our pages.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Proxies that are believed about a client's address.
    pub fn trusted_proxies(&self) -> &[Network] {
        match &self.config.tls {
            Tls::Proxy { trusted } => trusted,
            Tls::Certificate { .. } => &[],
        }
    }

    /// Connections of the session layer. Sessions are not tenants' data and are not decided about.
    pub fn session_pool(&self) -> PgPool {
        self.sessions.clone()
    }

    /// The figures of this process, as Prometheus text.
    pub fn metrics(&self) -> String {
        crate::observe::metrics().render()
    }

    /// Whether a record could be written now: the table of this month exists and takes rows.
    pub async fn audit_writable(&self) -> bool {
        sqlx::query_scalar::<_, bool>(
            "select has_table_privilege('audit_record', 'insert') and not pg_is_in_recovery()",
        )
        .fetch_one(&self.sessions)
        .await
        .unwrap_or(false)
    }
}

/// A pool as the application's role. Statements are prepared once a connection.
pub fn pool(options: PgConnectOptions, connections: u32) -> PgPool {
    PgPoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE).connect_lazy_with(options)
}
