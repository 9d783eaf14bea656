//! A new migration has to reach the program that embeds it; nothing else tells cargo about that folder.
fn main() {
    println!("cargo::rerun-if-changed=../migrations");
}
