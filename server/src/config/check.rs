//! From text that parses to a configuration that makes sense, or a refusal that names the setting.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::setting::{SETTINGS, find};
use super::value::Several;
use super::{Approval, Config, Database, DatabaseUrl, Log, LogFormat, Profile, Session, Tls};

/// Why a configuration is not run with: the setting, what is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Dotted name of the setting, or the file.
    pub setting: String,
    /// What is wrong with it, and the way out.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.setting, self.message)?;
        match find(&self.setting) {
            Some(setting) => write!(out, " (setting {}, variable {})", setting.key, setting.variable()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    pub(super) fn new(setting: &str, message: impl Into<String>) -> Self {
        Self { setting: setting.to_owned(), message: message.into() }
    }

    pub(super) fn of(setting: &str, error: impl fmt::Display) -> Self {
        Self::new(setting, error.to_string())
    }

    pub(super) fn unknown(key: &str, place: &str) -> Self {
        let near = SETTINGS.iter().map(|setting| setting.key).find(|known| alike(known, key));
        let hint = near.map_or_else(
            || String::from("`bailiwick config` lists every setting"),
            |near| format!("did you mean {near}?"),
        );
        Self::new(key, format!("there is no setting of this name, but {place} sets it; {hint}"))
    }

    pub(super) fn file(path: &Path, error: &config::ConfigError) -> Self {
        Self::new(&path.display().to_string(), format!("the configuration file cannot be read: {error}"))
    }

    pub(super) fn unreadable(error: &config::ConfigError) -> Self {
        // The crate says "… for key `a.b` in PLACE"; a value may be a secret, so only the name is passed on.
        let text = error.to_string();
        let key = text.split("for key `").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or("configuration");
        let message = match (find(key), error) {
            (Some(setting), _) if setting.secret => String::from("cannot be read"),
            _ => text.split(" for key `").next().unwrap_or(&text).to_owned(),
        };
        Self::new(key, message)
    }
}

/// One missing, doubled or swapped letter, or a different table.
fn alike(known: &str, given: &str) -> bool {
    let last = |text: &str| text.rsplit('.').next().unwrap_or_default().replace(['_', '-'], "");
    let (known, given) = (last(known), last(given));
    if known == given {
        return true;
    }
    let start = known.chars().zip(given.chars()).take_while(|(a, b)| a == b).count();
    let end = known.chars().rev().zip(given.chars().rev()).take_while(|(a, b)| a == b).count();
    let longest = known.chars().count().max(given.chars().count());
    longest > 3 && start + end + 2 >= longest
}

/// What the sources say, merged, types checked, nothing else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    listen: String,
    public_origin: Option<String>,
    data_directory: Option<PathBuf>,
    at_rest_key_file: Option<PathBuf>,
    allow_loose_key_file: bool,
    database: RawDatabase,
    tls: RawTls,
    session: RawSession,
    approval: RawApproval,
    log: RawLog,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDatabase {
    app_url: Option<String>,
    sequencer_url: Option<String>,
    migrator_url: Option<String>,
    connections: u32,
    start_wait_seconds: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTls {
    mode: String,
    certificate_file: Option<PathBuf>,
    private_key_file: Option<PathBuf>,
    #[serde(default)]
    trusted_proxies: Several,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSession {
    idle_seconds: u64,
    absolute_seconds: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawApproval {
    confirmation_seconds: u64,
    parked_seconds: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLog {
    format: LogFormat,
    filter: String,
}

pub(super) fn check(raw: Raw, profile: Profile) -> Result<Config, Refusal> {
    let listen: SocketAddr = raw
        .listen
        .parse()
        .map_err(|_| Refusal::new("listen", "must be an address and a port, such as 0.0.0.0:8443"))?;
    let data_directory = absolute("data_directory", required("data_directory", raw.data_directory)?)?;
    let at_rest_key_file = absolute("at_rest_key_file", required("at_rest_key_file", raw.at_rest_key_file)?)?;
    let idle = seconds("session.idle_seconds", raw.session.idle_seconds, 60, 30 * 86_400)?;
    let longest = seconds("session.absolute_seconds", raw.session.absolute_seconds, 60, 365 * 86_400)?;
    if longest < idle {
        return Err(Refusal::new("session.absolute_seconds", "must not be shorter than session.idle_seconds"));
    }
    if raw.log.filter.parse::<tracing_subscriber::filter::Targets>().is_err() {
        return Err(Refusal::new("log.filter", "must be directives such as info or info,bailiwick=debug"));
    }
    Ok(Config {
        profile,
        listen,
        public_origin: origin(&required("public_origin", raw.public_origin)?)?,
        data_directory,
        at_rest_key_file,
        allow_loose_key_file: raw.allow_loose_key_file,
        database: database(raw.database)?,
        tls: tls(raw.tls)?,
        session: Session { idle, absolute: longest },
        approval: Approval {
            confirmation: seconds("approval.confirmation_seconds", raw.approval.confirmation_seconds, 10, 3_600)?,
            parked: seconds("approval.parked_seconds", raw.approval.parked_seconds, 60, 30 * 86_400)?,
        },
        log: Log { format: raw.log.format, filter: raw.log.filter },
    })
}

fn required<T>(setting: &str, value: Option<T>) -> Result<T, Refusal> {
    value.ok_or_else(|| Refusal::new(setting, "is not set, and there is no safe default"))
}

fn absolute(setting: &str, path: PathBuf) -> Result<PathBuf, Refusal> {
    // A relative path would mean another file after a start from another directory.
    std::path::absolute(&path).map_err(|error| Refusal::new(setting, format!("{}: {error}", path.display())))
}

fn seconds(setting: &str, value: u64, least: u64, most: u64) -> Result<Duration, Refusal> {
    if (least..=most).contains(&value) {
        Ok(Duration::from_secs(value))
    } else {
        Err(Refusal::new(setting, format!("must be between {least} and {most} seconds, and is {value}")))
    }
}

fn origin(text: &str) -> Result<url::Url, Refusal> {
    let refuse = |message: &str| Refusal::new("public_origin", message);
    let url = url::Url::parse(text).map_err(|_| refuse("must be a URL such as https://bailiwick.example.org"))?;
    if url.scheme() != "https" {
        return Err(refuse("must be https: browsers offer passkeys and safe cookies nowhere else"));
    }
    match url.host() {
        Some(url::Host::Domain(_)) => {}
        _ => {
            return Err(refuse("must have a host name, not an address: passkeys are bound to a name"));
        }
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err(refuse("must be an origin only, without a path, a query or a fragment"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("must not hold a user name or a password"));
    }
    Ok(url)
}

fn database(raw: RawDatabase) -> Result<Database, Refusal> {
    let url = |setting: &str, text: &str| DatabaseUrl::parse(text).map_err(|message| Refusal::new(setting, message));
    if !(2..=500).contains(&raw.connections) {
        return Err(Refusal::new("database.connections", "must be between 2 and 500"));
    }
    let app = url("database.app_url", &required("database.app_url", raw.app_url)?)?;
    let sequencer = url("database.sequencer_url", &required("database.sequencer_url", raw.sequencer_url)?)?;
    let migrator = raw.migrator_url.map(|text| url("database.migrator_url", &text)).transpose()?;
    let role = |url: &DatabaseUrl| url.options().get_username().to_owned();
    for (setting, other) in [("database.sequencer_url", Some(&sequencer)), ("database.migrator_url", migrator.as_ref())]
    {
        if other.is_some_and(|other| role(other) == role(&app)) {
            return Err(Refusal::new(
                setting,
                "names the same database role as database.app_url; the fences between tenants need separate roles",
            ));
        }
    }
    Ok(Database {
        app,
        sequencer,
        migrator,
        connections: raw.connections,
        start_wait: seconds("database.start_wait_seconds", raw.start_wait_seconds, 0, 3_600)?,
    })
}

fn tls(raw: RawTls) -> Result<Tls, Refusal> {
    match raw.mode.as_str() {
        "certificate" => {
            if !raw.trusted_proxies.0.is_empty() {
                return Err(Refusal::new(
                    "tls.trusted_proxies",
                    "is set although tls.mode is certificate; set tls.mode to proxy or remove it",
                ));
            }
            let file = |setting, value| absolute(setting, required(setting, value)?);
            Ok(Tls::Certificate {
                certificate: file("tls.certificate_file", raw.certificate_file)?,
                private_key: file("tls.private_key_file", raw.private_key_file)?,
            })
        }
        "proxy" => {
            if raw.certificate_file.is_some() || raw.private_key_file.is_some() {
                return Err(Refusal::new(
                    "tls.certificate_file",
                    "a certificate is set although tls.mode is proxy; set tls.mode to certificate or remove it",
                ));
            }
            let parse =
                |text: &String| text.parse().map_err(|message: String| Refusal::new("tls.trusted_proxies", message));
            let trusted = raw.trusted_proxies.0.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
            if trusted.is_empty() {
                return Err(Refusal::new("tls.trusted_proxies", "must name at least one proxy when tls.mode is proxy"));
            }
            Ok(Tls::Proxy { trusted })
        }
        other => Err(Refusal::new("tls.mode", format!("must be certificate or proxy, and is {other:?}"))),
    }
}
