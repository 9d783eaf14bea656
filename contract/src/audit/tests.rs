use super::chain::ORIGIN;
use super::checkpoint::verifier_key;
use super::record::{self, MAX_BYTES, MAX_INTEGER, parse_time, time};
use super::verify::{Break, Link, Walk};
use super::*;
use chrono::{DateTime, Utc};
use ed25519_dalek::SigningKey;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use uuid::Uuid;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn sample() -> Record {
    Record {
        id: Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001),
        at: at("2026-12-01T02:03:04.000500Z"),
        organisation: Uuid::from_u128(0xa),
        sandbox: Some(Uuid::from_u128(0xb)),
        actor: Actor { kind: "person".into(), id: Some("acc_1".into()), behalf: None },
        action: "member.remove".into(),
        target: Target { kind: "member".into(), id: "mbr_1".into() },
        ruling: Ruling::ConfirmedDone,
        reason: None,
        confirmation: Some("prp_1".into()),
        request: Some("req".into()),
        parameters: json!({ "role": "viewer", "areas": ["shop"] }).as_object().unwrap().clone(),
        sealed: vec![Sealed {
            field: "actor.name".into(),
            key: Uuid::from_u128(0xc).simple().to_string(),
            nonce: "00".repeat(12),
            ct: "AAAAAAAAAAAAAAAAAAAAAAAA".into(),
        }],
    }
}

fn with(parameters: Value) -> Record {
    Record { parameters: parameters.as_object().unwrap().clone(), ..sample() }
}

#[test]
fn bytes_are_a_known_answer() {
    let bytes = sample().encode().unwrap();
    let expected = concat!(
        r#"{"action":"member.remove","actor":{"id":"acc_1","kind":"person"},"at":"2026-12-01T02:03:04.000500Z","#,
        r#""chains":["0000000000000000000000000000000b","0000000000000000000000000000000a"],"confirmation":"prp_1","#,
        r#""decision":"confirm","id":"rec_01900000000070008000000000000001","outcome":"done","#,
        r#""parameters":{"areas":["shop"],"role":"viewer"},"request":"req","#,
        r#""sealed":[{"ct":"AAAAAAAAAAAAAAAAAAAAAAAA","field":"actor.name","key":"0000000000000000000000000000000c","#,
        r#""nonce":"000000000000000000000000"}],"target":{"id":"mbr_1","kind":"member"},"v":1}"#,
    );
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
    assert_eq!(Record::decode(&bytes).unwrap(), sample());
}

#[test]
fn columns_agree_with_the_record() {
    let bytes = sample().encode().unwrap();
    let columns = Columns::of(&bytes).unwrap();
    let record = sample();
    assert_eq!((columns.id, columns.organisation, columns.sandbox), (record.id, record.organisation, record.sandbox));
    assert_eq!(columns.at_micros, record.at.timestamp_micros());
    assert_eq!((&*columns.actor_kind, columns.actor_id.as_deref()), ("person", Some("acc_1")));
    assert_eq!((&*columns.target_kind, &*columns.target_id), ("member", "mbr_1"));
    assert_eq!((&*columns.action, &*columns.decision, &*columns.outcome), ("member.remove", "confirm", "done"));
    assert_eq!(columns.reason, None);
}

#[test]
fn other_spellings_are_refused() {
    let text = String::from_utf8(sample().encode().unwrap()).unwrap();
    let altered = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Record::decode(text.replacen(from, to, 1).as_bytes()).unwrap_err()
    };
    assert_eq!(altered(r#""v":1"#, r#""v": 1"#), RecordError::NotCanonical);
    assert_eq!(altered(r#""v":1"#, r#""v":1,"v":1"#), RecordError::NotCanonical);
    assert_eq!(altered(r#""v":1"#, r#""v":1.0"#), RecordError::Number);
    assert_eq!(altered(r#""v":1"#, r#""v":2"#), RecordError::Schema);
    assert_eq!(altered(r#""v":1"#, r#""v":1,"w":1"#), RecordError::Schema);
    assert_eq!(altered("viewer", "\\u0076iewer"), RecordError::NotCanonical);
    assert_eq!(altered("viewer", "\\u0000"), RecordError::Text);
    assert_eq!(altered("viewer", "\u{202e}reweiv"), RecordError::Text);
    assert_eq!(altered(r#""role""#, r#""rôle""#), RecordError::Key);
    assert_eq!(altered("04.000500Z", "04.0005Z"), RecordError::Time);
    assert_eq!(altered("04.000500Z", "04.000500+00:00"), RecordError::Time);
    assert_eq!(altered("rec_0190", "rec_ABCD"), RecordError::Schema);
    assert_eq!(altered(r#""confirm""#, r#""deny""#), RecordError::Contradiction);
    assert_eq!(altered(r#""role":"viewer""#, r#""token":"viewer""#), RecordError::Unredacted);
    assert_eq!(altered(r#""nonce":"00"#, r#""nonce":"zz"#), RecordError::Schema);
}

#[test]
fn contradictions_have_no_ruling() {
    for decision in ["allow", "confirm", "deny"] {
        for outcome in [Outcome::Done, Outcome::Denied, Outcome::Aborted, Outcome::Failed, Outcome::Parked] {
            let possible = matches!(
                (decision, outcome),
                ("allow", Outcome::Done | Outcome::Failed)
                    | ("deny", Outcome::Denied)
                    | ("confirm", Outcome::Done | Outcome::Failed | Outcome::Aborted | Outcome::Parked)
            );
            assert_eq!(Ruling::of(decision, outcome.as_str()).is_ok(), possible, "{decision} {outcome:?}");
        }
    }
}

#[test]
fn secrets_are_marked_at_every_depth() {
    let record = with(json!({ "list": [{ "stripeApiKey": "k", "deep": { "Pass-Word": { "a": 1 } } }], "tokens": [1] }));
    let read = Record::decode(&record.encode().unwrap()).unwrap();
    let expected = json!({
        "list": [{ "stripeApiKey": "[REDACTED]", "deep": { "Pass-Word": "[REDACTED]" } }], "tokens": "[REDACTED]"
    });
    assert_eq!(Value::Object(read.parameters), expected);
}

#[test]
fn numbers_and_depth_have_limits() {
    assert!(with(json!({ "n": MAX_INTEGER, "m": -MAX_INTEGER })).encode().is_ok());
    assert_eq!(with(json!({ "n": MAX_INTEGER + 1 })).encode(), Err(RecordError::Number));
    assert_eq!(with(json!({ "n": 0.5 })).encode(), Err(RecordError::Number));
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(with(json!({ "n": nested(14) })).encode().is_ok());
    assert_eq!(with(json!({ "n": nested(15) })).encode(), Err(RecordError::Depth));
}

#[test]
fn a_larger_parameter_is_cut_and_named_by_its_hash() {
    let record = with(json!({ "small": "kept", "large": "ż".repeat(40_000) }));
    let bytes = record.encode().unwrap();
    assert!(bytes.len() <= MAX_BYTES);
    let read = Record::decode(&bytes).unwrap();
    assert_eq!(read.parameters["small"], "kept");
    assert_eq!(read.parameters["large"]["length"], 80_002);
    assert_eq!(read.parameters["large"]["sha256"].as_str().unwrap().len(), 64);
    let many: Map<String, Value> = (0..2_000).map(|n| (format!("p{n}"), json!("x".repeat(60)))).collect();
    assert_eq!(Record { parameters: many, ..sample() }.encode(), Err(RecordError::Length));
}

/// The roots of RFC 6962's own test data, as the reference implementation publishes them.
#[test]
fn tree_roots_are_known_answers() {
    let leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    let roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    let mut tree = Frontier::default();
    assert_eq!(hex::encode(tree.root()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    for (data, root) in leaves.iter().zip(roots) {
        tree.push(leaf(&hex::decode(data).unwrap()));
        assert_eq!(hex::encode(tree.root()), root);
        assert_eq!(Frontier::from_bytes(&tree.to_bytes()).as_ref(), Some(&tree));
    }
    assert_eq!(Frontier::from_bytes(&tree.to_bytes()[1..]), None);
    assert_eq!(Frontier::from_bytes(&[0; 40]), None);
}

/// Computed with Python's hashlib and hmac from the formulas in `docs/audit.md`.
#[test]
fn chain_values_are_known_answers() {
    let leaf = leaf(b"record");
    assert_eq!(hex::encode(leaf), "e610a112edd75ddb57ea4d2ed191a086bc913ce590bb8f2b6db95d3cc3fe2e0e");
    let link = link(Uuid::from_u128(1), 1, &ORIGIN, &leaf);
    assert_eq!(hex::encode(link), "fe08d66adbaf7614832bf1a1dd551eff029e74ca89115e3ed70de22b7e61294b");
    let key = MacKey::first([7; 32]);
    assert_eq!(hex::encode(mac(&key, &link)), "6c61ac36a5c48a723969fd859c33603513d18f87e9ca3ab72f4413e0d10f1562");
    assert_eq!(
        hex::encode(mac(&key.after(2), &link)),
        "b6ab462ee8f73279e2f1c9133f49dc4b7cca208bc808ed0a8f45597c282c4eed"
    );
}

fn checkpoint() -> Checkpoint {
    Checkpoint {
        chain: Uuid::from_u128(1),
        size: 3,
        root: [1; 32],
        link: [2; 32],
        epoch: 4,
        at: time(at("2026-12-01T00:00:00Z")),
    }
}

#[test]
fn a_note_verifies_only_as_it_was_signed() {
    let key = SigningKey::from_bytes(&[9; 32]);
    let note = checkpoint().sign(&key);
    assert_eq!(note.verify(&key.verifying_key()), Ok(checkpoint()));
    let other = SigningKey::from_bytes(&[8; 32]);
    assert_eq!(note.verify(&other.verifying_key()), Err(NoteError::UnknownKey));
    let forged = Note::from_text(note.as_str().replacen("\n3\n", "\n4\n", 1));
    assert_eq!(forged.verify(&key.verifying_key()), Err(NoteError::BadSignature));
    for (from, to) in [("\n3\n", "\n03\n"), ("epoch", "Epoch"), ("\n\n", "\nmore\n\n"), ("\u{2014}", "-")] {
        let altered = Note::from_text(note.as_str().replacen(from, to, 1));
        assert_eq!(altered.verify(&key.verifying_key()), Err(NoteError::Malformed), "{from:?}");
    }
    // A witness may add its signature below or above ours.
    let body = note.as_str().split_once("\n\n").unwrap();
    let witnessed = Note::from_text(format!("{}\n\n\u{2014} witness AAAAAAAA\n{}", body.0, body.1));
    assert_eq!(witnessed.verify(&key.verifying_key()), Ok(checkpoint()));
    assert!(verifier_key(checkpoint().chain, &key.verifying_key()).starts_with("bailiwick/audit/0000"));
}

#[test]
#[expect(clippy::type_complexity, reason = "one closure that alters a link in a test")]
fn a_walk_names_the_kind_of_the_first_break() {
    let chain = Uuid::from_u128(5);
    let first = MacKey::first([3; 32]);
    let bodies: Vec<Vec<u8>> = (0..6u8).map(|n| vec![n]).collect();
    let epochs = [0u64, 0, 1, 1, 2, 2];
    let mut links = Vec::new();
    let mut previous = ORIGIN;
    for (index, body) in bodies.iter().enumerate() {
        let hash = leaf(body);
        previous = link(chain, index as u64 + 1, &previous, &hash);
        links.push((hash, previous, mac(&first.clone().after(epochs[index]), &previous)));
    }
    let walk = |alter: &dyn Fn(usize, &mut (u64, u64, Hash, Hash, Hash, Vec<u8>)) -> bool| {
        let mut walk = Walk::new(chain, Some(first.clone()), true);
        for (index, (leaf, link, mac)) in links.iter().enumerate() {
            let mut row = (index as u64 + 1, epochs[index], *leaf, *link, *mac, bodies[index].clone());
            if !alter(index, &mut row) {
                continue;
            }
            let step = Link { seq: row.0, epoch: row.1, leaf: &row.2, link: &row.3, mac: &row.4 };
            if let Err(found) = walk.step(&step, Some(&row.5)) {
                return Some((walk.seq() + 1, found));
            }
        }
        None
    };
    assert_eq!(walk(&|_, _| true), None);
    assert_eq!(walk(&|index, _| index != 3), Some((4, Break::Sequence)));
    assert_eq!(walk(&|index, _| index != 0), Some((1, Break::Sequence)));
    assert_eq!(
        walk(&|index, row| {
            if index == 2 {
                row.5.push(1);
            }
            true
        }),
        Some((3, Break::Leaf))
    );
    assert_eq!(
        walk(&|index, row| {
            if index == 2 {
                row.3[0] ^= 1;
            }
            true
        }),
        Some((3, Break::Link))
    );
    assert_eq!(
        walk(&|index, row| {
            if index == 2 {
                row.4[0] ^= 1;
            }
            true
        }),
        Some((3, Break::Mac))
    );
    assert_eq!(
        walk(&|index, row| {
            if index == 2 {
                row.1 = 0;
            }
            true
        }),
        Some((3, Break::Mac))
    );
    assert_eq!(
        walk(&|index, row| {
            if index == 3 {
                row.1 = 0;
            }
            true
        }),
        Some((4, Break::Epoch))
    );
    assert_eq!(
        walk(&|index, row| {
            if index == 2 {
                row.1 = 9;
            }
            true
        }),
        Some((3, Break::Epoch))
    );
}

fn plain() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-MAX_INTEGER..=MAX_INTEGER).prop_map(Value::from),
        "[a-zA-Z0-9 ąęß漢🙂\"\\\\/]{0,24}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z_-]{1,12}", inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(fields in prop::collection::btree_map("[a-zA-Z_]{1,12}", plain(), 0..6)) {
        let record = Record { parameters: fields.into_iter().collect(), ..sample() };
        let bytes = record.encode().unwrap();
        let read = Record::decode(&bytes).unwrap();
        let mut expected = Value::Object(record.parameters);
        redact::redact(&mut expected);
        prop_assert_eq!(Value::Object(read.parameters.clone()), expected);
        prop_assert_eq!(read.encode().unwrap(), bytes);
    }

    #[test]
    fn decoding_never_panics_and_accepts_one_spelling(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..400, byte in any::<u8>()) {
        prop_assert!(Record::decode(&bytes).is_err());
        let mut altered = sample().encode().unwrap();
        let index = at % altered.len();
        altered[index] = byte;
        if let Ok(record) = Record::decode(&altered) {
            prop_assert_eq!(record.encode().unwrap(), altered);
        }
    }

    #[test]
    fn times_have_one_spelling(micros in -62_135_596_800_000_000i64..253_402_300_799_999_999) {
        let at = DateTime::from_timestamp_micros(micros).unwrap();
        prop_assert_eq!(parse_time(&record::time(at)), Some(at));
    }

    #[test]
    fn notes_never_panic(text in ".{0,200}") {
        let key = SigningKey::from_bytes(&[9; 32]).verifying_key();
        prop_assert!(Note::from_text(text).verify(&key).is_err());
    }
}
