//! What the database alone can do: pgbench with the statements that the server sends for the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use url::Url;
use uuid::Uuid;

use crate::{ACCOUNT, CLIENTS, DATABASE, Fallible, ORGANISATION, RUN, SANDBOX, SIGN_IN};

/// The statements of one request, sent by pgbench. Those that the server sends in one round trip go in one here too.
pub struct Rival {
    script: PathBuf,
    values: Vec<String>,
    database: Url,
}

impl Rival {
    /// Writes the script for this session's request.
    pub fn new(folder: &Path, database: &Url, session: &[u8]) -> Fallible<Self> {
        let store = include_str!("../../src/members/store.rs");
        let [account, organisation, sandbox, sign_in] =
            [ACCOUNT, ORGANISATION, SANDBOX, SIGN_IN].map(|id| id.to_string());
        let mut script = Script::default();
        let session_read =
            literal(include_str!("../../src/gate/session_store.rs"), "let found: Option<(Value, DateTime<Utc>)>")?;
        script.statement(session_read, &[&format!("\\x{}", hex::encode(session))]);
        script.text += "\\startpipeline\n";
        script.statement("begin isolation level repeatable read read only", &[]);
        script.statement(&format!("set local app.org = '{organisation}'"), &[]);
        script.statement(&format!("set local app.account = '{account}'"), &[]);
        script.statement("set local app.lookup = ''", &[]);
        script.text += "\\endpipeline\n";
        let standing = literal(include_str!("../../src/gate/standing.rs"), "const STANDING: &str =")?;
        script.statement(standing, &[&sign_in, &account, &organisation, &sandbox, &chrono::Utc::now().to_rfc3339()]);
        let (page, nil) = (literal(store, "fn page<M>")?, Uuid::nil().to_string());
        script.statement(page, &[&organisation, &sandbox, "1970-01-01T00:00:00Z", &nil, "null", "51"]);
        script.statement(literal(store, "fn owner<M>")?, &[&account]);
        script.statement("commit", &[]);
        let file = folder.join("request.sql");
        fs::write(&file, &script.text)?;
        Ok(Self { script: file, values: script.values, database: database.clone() })
    }

    /// Transactions a second.
    pub fn rate(&self) -> Fallible<f64> {
        let socket = self.database.query_pairs().find(|(name, _)| name == "host").ok_or("no socket")?.1.into_owned();
        let clients = CLIENTS.to_string();
        let output = Command::new("pgbench")
            .args(["-n", "-M", "prepared", "-j", "2", "-U", "bailiwick_app", "-c", &clients, "-h", &socket])
            .args(["-T", &RUN.as_secs().to_string()])
            .args(self.values.iter().flat_map(|value| ["-D", value.as_str()]))
            .arg("-f")
            .arg(&self.script)
            .arg(DATABASE)
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).and_then(|rest| rest.split(' ').next());
        match rate {
            Some(rate) if output.status.success() => Ok(rate.parse()?),
            _ => Err(format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr)).into()),
        }
    }
}

/// The first string literal after `marker`, read from the program's own source so that both sides send the same text.
fn literal<'a>(source: &'a str, marker: &str) -> Fallible<&'a str> {
    let after = source.split_once(marker).and_then(|(_, after)| after.split_once("\"")).map(|(_, after)| after);
    Ok(after.and_then(|after| after.split_once("\"")).ok_or_else(|| format!("no statement after `{marker}`"))?.0)
}

/// What pgbench is given: the statements, and the values that it binds to them.
#[derive(Default)]
struct Script {
    text: String,
    values: Vec<String>,
}

impl Script {
    /// Adds a statement; its `$n` becomes a variable with the n-th value, or the word null, which no variable can hold.
    fn statement(&mut self, sql: &str, values: &[&str]) {
        let mut sql = sql.to_owned();
        for (index, value) in values.iter().enumerate() {
            let name = format!("v{}", self.values.len());
            let place = if *value == "null" { (*value).to_owned() } else { format!(":{name}") };
            sql = sql.replace(&format!("${}", index + 1), &place);
            self.values.push(format!("{name}={value}"));
        }
        self.text += sql.trim();
        self.text += ";\n";
    }
}
