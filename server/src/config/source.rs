//! Where values come from, in order of precedence, and the report about it.
#![expect(clippy::disallowed_methods, reason = "the configuration is the one reader of the environment")]

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use config::{FileFormat, Map, Source, Value, ValueKind};
use serde::Serialize;

use super::check::{self, Raw, Refusal};
use super::setting::{SETTINGS, find};
use super::{Config, PREFIX, Profile, RESERVED};

/// Everything that may hold a value. Gathered once, so that a test can say what the environment is.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// TOML file named by `--config` or `BAILIWICK_CONFIG`; it has to exist.
    pub file: Option<PathBuf>,
    /// The environment.
    pub environment: HashMap<String, String>,
    /// What the command line says, by setting name: stronger than everything else.
    pub command_line: BTreeMap<&'static str, String>,
    /// What the profile provides where nobody sets anything: weaker than everything but the built-in default.
    pub provided: BTreeMap<&'static str, String>,
}

/// Who said what a setting is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "name", rename_all = "camelCase")]
pub enum Origin {
    /// An option of the command.
    CommandLine,
    /// This variable.
    Environment(String),
    /// This file.
    File(PathBuf),
    /// `bailiwick dev` made it.
    Dev,
    /// Nobody; the built-in value.
    Default,
    /// Nobody, and there is no built-in value.
    Unset,
}

/// One line of `bailiwick config`.
#[derive(Debug, Clone, Serialize)]
pub struct Effective {
    /// The setting's dotted name.
    pub setting: &'static str,
    /// What is in force; a secret shows only that it is set.
    pub value: Option<String>,
    /// Who said so.
    pub origin: Origin,
}

/// A configuration together with the report about it.
#[derive(Debug)]
pub struct Loaded {
    /// What the program runs with.
    pub config: Config,
    /// One entry for each setting.
    pub effective: Vec<Effective>,
}

impl Sources {
    /// Takes the process's environment, and the file that `--config` or else `BAILIWICK_CONFIG` names.
    #[must_use]
    pub fn of_process(file: Option<PathBuf>) -> Self {
        let environment: HashMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let file = file.or_else(|| environment.get("BAILIWICK_CONFIG").map(PathBuf::from));
        Self { file, environment, ..Self::default() }
    }

    /// The value of one setting before anything is checked: for a profile that has to know it to provide the rest.
    ///
    /// # Errors
    /// The file cannot be read, or a name in it or in the environment is unknown.
    pub fn peek(&self, key: &'static str) -> Result<Option<String>, Refusal> {
        Ok(self.layers()?.pick(key).1)
    }

    /// Every setting, its value and who said so, whether or not the whole makes sense.
    ///
    /// # Errors
    /// The file cannot be read, or a name in it or in the environment is unknown.
    pub fn report(&self) -> Result<Vec<Effective>, Refusal> {
        Ok(self.layers()?.report())
    }

    /// Reads, merges and checks.
    ///
    /// # Errors
    /// The first thing that is wrong, by the setting's name.
    pub fn load(&self, profile: Profile) -> Result<Loaded, Refusal> {
        let layers = self.layers()?;
        let mut builder = config::Config::builder();
        for setting in SETTINGS {
            let value = self.provided.get(setting.key).map(String::as_str).or(setting.default);
            if let Some(value) = value {
                builder = builder.set_default(setting.key, value).map_err(|e| Refusal::of(setting.key, e))?;
            }
            if let Some(value) = self.command_line.get(setting.key) {
                builder = builder.set_override(setting.key, value.as_str()).map_err(|e| Refusal::of(setting.key, e))?;
            }
        }
        let raw: Raw = builder
            .add_source(Layer(layers.file.clone()))
            .add_source(Layer(layers.environment.clone()))
            .build()
            .and_then(config::Config::try_deserialize)
            .map_err(|error| Refusal::unreadable(&error))?;
        let config = check::check(raw, profile)?;
        Ok(Loaded { config, effective: layers.report() })
    }

    fn layers(&self) -> Result<Layers<'_>, Refusal> {
        let file = match &self.file {
            None => Map::new(),
            Some(path) => config::File::new(&path.to_string_lossy(), FileFormat::Toml)
                .collect()
                .map_err(|error| Refusal::file(path, &error))?,
        };
        let ours: HashMap<String, String> = self
            .environment
            .iter()
            .filter(|(name, _)| name.starts_with(PREFIX) && !RESERVED.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let environment = config::Environment::with_prefix(PREFIX.trim_end_matches('_'))
            .prefix_separator("_")
            .separator("__")
            .ignore_empty(true)
            .source(Some(ours))
            .collect()
            .map_err(|error| Refusal::unreadable(&error))?;
        let environment: Map<String, Value> = nest(environment);
        for key in leaves(&file).keys() {
            if find(key).is_none() {
                let place = self.file.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
                return Err(Refusal::unknown(key, &place));
            }
        }
        for key in leaves(&environment).keys() {
            if find(key).is_none() {
                let variable = format!("{PREFIX}{}", key.replace('.', "__").to_uppercase());
                return Err(Refusal::unknown(key, &format!("the environment variable {variable}")));
            }
        }
        Ok(Layers { sources: self, file, environment })
    }
}

struct Layers<'a> {
    sources: &'a Sources,
    file: Map<String, Value>,
    environment: Map<String, Value>,
}

impl Layers<'_> {
    fn pick(&self, key: &'static str) -> (Origin, Option<String>) {
        let Some(setting) = find(key) else {
            return (Origin::Unset, None);
        };
        if let Some(value) = self.sources.command_line.get(key) {
            return (Origin::CommandLine, Some(value.clone()));
        }
        if let Some(value) = leaves(&self.environment).remove(key) {
            return (Origin::Environment(setting.variable()), Some(value));
        }
        if let (Some(path), Some(value)) = (&self.sources.file, leaves(&self.file).remove(key)) {
            return (Origin::File(path.clone()), Some(value));
        }
        if let Some(value) = self.sources.provided.get(key) {
            return (Origin::Dev, Some(value.clone()));
        }
        match setting.default {
            Some(value) => (Origin::Default, Some(value.to_owned())),
            None => (Origin::Unset, None),
        }
    }

    fn report(&self) -> Vec<Effective> {
        let line = |setting: &'static super::Setting| {
            let (origin, value) = self.pick(setting.key);
            let value = value.map(|value| if setting.secret { String::from("********") } else { value });
            Effective { setting: setting.key, value, origin }
        };
        SETTINGS.iter().map(line).collect()
    }
}

/// A layer that was collected already, handed back to the crate that merges.
#[derive(Debug, Clone)]
struct Layer(Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

/// The environment collects as flat dotted names; a merge needs tables.
fn nest(flat: Map<String, Value>) -> Map<String, Value> {
    let mut top: Map<String, Value> = Map::new();
    for (key, value) in flat {
        match key.split_once('.') {
            None => {
                top.insert(key, value);
            }
            Some((table, rest)) => {
                let entry =
                    top.entry(table.to_owned()).or_insert_with(|| Value::new(None, ValueKind::Table(Map::new())));
                if let ValueKind::Table(inner) = &mut entry.kind {
                    inner.insert(rest.to_owned(), value);
                }
            }
        }
    }
    top
}

/// Every value by its dotted name; a list counts as one value.
fn leaves(table: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (key, value) in table {
        match &value.kind {
            ValueKind::Table(inner) => {
                found.extend(leaves(inner).into_iter().map(|(rest, value)| (format!("{key}.{rest}"), value)));
            }
            ValueKind::Array(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                found.insert(key.clone(), items.join(", "));
            }
            _ => {
                found.insert(key.clone(), value.to_string());
            }
        }
    }
    found
}

/// Where `bailiwick dev` keeps its data unless told otherwise. Root's home is closed to the database's own user, so
/// root gets a directory that others may pass through.
#[must_use]
pub fn user_data_directory(root: bool) -> PathBuf {
    if root {
        return PathBuf::from("/var/lib/bailiwick-dev");
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match (set("XDG_DATA_HOME"), set("HOME")) {
        (Some(data), _) => data.join("bailiwick"),
        (None, Some(home)) => home.join(".local/share/bailiwick"),
        (None, None) => PathBuf::from("bailiwick-data"),
    }
}
