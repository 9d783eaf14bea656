//! The schema: which one this program works with, how a database gets it, and the roles that have to exist first.

use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use crate::failure::{Exit, Failure};

/// Every migration, compiled in, so that a server and its schema cannot come from different releases.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// The statements that create the database roles. An operator runs them once as a superuser; `bailiwick dev` runs them
/// on its own cluster. They may be run again.
pub const ROLES: &str = include_str!("roles.sql");

/// What `bailiwick migrate` did.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Migrated {
    /// Schema version before; `None` for an empty database.
    pub from: Option<i64>,
    /// Schema version now.
    pub to: i64,
    /// How many migrations were applied.
    pub applied: i64,
}

/// The schema version that this program needs.
#[must_use]
pub fn needed() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Brings a database to the schema of this program. Connect as the owner of the schema.
///
/// Runs under an advisory lock, so that two starts at once apply each migration once; no statement waits longer than
/// half a minute for a table that somebody else holds, so a busy system stops the migration and not the other way.
///
/// # Errors
/// The database cannot be reached, has a schema of a newer program, or refuses a statement.
pub async fn run(owner: &PgConnectOptions) -> Result<Migrated, Failure> {
    let patient = owner.clone().options([("lock_timeout", "30s"), ("client_min_messages", "warning")]);
    let mut connection = connect(&patient).await?;
    let from = version(&mut connection).await.map_err(|error| refused(&error))?;
    if let Some(version) = from.filter(|version| *version > needed()) {
        return Err(newer(version));
    }
    let before = applied(&mut connection).await?;
    MIGRATIONS.run(&mut connection).await.map_err(|error| {
        Failure::new(Exit::Schema, format!("the schema could not be brought to version {}: {error}", needed()))
            .advise("Nothing of the failed migration was kept. Connect as the owner of the database, mend the cause and run `bailiwick migrate` again.")
    })?;
    // The serving role reads the version to refuse a schema that it does not know.
    sqlx::query("grant select on _sqlx_migrations to bailiwick_app, bailiwick_sequencer")
        .execute(&mut connection)
        .await
        .map_err(|error| refused(&error))?;
    let after = applied(&mut connection).await?;
    let _ = connection.close().await;
    Ok(Migrated { from, to: needed(), applied: after - before })
}

/// Refuses a schema that this program does not work with: an older one lacks what the program needs, a newer one may
/// have dropped it.
///
/// # Errors
/// Says which version there is, which is needed, and what to run.
pub async fn check(connection: &mut PgConnection) -> Result<(), Failure> {
    let needed = needed();
    match version(connection).await.map_err(|error| refused(&error))? {
        Some(version) if version == needed => Ok(()),
        Some(version) if version > needed => Err(newer(version)),
        Some(version) => Err(Failure::new(
            Exit::Schema,
            format!("the database's schema is version {version}, and this program needs version {needed}"),
        )
        .advise("Run `bailiwick migrate` with this program first.")),
        None => Err(Failure::new(Exit::Schema, "the database has no schema of Bailiwick")
            .advise("Run `bailiwick migrate` first.")),
    }
}

fn newer(version: i64) -> Failure {
    Failure::new(
        Exit::Schema,
        format!("the database's schema is version {version}, newer than the {} that this program knows", needed()),
    )
    .advise("Start the newer program; going back needs a restore.")
}

async fn applied(connection: &mut PgConnection) -> Result<i64, Failure> {
    let known = version(connection).await.map_err(|error| refused(&error))?;
    if known.is_none() {
        return Ok(0);
    }
    sqlx::query_scalar("select count(*) from _sqlx_migrations where success")
        .fetch_one(connection)
        .await
        .map_err(|error| refused(&error))
}

/// Newest migration that the database has; `None` for a database that never had one.
async fn version(connection: &mut PgConnection) -> sqlx::Result<Option<i64>> {
    let known: bool = sqlx::query_scalar("select to_regclass('public._sqlx_migrations') is not null")
        .fetch_one(&mut *connection)
        .await?;
    if !known {
        return Ok(None);
    }
    sqlx::query_scalar("select max(version) from _sqlx_migrations where success").fetch_one(connection).await
}

/// Creates the roles and an empty database that the migrator role owns, where they do not exist. Needs a superuser.
///
/// # Errors
/// The server cannot be reached, or the role may not create roles.
pub async fn prepare(superuser: &PgConnectOptions, database: &str) -> Result<(), Failure> {
    let mut connection = connect(superuser).await?;
    let prepared = prepare_on(&mut connection, database).await.map_err(|error| refused(&error));
    let _ = connection.close().await;
    prepared
}

async fn prepare_on(connection: &mut PgConnection, database: &str) -> sqlx::Result<()> {
    // Roles belong to the whole server: two that prepare at once must not both create them.
    sqlx::query("select pg_advisory_lock(5207345182)").execute(&mut *connection).await?;
    sqlx::raw_sql(ROLES).execute(&mut *connection).await?;
    let exists: bool = sqlx::query_scalar("select exists (select 1 from pg_database where datname = $1)")
        .bind(database)
        .fetch_one(&mut *connection)
        .await?;
    if !exists {
        let name = format!("\"{}\"", database.replace('"', "\"\""));
        let create = format!("create database {name} owner bailiwick_migrator template template0 encoding 'UTF8'");
        sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut *connection).await?;
        let close = format!(
            "revoke all on database {name} from public;
             grant connect on database {name} to bailiwick_app, bailiwick_sequencer"
        );
        sqlx::raw_sql(AssertSqlSafe(close)).execute(&mut *connection).await?;
    }
    sqlx::query("select pg_advisory_unlock(5207345182)").execute(connection).await?;
    Ok(())
}

async fn connect(options: &PgConnectOptions) -> Result<PgConnection, Failure> {
    options.connect().await.map_err(|error| unreachable(options, &error))
}

/// How often a database that is down is asked again.
const RETRY: Duration = Duration::from_millis(500);

/// Connects, and asks again for as long as `wait` while the database is down or still starting. What will not change
/// by waiting (a wrong password, a missing database) is refused at once.
///
/// # Errors
/// Names where the database should be, as whom, and what the last attempt said.
pub async fn await_database(options: &PgConnectOptions, wait: Duration) -> Result<PgConnection, Failure> {
    let started = tokio::time::Instant::now();
    let mut told = false;
    loop {
        let error = match options.connect().await {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        if !passing(&error) || started.elapsed() >= wait {
            return Err(unreachable(options, &error));
        }
        if !told {
            told = true;
            tracing::warn!(%error, wait_seconds = wait.as_secs(), "the database is down; asking again");
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Whether an attempt a moment later may succeed.
fn passing(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => true,
        // Starting up, shutting down, too many connections.
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("53"))
        }
        _ => false,
    }
}

fn unreachable(options: &PgConnectOptions, error: &sqlx::Error) -> Failure {
    let place = match options.get_socket() {
        Some(directory) => directory.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let database = options.get_database().unwrap_or_default();
    Failure::new(
        Exit::Database,
        format!("no connection to database {database:?} at {place} as {}: {error}", options.get_username()),
    )
    .advise("Check that PostgreSQL is running there and lets this role in; settings database.*_url say where.")
}

fn refused(error: &sqlx::Error) -> Failure {
    Failure::new(Exit::Database, format!("the database refused: {error}"))
}
