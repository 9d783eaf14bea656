//! The configuration: the only reader of the settings file and of the environment.
//!
//! A value comes from the command line, else from `BAILIWICK_…`, else from the TOML file, else from the default. What
//! is read is refused as a whole unless every name is known and every value makes sense together with the others;
//! each refusal names the setting. Nothing here opens the files that a setting names.

mod check;
mod setting;
mod source;
mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use check::Refusal;
pub use setting::{SETTINGS, Setting};
pub use source::{Effective, Loaded, Origin, Sources, user_data_directory};
pub use value::{DatabaseUrl, Network};

/// What every variable of ours starts with.
pub const PREFIX: &str = "BAILIWICK_";

/// Variables with our prefix that are not settings: where the file is, and where slice tests find PostgreSQL.
pub const RESERVED: &[&str] = &["BAILIWICK_CONFIG", "BAILIWICK_TEST_DATABASE"];

/// What the program runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// `bailiwick dev`: everything on this machine, what is missing is made.
    Dev,
    /// `bailiwick serve`: nothing is made up; what is missing is refused.
    Serve,
}

/// The checked configuration. Lengths of time are already `Duration`s.
#[derive(Debug, Clone)]
pub struct Config {
    /// What the program runs as.
    pub profile: Profile,
    /// Where connections are accepted.
    pub listen: SocketAddr,
    /// `https://host[:port]`, without a path. Its host is the passkeys' relying party id.
    pub public_origin: url::Url,
    /// For what is kept outside the database: remembered checkpoints, in dev also the cluster.
    pub data_directory: PathBuf,
    /// The at-rest key.
    pub at_rest_key_file: PathBuf,
    /// Whether a key file that others may read is used all the same.
    pub allow_loose_key_file: bool,
    /// How the database is reached.
    pub database: Database,
    /// Who speaks TLS.
    pub tls: Tls,
    /// How long sign-ins last.
    pub session: Session,
    /// How long proposals last.
    pub approval: Approval,
    /// What is logged and how.
    pub log: Log,
}

impl Config {
    /// The relying party id that passkeys are bound to: the public origin's host.
    #[must_use]
    pub fn relying_party(&self) -> &str {
        // An origin without a host is refused when the configuration is read.
        self.public_origin.host_str().unwrap_or_default()
    }

    /// The public origin as browsers spell it in headers: no trailing slash.
    #[must_use]
    pub fn origin(&self) -> String {
        self.public_origin.origin().ascii_serialization()
    }
}

/// How the database is reached: one role for each kind of work.
#[derive(Debug, Clone)]
pub struct Database {
    /// Serves requests; fenced by row-level security.
    pub app: DatabaseUrl,
    /// Seals audit records.
    pub sequencer: DatabaseUrl,
    /// Owns the schema. Absent where migrations run elsewhere.
    pub migrator: Option<DatabaseUrl>,
    /// Size of the pool that serves requests.
    pub connections: u32,
    /// How long a start waits for a database that is down.
    pub start_wait: Duration,
}

/// Who speaks TLS with browsers.
#[derive(Debug, Clone)]
pub enum Tls {
    /// This server, with these PEM files.
    Certificate {
        /// The chain, leaf first.
        certificate: PathBuf,
        /// The leaf's private key.
        private_key: PathBuf,
    },
    /// A proxy in front; only these are believed about the client's address.
    Proxy {
        /// Never empty.
        trusted: Vec<Network>,
    },
}

/// How long sign-ins last.
#[derive(Debug, Clone, Copy)]
pub struct Session {
    /// Without a request.
    pub idle: Duration,
    /// In any case; at least `idle`.
    pub absolute: Duration,
}

/// How long proposals last.
#[derive(Debug, Clone, Copy)]
pub struct Approval {
    /// For the proposer's own passkey.
    pub confirmation: Duration,
    /// For another person.
    pub parked: Duration,
}

/// What is logged and how.
#[derive(Debug, Clone)]
pub struct Log {
    /// Shape of a line.
    pub format: LogFormat,
    /// `tracing` directives.
    pub filter: String,
}

/// Shape of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    Text,
}

#[cfg(test)]
mod tests;
