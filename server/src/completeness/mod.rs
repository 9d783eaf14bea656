//! What has to be complete: every action has an operation, every operation refuses strangers, what is generated is
//! current, and the rooms keep to their directions. Exceptions are listed with a reason and only shrink.
//!
//! Generated files are written anew with `BAILIWICK_BLESS=1 cargo test --lib completeness`.

mod actions;
mod api;
mod architecture;
mod inventory;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Compares a generated text with the committed file, or writes the file.
#[expect(clippy::disallowed_methods, reason = "asked for by whoever regenerates the files")]
fn current(path: &str, generated: &str) {
    let file = root().join(path);
    if std::env::var_os("BAILIWICK_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, generated).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == generated,
        "{path} is not current: BAILIWICK_BLESS=1 cargo test --lib completeness writes it anew"
    );
}
