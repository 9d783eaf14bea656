use std::collections::HashMap;
use std::net::IpAddr;

use super::*;

fn sources(changes: &[(&str, &str)]) -> Sources {
    let mut environment: HashMap<String, String> = [
        ("BAILIWICK_PUBLIC_ORIGIN", "https://bailiwick.example.org"),
        ("BAILIWICK_DATA_DIRECTORY", "/srv/bailiwick"),
        ("BAILIWICK_AT_REST_KEY_FILE", "/run/keys/at-rest"),
        ("BAILIWICK_DATABASE__APP_URL", "postgres://app:hunter2@db/bailiwick"),
        ("BAILIWICK_DATABASE__SEQUENCER_URL", "postgres://sequencer@db/bailiwick"),
        ("BAILIWICK_TLS__CERTIFICATE_FILE", "/run/tls/chain.pem"),
        ("BAILIWICK_TLS__PRIVATE_KEY_FILE", "/run/tls/key.pem"),
        ("PATH", "/bin"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for (name, value) in changes {
        if value.is_empty() {
            environment.remove(*name);
        } else {
            environment.insert((*name).to_owned(), (*value).to_owned());
        }
    }
    Sources { environment, ..Sources::default() }
}

#[test]
fn the_defaults_are_those_of_the_documents() {
    let config = sources(&[]).load(Profile::Serve).unwrap().config;
    assert_eq!(config.session.idle, Duration::from_secs(12 * 3_600));
    assert_eq!(config.session.absolute, Duration::from_secs(7 * 86_400));
    assert_eq!(config.approval.confirmation, Duration::from_secs(600));
    assert_eq!(config.approval.parked, Duration::from_secs(86_400));
    assert_eq!(config.relying_party(), "bailiwick.example.org");
    assert_eq!(config.origin(), "https://bailiwick.example.org");
    assert_eq!(config.log.format, LogFormat::Json);
}

#[test]
fn each_refusal_names_its_setting() {
    let rows: &[(&[(&str, &str)], &str)] = &[
        (&[("BAILIWICK_PUBLIC_ORIGIN", "")], "public_origin"),
        (&[("BAILIWICK_PUBLIC_ORIGIN", "http://bailiwick.example.org")], "public_origin"),
        (&[("BAILIWICK_PUBLIC_ORIGIN", "https://192.0.2.1")], "public_origin"),
        (&[("BAILIWICK_PUBLIC_ORIGIN", "https://a.example.org/console")], "public_origin"),
        (&[("BAILIWICK_PUBLIC_ORIGIN", "https://me:pw@a.example.org")], "public_origin"),
        (&[("BAILIWICK_LISTEN", "8443")], "listen"),
        (&[("BAILIWICK_DATA_DIRECTORY", "")], "data_directory"),
        (&[("BAILIWICK_AT_REST_KEY_FILE", "")], "at_rest_key_file"),
        (&[("BAILIWICK_DATABASE__APP_URL", "")], "database.app_url"),
        (&[("BAILIWICK_DATABASE__APP_URL", "mysql://app@db/b")], "database.app_url"),
        (&[("BAILIWICK_DATABASE__SEQUENCER_URL", "postgres://app@db/bailiwick")], "database.sequencer_url"),
        (&[("BAILIWICK_DATABASE__MIGRATOR_URL", "postgres://app@db/bailiwick")], "database.migrator_url"),
        (&[("BAILIWICK_DATABASE__CONNECTIONS", "many")], "database.connections"),
        (&[("BAILIWICK_DATABASE__CONNECTIONS", "0")], "database.connections"),
        (&[("BAILIWICK_TLS__MODE", "off")], "tls.mode"),
        (&[("BAILIWICK_TLS__MODE", "proxy")], "tls.certificate_file"),
        (&[("BAILIWICK_TLS__PRIVATE_KEY_FILE", "")], "tls.private_key_file"),
        (&[("BAILIWICK_TLS__TRUSTED_PROXIES", "10.0.0.0/8")], "tls.trusted_proxies"),
        (&[("BAILIWICK_SESSION__IDLE_SECONDS", "1")], "session.idle_seconds"),
        (&[("BAILIWICK_SESSION__ABSOLUTE_SECONDS", "3600")], "session.absolute_seconds"),
        (&[("BAILIWICK_LOG__FORMAT", "xml")], "log.format"),
        (&[("BAILIWICK_LOG__FILTER", "a=b=c")], "log.filter"),
        (&[("BAILIWICK_DATABSE__APP_URL", "postgres://x@y/z")], "databse.app_url"),
        (&[("BAILIWICK_LISTN", "0.0.0.0:1")], "listn"),
    ];
    for (changes, setting) in rows {
        let refusal = sources(changes).load(Profile::Serve).unwrap_err();
        assert_eq!(refusal.setting, *setting, "{changes:?}: {refusal}");
        assert!(!refusal.to_string().contains("hunter2"));
    }
}

#[test]
fn a_misspelt_name_is_answered_with_the_right_one() {
    let refusal = sources(&[("BAILIWICK_LISTN", "0.0.0.0:1")]).load(Profile::Serve).unwrap_err();
    assert!(refusal.message.contains("did you mean listen?"), "{refusal}");
    assert!(refusal.message.contains("BAILIWICK_LISTN"), "{refusal}");
}

#[test]
fn behind_a_proxy_the_list_may_be_text_or_a_list() {
    let proxy = [
        ("BAILIWICK_TLS__MODE", "proxy"),
        ("BAILIWICK_TLS__CERTIFICATE_FILE", ""),
        ("BAILIWICK_TLS__PRIVATE_KEY_FILE", ""),
    ];
    let mut with = proxy.to_vec();
    with.push(("BAILIWICK_TLS__TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.1"));
    let Tls::Proxy { trusted } = sources(&with).load(Profile::Serve).unwrap().config.tls else { panic!("a proxy") };
    let inside: IpAddr = "10.9.9.9".parse().unwrap();
    assert!(trusted.len() == 2 && trusted[0].contains(inside));

    let file = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
    std::fs::write(file.path(), "[tls]\nmode = \"proxy\"\ntrusted_proxies = [\"10.0.0.0/8\", \"fd00::/8\"]\n").unwrap();
    let mut from_file = sources(&proxy[1..]);
    from_file.file = Some(file.path().to_owned());
    let Tls::Proxy { trusted } = from_file.load(Profile::Serve).unwrap().config.tls else { panic!("a proxy") };
    assert_eq!(trusted.len(), 2);
}

#[test]
fn the_report_says_who_set_what_and_masks_secrets() {
    let file = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
    std::fs::write(
        file.path(),
        "listen = \"0.0.0.0:9443\"\n[database]\nconnections = 4\n[session]\nidle_seconds = 600\n",
    )
    .unwrap();
    let mut given = sources(&[("BAILIWICK_DATABASE__CONNECTIONS", "8")]);
    given.file = Some(file.path().to_owned());
    given.command_line.insert("log.format", "text".into());
    let loaded = given.load(Profile::Serve).unwrap();
    assert_eq!(loaded.config.database.connections, 8);
    assert_eq!(loaded.config.listen.port(), 9443);
    let line = |key: &str| loaded.effective.iter().find(|line| line.setting == key).unwrap();
    assert_eq!(line("database.connections").origin, Origin::Environment("BAILIWICK_DATABASE__CONNECTIONS".into()));
    assert_eq!(line("listen").origin, Origin::File(file.path().to_owned()));
    assert_eq!(line("session.idle_seconds").value.as_deref(), Some("600"));
    assert_eq!(line("log.format").origin, Origin::CommandLine);
    assert_eq!(line("log.filter").origin, Origin::Default);
    assert_eq!(line("database.migrator_url").origin, Origin::Unset);
    assert_eq!(line("database.app_url").value.as_deref(), Some("********"));
    let all = serde_json::to_string(&loaded.effective).unwrap();
    assert!(!all.contains("hunter2"));
}

#[test]
fn an_unknown_name_in_the_file_is_refused_with_the_file() {
    let file = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
    std::fs::write(file.path(), "[tls]\ncertificate = \"x\"\n").unwrap();
    let mut given = sources(&[]);
    given.file = Some(file.path().to_owned());
    let refusal = given.load(Profile::Serve).unwrap_err();
    assert_eq!(refusal.setting, "tls.certificate");
    assert!(refusal.message.contains(&file.path().display().to_string()));
    std::fs::write(file.path(), "listen = [").unwrap();
    assert!(given.load(Profile::Serve).unwrap_err().message.contains("cannot be read"));
    std::fs::remove_file(file.path()).unwrap();
    assert!(given.load(Profile::Serve).unwrap_err().message.contains("cannot be read"));
}

#[test]
fn the_operators_guide_lists_every_setting() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operations.md")).unwrap();
    for setting in SETTINGS {
        let row =
            format!("| `{}` | {} |", setting.key, setting.default.map_or("-".into(), |value| format!("`{value}`")));
        assert!(guide.contains(&row), "docs/operations.md has no row: {row} {} |", setting.about);
    }
}
