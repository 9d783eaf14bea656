//! Tells cargo about two folders that the program embeds and that it would not look at otherwise.
fn main() {
    println!("cargo::rerun-if-changed=../migrations");
    // A path that does not exist would make every build a new one.
    if std::path::Path::new("../web/dist").exists() {
        println!("cargo::rerun-if-changed=../web/dist");
    }
}
