//! The second defence against a secret in the trail: a field whose name says "secret" carries no value.
//!
//! The first defence is that only parameters which the vocabulary lists are recorded at all.

use serde_json::Value;

/// What stands in place of the value.
pub const REDACTED: &str = "[REDACTED]";

const NAMES: [&str; 17] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "privatekey",
    "accesskey",
    "signingkey",
    "authorization",
    "authorisation",
    "cookie",
    "credential",
    "bearer",
    "otp",
];

/// Whether a field of this name holds a secret, however it is written (`api_key`, `API-Key`, `stripeApiKey`).
#[must_use]
pub fn names_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    NAMES.iter().any(|secret| plain.ends_with(secret))
}

/// Replaces the values of fields with a secret's name, at every depth.
pub fn redact(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if names_secret(name) {
                    *field = Value::from(REDACTED);
                } else {
                    redact(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        _ => {}
    }
}

/// Whether no field with a secret's name holds anything but the mark.
#[must_use]
pub fn is_redacted(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            fields.iter().all(
                |(name, field)| {
                    if names_secret(name) { field.as_str() == Some(REDACTED) } else { is_redacted(field) }
                },
            )
        }
        Value::Array(items) => items.iter().all(is_redacted),
        _ => true,
    }
}
