//! Text that people type: names and e-mail addresses, in the one form that is stored, compared and shown.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::code::Code;

/// The longest name of an account, organisation or sandbox, in graphemes.
pub const NAME_GRAPHEMES: usize = 100;
/// The longest name of an area, in graphemes.
pub const AREA_GRAPHEMES: usize = 60;
/// The longest e-mail address, in bytes of its normalised form.
pub const EMAIL_BYTES: usize = 254;
/// The longest part before the `@`, in bytes of its normalised form.
const LOCAL_BYTES: usize = 64;
/// One grapheme may carry any number of combining marks, so bytes have a bound of their own.
const BYTES_PER_GRAPHEME: usize = 16;

/// Why a text is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    /// The stable reason: `required`, `too_long` or `invalid_text`.
    pub code: Code,
    /// The reason in English, without the text itself.
    pub message: String,
}

impl TextError {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// An e-mail address: what identifies a person, and what they typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Email {
    /// Trimmed, NFC, lower case, the domain in its ASCII form: stored, compared and indexed.
    pub address: String,
    /// As typed, trimmed and NFC: shown.
    pub typed: String,
}

/// The name of an account, organisation or sandbox: trimmed, NFC, at most [`NAME_GRAPHEMES`] long.
///
/// # Errors
/// `required` when nothing visible is left, `too_long`, or `invalid_text` for control characters and bidirectional
/// overrides.
pub fn name(text: &str) -> Result<String, TextError> {
    line(text, NAME_GRAPHEMES)
}

/// The name of an area: as [`name`], at most [`AREA_GRAPHEMES`] long.
///
/// # Errors
/// As [`name`].
pub fn area_name(text: &str) -> Result<String, TextError> {
    line(text, AREA_GRAPHEMES)
}

/// Most code points that one visible character may be made of: the longest emoji has eleven.
const GRAPHEME_CHARACTERS: usize = 16;

fn line(text: &str, graphemes: usize) -> Result<String, TextError> {
    let trimmed = text.trim();
    let too_long = || TextError::new(Code::TooLong, format!("at most {graphemes} characters are allowed"));
    if trimmed.len() > graphemes * BYTES_PER_GRAPHEME {
        return Err(too_long());
    }
    let normal: String = trimmed.nfc().collect();
    if normal.chars().all(is_invisible) {
        return Err(TextError::new(Code::Required, "a name is required"));
    }
    if normal.chars().any(is_unsafe) {
        return Err(TextError::new(Code::InvalidText, "control, direction and invisible characters are not allowed"));
    }
    if normal.graphemes(true).any(|grapheme| grapheme.chars().count() > GRAPHEME_CHARACTERS) {
        return Err(TextError::new(Code::InvalidText, "too many marks on one character"));
    }
    if normal.len() > graphemes * BYTES_PER_GRAPHEME || normal.graphemes(true).count() > graphemes {
        return Err(too_long());
    }
    Ok(normal)
}

/// Reads an e-mail address.
///
/// # Errors
/// `required` when empty, `too_long` over [`EMAIL_BYTES`], `invalid_text` when it is not an address that mail could
/// reach: quoted local parts, address literals and domains of one label are refused.
pub fn email(text: &str) -> Result<Email, TextError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(TextError::new(Code::Required, "an e-mail address is required"));
    }
    let too_long = || TextError::new(Code::TooLong, format!("at most {EMAIL_BYTES} bytes are allowed"));
    // The typed form of a domain may be longer than its ASCII form, but never by this much.
    if trimmed.len() > EMAIL_BYTES * 2 {
        return Err(too_long());
    }
    let typed: String = trimmed.nfc().collect();
    let invalid = || TextError::new(Code::InvalidText, "this is not an e-mail address");
    let (local, domain) = typed.rsplit_once('@').ok_or_else(invalid)?;
    let local = local_part(local).ok_or_else(invalid)?;
    let domain = domain_part(domain).ok_or_else(invalid)?;
    let address = format!("{local}@{domain}");
    if local.len() > LOCAL_BYTES || address.len() > EMAIL_BYTES {
        return Err(too_long());
    }
    Ok(Email { address, typed })
}

/// Dot-separated atoms, ASCII or not, in lower case.
fn local_part(text: &str) -> Option<String> {
    let lower: String = text.to_lowercase().nfc().collect();
    let atoms = lower.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom));
    atoms.then_some(lower)
}

fn is_atom(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c)
    } else {
        !(c.is_whitespace() || is_unsafe(c) || is_invisible(c))
    }
}

fn domain_part(text: &str) -> Option<String> {
    let ascii = idna::domain_to_ascii_strict(text).ok()?;
    let labels: Vec<&str> = ascii.split('.').collect();
    let top = labels.last()?;
    let reachable =
        labels.len() > 1 && labels.iter().all(|label| !label.is_empty()) && !top.bytes().all(|b| b.is_ascii_digit());
    reachable.then_some(ascii)
}

/// Would break a line, show another order than it is stored in, or make two names look the same: controls, directional
/// marks, code points that never are characters, and those that Unicode says to show as nothing
/// (Default_Ignorable_Code_Point). The two joiners and the variation selectors stay: writing systems and emoji need them.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        )
        || matches!(c, '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}')
        || matches!(c, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// Leaves no mark of its own.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name_code(text: &str) -> Option<Code> {
        name(text).err().map(|error| error.code)
    }

    fn email_code(text: &str) -> Option<Code> {
        email(text).err().map(|error| error.code)
    }

    #[test]
    fn names_are_trimmed_composed_and_counted_in_graphemes() {
        assert_eq!(name("  Zoe\u{301} Żółć  ").unwrap(), "Zoé Żółć");
        assert_eq!(name("東京都庁").unwrap(), "東京都庁");
        let family = "👨‍👩‍👧";
        assert!(name(&family.repeat(5)).is_ok());
        assert!(name(&"é".repeat(NAME_GRAPHEMES)).is_ok());
        assert_eq!(name_code(&"é".repeat(NAME_GRAPHEMES + 1)), Some(Code::TooLong));
        assert_eq!(area_name(&"x".repeat(AREA_GRAPHEMES + 1)).unwrap_err().code, Code::TooLong);
        assert_eq!(name_code(&format!("a{}", "\u{301}".repeat(5000))), Some(Code::TooLong));
    }

    #[test]
    fn names_without_a_mark_and_names_that_deceive_are_refused() {
        for empty in ["", "   ", "\u{200b}", "\u{3164} ", "\u{feff}"] {
            assert_eq!(name_code(empty), Some(Code::Required), "{empty:?}");
        }
        for bad in [
            "a\nb",
            "a\0b",
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200f}b",
            "a\u{2028}b",
            "a\u{7f}b",
            "a\u{200b}b",
            "a\u{e0041}b",
            "a\u{ad}b",
            "a\u{ffff}b",
            "a\u{115f}b",
        ] {
            assert_eq!(name_code(bad), Some(Code::InvalidText), "{bad:?}");
        }
    }

    #[test]
    fn an_address_has_one_normalised_form_and_keeps_the_typed_one() {
        let read = email("  Zoe\u{301}.Nowak@BÜCHER.example ").unwrap();
        assert_eq!(read.address, "zoé.nowak@xn--bcher-kva.example");
        assert_eq!(read.typed, "Zoé.Nowak@BÜCHER.example");
        assert_eq!(email("zoé.nowak@xn--bcher-kva.example").unwrap().address, read.address);
        assert_eq!(email("A+b@Example.ORG").unwrap().address, "a+b@example.org");
    }

    #[test]
    fn rubbish_is_no_address() {
        for bad in [
            "a",
            "@b.c",
            "a@",
            "a@b",
            "a@@b.c",
            "a b@c.d",
            ".a@b.c",
            "a.@b.c",
            "a..b@c.d",
            "a@-b.c",
            "a@b..c",
            "a@b.c.",
            "a@[127.0.0.1]",
            "a@127.0.0.1",
            "\"a\"@b.c",
            "a@b c.d",
            "a\u{200b}@b.c",
            "a\n@b.c",
            "a\u{202e}@b.c",
            "<a@b.c>",
            "a@b.c,d@e.f",
            "a@exa_mple.org",
            "a@b.c\r\nBcc: x@y.z",
        ] {
            assert_eq!(email_code(bad), Some(Code::InvalidText), "{bad:?}");
        }
        assert_eq!(email_code(" "), Some(Code::Required));
        assert_eq!(email_code(&format!("{}@b.example", "a".repeat(65))), Some(Code::TooLong));
        let domain = "d".repeat(60);
        assert_eq!(email_code(&format!("{}@{domain}.{domain}.{domain}.example", "a".repeat(64))), Some(Code::TooLong));
    }

    proptest! {
        #[test]
        fn a_name_that_is_accepted_is_accepted_unchanged(text in "\\PC{0,40}") {
            if let Ok(once) = name(&text) {
                prop_assert_eq!(name(&once).unwrap(), once);
            }
        }

        #[test]
        fn normalising_an_address_twice_is_normalising_it_once(local in "[\\PC]{1,20}", domain in "[a-zA-Zżółć0-9-]{1,10}\\.[a-zA-Z]{2,5}") {
            if let Ok(read) = email(&format!("{local}@{domain}")) {
                prop_assert_eq!(&email(&read.address).unwrap().address, &read.address);
                prop_assert_eq!(&email(&read.typed).unwrap(), &read);
            }
        }
    }

    #[test]
    fn what_a_record_cannot_hold_never_becomes_a_name() {
        for c in (0..=0x0010_ffff).filter_map(char::from_u32) {
            assert!(!crate::audit::record::forbidden(c) || is_unsafe(c), "{:04x}", c as u32);
        }
    }

    #[test]
    fn a_pile_of_marks_is_refused_and_a_family_is_not() {
        assert_eq!(name_code(&format!("a{}", "\u{301}".repeat(40))), Some(Code::InvalidText));
        assert!(name("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} Kowalscy").is_ok());
        assert!(name("\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}").is_ok());
    }
}
