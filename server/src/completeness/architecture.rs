//! The rooms and their directions, checked on the source itself.

use std::path::{Path, PathBuf};

use super::root;

/// Rooms that are not slices of the product.
const ROOMS: &[&str] =
    &["gate", "http", "crypto", "config", "dev", "jobs", "command", "testing", "completeness", "bin"];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let folder = root().join("server/src");
    let mut found = Vec::new();
    walk(&folder, &mut found);
    found.into_iter().map(|(path, text)| (path.strip_prefix(&folder).unwrap().to_owned(), text)).collect()
}

fn room(path: &Path) -> &str {
    path.components().next().unwrap().as_os_str().to_str().unwrap()
}

fn is_test(path: &Path) -> bool {
    let text = path.to_str().unwrap();
    text.contains("tests") || text.contains("testing") || text.contains("completeness") || text.ends_with("scene.rs")
}

/// Tenancy can be reviewed only where SQL is where one looks for it.
#[test]
fn sql_is_in_stores_and_in_the_gate() {
    /// Files with SQL of their own, and why.
    const EXCEPTIONS: &[(&str, &str)] = &[("app.rs", "readiness asks about privileges"), ("migrate.rs", "migrations")];
    for (path, text) in sources() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let in_store = name == "store.rs" || path.components().any(|part| part.as_os_str() == "store");
        let allowed = in_store
            || matches!(room(&path), "gate" | "dev" | "crypto" | "audit" | "command" | "bin")
            || is_test(&path)
            || EXCEPTIONS.iter().any(|(file, _)| path == Path::new(file));
        assert!(allowed || !text.contains("sqlx::query"), "SQL in {}", path.display());
    }
}

/// Rules can be read, tested and trusted alone only while they touch nothing.
#[test]
fn rules_have_no_io_clock_or_randomness() {
    for (path, text) in sources() {
        if path.file_name().unwrap() == "rules.rs" {
            let code = text.split("#[cfg(test)]").next().unwrap();
            for forbidden in ["sqlx", "tokio", "std::fs", "Utc::now", "rand::", "axum", ".await"] {
                assert!(!code.contains(forbidden), "{forbidden} in {}", path.display());
            }
        }
    }
}

/// The gate serves every slice, so it can know none.
#[test]
fn the_gate_knows_no_slice() {
    let all = sources();
    let slices: Vec<String> = all
        .iter()
        .filter(|(path, _)| path.components().count() > 1)
        .map(|(path, _)| room(path).to_owned())
        .filter(|name| !ROOMS.contains(&name.as_str()))
        .collect();
    assert!(slices.len() > 5);
    for (path, text) in all.iter().filter(|(path, _)| room(path) == "gate" && !is_test(path)) {
        for slice in &slices {
            assert!(!text.contains(&format!("crate::{slice}")), "{slice} in {}", path.display());
        }
    }
}

/// A slice's tables change through the slice alone: another one calls what its `mod.rs` publishes.
#[test]
fn stores_and_rules_are_private_to_their_slice() {
    for (path, text) in sources() {
        let own = room(&path).to_owned();
        for line in text.lines().filter(|line| line.contains("crate::") && line.contains("::store")) {
            let foreign = line.split("crate::").nth(1).and_then(|rest| rest.split("::").next()).unwrap_or_default();
            assert!(foreign == own || foreign == "crypto" || is_test(&path), "{}: {line}", path.display());
        }
    }
}
