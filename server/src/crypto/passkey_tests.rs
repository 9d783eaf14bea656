use super::*;
use crate::crypto::soft_authenticator::SoftAuthenticator;
use serde_json::json;

const ORIGIN: &str = "https://localhost:8443";

fn passkeys() -> Passkeys {
    Passkeys::new("localhost", &Url::parse(ORIGIN).unwrap()).unwrap()
}

fn through_json<T: Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_value(serde_json::to_value(value).unwrap()).unwrap()
}

/// Asserts a refusal for this reason: a wrong reason would hide a guard that is gone.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, PasskeyError>, reason: &str) {
    match result {
        Err(PasskeyError::Refused(text)) => assert!(text.contains(reason), "{text}"),
        other => panic!("{other:?}"),
    }
}

fn registered(device: &mut SoftAuthenticator, account: Uuid) -> Credential {
    let (options, state) = passkeys().start_registration(account, "ada@example.org", "Ada", &[]).unwrap();
    passkeys().finish_registration(&device.register(&options), &through_json(&state)).unwrap()
}

#[test]
fn registration_asks_for_a_resident_verified_credential_and_excludes_the_known() {
    let account = Uuid::from_u128(7);
    let mut device = SoftAuthenticator::new(ORIGIN);
    let first = registered(&mut device, account);
    let (options, _) =
        passkeys().start_registration(account, "ada@example.org", "Ada", std::slice::from_ref(&first)).unwrap();
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(options["authenticatorSelection"]["requireResidentKey"], true);
    assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
    assert_eq!(options["excludeCredentials"][0]["id"], json!(encode(first.id())));
    assert_eq!(options["rp"]["id"], "localhost");
}

#[test]
fn registration_refuses_an_unverified_user_another_origin_and_garbage() {
    let (options, state) = passkeys().start_registration(Uuid::from_u128(7), "a@b.example", "Ada", &[]).unwrap();
    let mut careless = SoftAuthenticator::new(ORIGIN);
    careless.verifies_user = false;
    let answer = careless.register(&options);
    refused(passkeys().finish_registration(&answer, &state), "user verified bit");
    let answer = SoftAuthenticator::new("https://localhost:9443").register(&options);
    refused(passkeys().finish_registration(&answer, &state), "origin");
    let garbage = passkeys().finish_registration(&json!({"id": 1}), &state);
    assert!(matches!(garbage, Err(PasskeyError::Malformed(_))));
}

#[test]
fn sign_in_without_a_user_name() {
    let account = Uuid::from_u128(7);
    let mut device = SoftAuthenticator::new(ORIGIN);
    let credential = registered(&mut device, account);
    let (options, state) = passkeys().start_sign_in().unwrap();
    assert_eq!(options["userVerification"], "required");
    assert_eq!(options["allowCredentials"], json!([]));
    let answer = device.assert(&options);
    let claim = Claim::of(&answer).unwrap();
    assert_eq!(claim, Claim { credential_id: credential.id().to_vec(), account: Some(account) });
    let verified = passkeys().finish_sign_in(&answer, through_json(&state), account, &credential).unwrap();
    assert_eq!(to_json(&verified.credential).unwrap()["cred"]["counter"], 1);
}

#[test]
fn sign_in_refuses_another_owner_another_challenge_and_an_unverified_user() {
    let account = Uuid::from_u128(7);
    let mut device = SoftAuthenticator::new(ORIGIN);
    let credential = registered(&mut device, account);
    let (options, state) = passkeys().start_sign_in().unwrap();
    let (_, other_state) = passkeys().start_sign_in().unwrap();
    let answer = device.assert(&options);
    refused(
        passkeys().finish_sign_in(&answer, state.clone(), Uuid::from_u128(8), &credential),
        "names another account",
    );
    refused(passkeys().finish_sign_in(&answer, other_state, account, &credential), "challenge");
    let stranger = registered(&mut SoftAuthenticator::new(ORIGIN), account);
    refused(passkeys().finish_sign_in(&answer, state.clone(), account, &stranger), "could not be found");
    device.verifies_user = false;
    let answer = device.assert(&options);
    refused(passkeys().finish_sign_in(&answer, state, account, &credential), "user verified bit");
}

#[test]
fn a_counter_that_does_not_move_forward_is_its_own_error() {
    let account = Uuid::from_u128(7);
    let mut device = SoftAuthenticator::new(ORIGIN);
    let credential = registered(&mut device, account);
    device.counter = 41;
    let (options, state) = passkeys().start_sign_in().unwrap();
    let used = passkeys().finish_sign_in(&device.assert(&options), state, account, &credential).unwrap().credential;
    for behind in [41, 10] {
        device.counter = behind;
        let (options, state) = passkeys().start_sign_in().unwrap();
        let result = passkeys().finish_sign_in(&device.assert(&options), state, account, &used);
        assert!(matches!(result, Err(PasskeyError::Counter)), "counter {}", device.counter);
    }
    let (options, state) = passkeys().start_confirmation(std::slice::from_ref(&used), [1; 32]).unwrap();
    device.counter = 5;
    let result = passkeys().finish_confirmation(&device.assert(&options), &state, &[used]);
    assert!(matches!(result, Err(PasskeyError::Counter)));
}

#[test]
fn a_confirmation_answers_our_challenge_and_no_other() {
    let mut device = SoftAuthenticator::new(ORIGIN);
    let credential = registered(&mut device, Uuid::from_u128(7));
    let credentials = [credential];
    let (mut options, state) = passkeys().start_confirmation(&credentials, [9; 32]).unwrap();
    assert_eq!(options["challenge"], json!(encode(&[9; 32])));
    assert_eq!(options["userVerification"], "required");
    let state = through_json(&state);
    assert!(passkeys().finish_confirmation(&device.assert(&options), &state, &credentials).is_ok());

    let (_, other) = passkeys().start_confirmation(&credentials, [8; 32]).unwrap();
    let answer = device.assert(&options);
    refused(passkeys().finish_confirmation(&answer, &other, &credentials), "challenge");
    options["challenge"] = json!(encode(&[7; 32]));
    refused(passkeys().finish_confirmation(&device.assert(&options), &state, &credentials), "challenge");
}

#[test]
fn a_confirmation_refuses_another_origin_another_party_and_a_removed_passkey() {
    let mut device = SoftAuthenticator::new(ORIGIN);
    let credential = registered(&mut device, Uuid::from_u128(7));
    let newer = registered(&mut SoftAuthenticator::new(ORIGIN), Uuid::from_u128(7));
    let credentials = [credential];
    let (options, state) = passkeys().start_confirmation(&credentials, [9; 32]).unwrap();
    let answer = device.assert_for("evil.example", &options);
    refused(passkeys().finish_confirmation(&answer, &state, &credentials), "party id hash");
    refused(passkeys().finish_confirmation(&device.assert(&options), &state, &[newer]), "could not be found");
    device.origin = "https://localhost.evil.example:8443".to_owned();
    refused(passkeys().finish_confirmation(&device.assert(&options), &state, &credentials), "origin");
    refused(passkeys().start_confirmation(&[], [9; 32]), "no passkey");
}

#[test]
fn another_relying_party_is_refused_and_a_foreign_origin_cannot_be_configured() {
    let account = Uuid::from_u128(7);
    let mut device = SoftAuthenticator::new("https://other.example");
    let other = Passkeys::new("other.example", &Url::parse("https://other.example").unwrap()).unwrap();
    let (options, state) = other.start_registration(account, "a@b.example", "Ada", &[]).unwrap();
    let credential = other.finish_registration(&device.register(&options), &state).unwrap();
    let (options, state) = passkeys().start_sign_in().unwrap();
    device.origin = ORIGIN.to_owned();
    let answer = device.assert_for("other.example", &options);
    let result = passkeys().finish_sign_in(&answer, state, account, &credential);
    refused(result, "party id hash");
    assert!(Passkeys::new("localhost", &Url::parse("https://evil.example").unwrap()).is_err());
}

#[test]
fn the_relying_party_survives_serialisation() {
    let document = serde_json::to_value(passkeys()).unwrap();
    assert_eq!(document, json!({"rpId": "localhost", "origin": "https://localhost:8443/"}));
    assert!(
        serde_json::from_value::<Passkeys>(json!({"rpId": "localhost", "origin": "https://evil.example/"})).is_err()
    );
}

/// Confirmations edit the library's serialised state. Whoever raises its version reads this test first and checks that
/// the challenge and the credentials still live where the code puts them.
#[test]
fn the_state_format_is_pinned_to_the_library_version() {
    let lock = include_str!("../../../Cargo.lock");
    assert!(lock.contains("name = \"webauthn-rs\"\nversion = \"0.6.2\""), "the library's version changed");
    let credential = registered(&mut SoftAuthenticator::new(ORIGIN), Uuid::from_u128(7));
    let (_, state) = passkeys().start_confirmation(std::slice::from_ref(&credential), [9; 32]).unwrap();
    let state = to_json(&state).unwrap();
    let names: Vec<&String> = state["ast"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["allow_backup_eligible_upgrade", "appid", "challenge", "credentials", "policy"]);
    assert_eq!(state["ast"]["challenge"], json!(encode(&[9; 32])));
    assert_eq!(state["ast"]["credentials"][0], to_json(&credential).unwrap()["cred"]);
    assert_eq!(state["ast"]["policy"], "required");
}
