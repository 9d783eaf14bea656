//! Everything that is stored is in the data inventory.

use super::root;

#[test]
fn every_table_is_in_the_data_inventory() {
    let inventory = std::fs::read_to_string(root().join("docs/data-inventory.md")).unwrap();
    let mut tables = 0;
    for migration in crate::migrate::MIGRATIONS.iter() {
        for line in migration.sql.as_str().lines() {
            let Some(rest) = line.strip_prefix("create table ") else { continue };
            if rest.contains(" partition of ") {
                continue;
            }
            let table = rest.split([' ', '(']).next().unwrap();
            assert!(inventory.contains(&format!("`{table}`")), "{table} is not in docs/data-inventory.md");
            tables += 1;
        }
    }
    assert!(tables > 25, "{tables}");
}
