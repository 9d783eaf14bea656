//! That erasing forgets no table.

use std::collections::BTreeSet;
use std::path::Path;

use super::store::{LEFT, STEPS};

/// Tables with a tenant's rows, as the migrations create them.
fn tenant_tables() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let mut tables = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for block in text.split("\ncreate table ").skip(1) {
            let name = block.split([' ', '(']).next().unwrap();
            let columns = block.split("\n)").next().unwrap();
            if columns.lines().any(|line| line.trim_start().starts_with("org_id ")) {
                tables.insert(name.to_owned());
            }
        }
    }
    tables
}

#[test]
fn every_table_with_a_tenants_rows_is_erased_or_left_for_a_reason() {
    let erased = STEPS.iter().map(|step| step.table);
    let left = LEFT.iter().map(|(table, _)| *table);
    let named: BTreeSet<String> = erased.chain(left).map(str::to_owned).collect();
    assert_eq!(tenant_tables(), named);
}
