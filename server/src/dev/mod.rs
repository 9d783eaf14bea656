//! `bailiwick dev`: everything that a server needs, made on this machine and kept in one data directory.
//!
//! A private PostgreSQL cluster that only a Unix socket reaches, a certificate for localhost, an at-rest key. What is
//! there is kept, what is missing is made, what a crash left behind is adopted or cleared. It starts nothing that it
//! does not also stop.

mod account;
mod certificate;
mod cluster;
mod directory;
mod key;
mod leftover;
mod postmaster;
mod programs;

use std::path::PathBuf;

use crate::config::{Config, Loaded, Profile, Sources, Tls, user_data_directory};
use crate::failure::Failure;
use crate::migrate;

pub use cluster::Cluster;

/// In the data directory: the settings that lead other commands to the private database.
pub const SETTINGS_FILE: &str = "bailiwick.toml";

/// Database of the private cluster.
const DATABASE: &str = "bailiwick";

/// What runs for a development server, and the configuration that leads to it.
#[derive(Debug)]
pub struct Dev {
    /// What the server runs with.
    pub loaded: Loaded,
    /// The private database; has to be stopped.
    pub cluster: Cluster,
    /// Held for as long as this runs: a second start with the same directory is refused.
    _lock: directory::Lock,
}

impl Dev {
    /// Ends the private database, then lets the data directory go.
    pub async fn stop(self) {
        self.cluster.stop().await;
    }
}

/// Makes or finds everything, and starts the private database.
///
/// # Errors
/// The data directory cannot be used, PostgreSQL's programs are missing or fail: each names the path and a way out.
pub async fn start(mut sources: Sources) -> Result<Dev, Failure> {
    let root = nix::unistd::geteuid().is_root();
    let directory = match sources.peek("data_directory")? {
        Some(given) => PathBuf::from(given),
        None => user_data_directory(root),
    };
    let directory = directory::ready(&directory)?;
    let lock = directory::Lock::take(&directory)?;
    let (certificate, private_key) = certificate::ready(&directory)?;
    let key = key::ready(&directory)?;

    let cluster = Cluster::start(&directory).await?;
    match provide(&mut sources, &cluster, &directory, [certificate, private_key, key]).await {
        Ok(loaded) => Ok(Dev { loaded, cluster, _lock: lock }),
        Err(failure) => {
            cluster.stop().await;
            Err(failure)
        }
    }
}

/// Prepares the database and says where everything is.
async fn provide(
    sources: &mut Sources,
    cluster: &Cluster,
    directory: &std::path::Path,
    [certificate, private_key, key]: [PathBuf; 3],
) -> Result<Loaded, Failure> {
    migrate::prepare(&cluster.superuser(), DATABASE).await?;
    let text = |path: &std::path::Path| path.display().to_string();
    let url = |role: &str| {
        let host: String = url::form_urlencoded::byte_serialize(text(cluster.socket_directory()).as_bytes()).collect();
        format!("postgres://{role}@localhost/{DATABASE}?host={host}")
    };
    sources.provided.extend([
        ("data_directory", text(directory)),
        ("at_rest_key_file", text(&key)),
        ("tls.certificate_file", text(&certificate)),
        ("tls.private_key_file", text(&private_key)),
        ("database.app_url", url("bailiwick_app")),
        ("database.sequencer_url", url("bailiwick_sequencer")),
        ("database.migrator_url", url("bailiwick_migrator")),
    ]);
    let port = match sources.peek("listen")? {
        Some(listen) => listen.rsplit(':').next().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    sources.provided.insert("public_origin", format!("https://localhost:{port}"));
    let loaded = sources.load(Profile::Dev)?;
    if let Some(owner) = &loaded.config.database.migrator {
        migrate::run(&owner.options()).await?;
    }
    leave_settings(&loaded.config)?;
    Ok(loaded)
}

/// Lets `bailiwick --config DATA/bailiwick.toml …` reach the database while this runs.
fn leave_settings(config: &Config) -> Result<(), Failure> {
    let mut lines = vec![String::from("# Written by `bailiwick dev` at each start; changes are lost.")];
    let mut line = |key: &str, value: &str| lines.push(format!("{key} = {}", toml_string(value)));
    line("listen", &config.listen.to_string());
    line("public_origin", &config.origin());
    line("data_directory", &config.data_directory.display().to_string());
    line("at_rest_key_file", &config.at_rest_key_file.display().to_string());
    line("database.app_url", config.database.app.expose());
    line("database.sequencer_url", config.database.sequencer.expose());
    if let Some(owner) = &config.database.migrator {
        line("database.migrator_url", owner.expose());
    }
    if let Tls::Certificate { certificate, private_key } = &config.tls {
        line("tls.certificate_file", &certificate.display().to_string());
        line("tls.private_key_file", &private_key.display().to_string());
    }
    let path = config.data_directory.join(SETTINGS_FILE);
    directory::write(&path, &(lines.join("\n") + "\n"), 0o600)
}

/// A TOML basic string: JSON's escapes are among its own.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
