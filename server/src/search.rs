//! What somebody types into a search box, as a pattern for `ilike`. Pure.

/// A pattern that finds `text` anywhere, with the pattern language's own characters taken literally. None where there is
/// nothing to search for.
pub fn pattern(text: Option<&str>) -> Option<String> {
    let text = text?.trim();
    if text.is_empty() {
        return None;
    }
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_are_taken_literally_and_nothing_finds_everything() {
        assert_eq!(pattern(Some(" a_b%\\c ")).as_deref(), Some("%a\\_b\\%\\\\c%"));
        assert_eq!(pattern(Some("  ")), None);
        assert_eq!(pattern(None), None);
    }
}
