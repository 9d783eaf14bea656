//! The list of every setting: its name, what it is when nobody sets it, and what it is for.

/// One thing an operator can set, in the file under its dotted name or as an environment variable.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Dotted name: `database.app_url`.
    pub key: &'static str,
    /// Value in force when nobody sets it; `None` means "unset".
    pub default: Option<&'static str>,
    /// A secret is never printed, not even in part.
    pub secret: bool,
    /// One sentence for the operator.
    pub about: &'static str,
}

impl Setting {
    /// Environment variable of this setting: `BAILIWICK_DATABASE__APP_URL`.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("{}{}", super::PREFIX, self.key.replace('.', "__").to_uppercase())
    }
}

const fn plain(key: &'static str, default: Option<&'static str>, about: &'static str) -> Setting {
    Setting { key, default, secret: false, about }
}

const fn secret(key: &'static str, about: &'static str) -> Setting {
    Setting { key, default: None, secret: true, about }
}

/// Every setting there is. A name outside this list is refused, so that a misspelt one is noticed.
pub const SETTINGS: &[Setting] = &[
    plain("listen", Some("127.0.0.1:8443"), "Address and port to accept connections on."),
    plain("public_origin", None, "Origin that browsers use, https only; passkeys are bound to its host name."),
    plain("data_directory", None, "Directory for what this server keeps outside the database."),
    plain("at_rest_key_file", None, "File with the at-rest key; readable by the server's user alone."),
    plain(
        "allow_loose_key_file",
        Some("false"),
        "Use a key file that others may read or that belongs to another user.",
    ),
    secret("database.app_url", "PostgreSQL URL of the role that serves requests."),
    secret("database.sequencer_url", "PostgreSQL URL of the role that seals audit records."),
    secret("database.migrator_url", "PostgreSQL URL of the schema's owner; only `bailiwick migrate` needs it."),
    plain("database.connections", Some("16"), "Most connections that serve requests at one time."),
    plain("database.start_wait_seconds", Some("60"), "How long a start waits for a database that is down."),
    plain(
        "tls.mode",
        Some("certificate"),
        "`certificate`: the server speaks TLS itself; `proxy`: a trusted proxy does.",
    ),
    plain("tls.certificate_file", None, "PEM file with the certificate chain; watched and reloaded."),
    plain("tls.private_key_file", None, "PEM file with the certificate's private key."),
    plain("tls.trusted_proxies", None, "Addresses or networks of the proxies whose Forwarded headers are believed."),
    plain("session.idle_seconds", Some("43200"), "A sign-in ends after this long without a request."),
    plain("session.absolute_seconds", Some("604800"), "A sign-in ends after this long in any case."),
    plain("approval.confirmation_seconds", Some("600"), "How long the person who asked has to confirm with a passkey."),
    plain("approval.parked_seconds", Some("86400"), "How long a proposal waits for another person."),
    plain("log.format", Some("json"), "`json`: one object a line; `text`: for people."),
    plain("log.filter", Some("info,sqlx=warn"), "Which log lines are written, by module and level."),
];

/// The setting of that name.
#[must_use]
pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}
