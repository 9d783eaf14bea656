//! A database for each test, copied from one that was migrated once.

use sha2::{Digest, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::sync::OnceCell;
use url::Url;
use uuid::Uuid;

/// URLs of a fresh database for each role.
pub struct Fresh {
    pub superuser: String,
    pub app: String,
    pub sequencer: String,
}

static TEMPLATE: OnceCell<String> = OnceCell::const_new();

fn server() -> Url {
    let url = std::env::var("BAILIWICK_TEST_DATABASE")
        .expect("BAILIWICK_TEST_DATABASE: run script/test, which starts PostgreSQL");
    url.parse().expect("BAILIWICK_TEST_DATABASE is a postgres:// URL")
}

fn url(role: Option<&str>, database: &str) -> String {
    let mut url = server();
    url.set_path(database);
    if let Some(role) = role {
        url.set_username(role).unwrap();
        url.set_password(None).unwrap();
    }
    url.into()
}

/// A database of its own for a test.
pub async fn fresh() -> Fresh {
    let template = TEMPLATE.get_or_init(template).await;
    let name = format!("bailiwick_{}", Uuid::now_v7().simple());
    let mut connection = PgConnection::connect(&url(None, "postgres")).await.unwrap();
    // Copying needs the template to itself: one at a time, over all test processes.
    sqlx::query("select pg_advisory_lock(774401)").execute(&mut connection).await.unwrap();
    let create = format!("create database {name} template {template} owner bailiwick_migrator");
    sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    Fresh {
        superuser: url(None, &name),
        app: url(Some("bailiwick_app"), &name),
        sequencer: url(Some("bailiwick_sequencer"), &name),
    }
}

/// The migrated database of these migrations, made by whichever process comes first.
async fn template() -> String {
    let mut digest = Sha256::new();
    for migration in crate::migrate::MIGRATIONS.iter() {
        digest.update(migration.checksum.as_ref());
    }
    let name = format!("bailiwick_template_{}", &hex::encode(digest.finalize())[..16]);
    let mut connection = PgConnection::connect(&url(None, "postgres")).await.unwrap();
    sqlx::query("select pg_advisory_lock(774401)").execute(&mut connection).await.unwrap();
    let exists: bool = sqlx::query_scalar("select exists (select 1 from pg_database where datname = $1)")
        .bind(&name)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    if !exists {
        let superuser: PgConnectOptions = url(None, "postgres").parse().unwrap();
        crate::migrate::prepare(&superuser, &name).await.unwrap();
        let owner: PgConnectOptions = url(Some("bailiwick_migrator"), &name).parse().unwrap();
        crate::migrate::run(&owner).await.unwrap();
    }
    connection.close().await.unwrap();
    name
}
