//! A passkey in software, for tests only: ES256, resident, verifies its user, counts its uses.
//!
//! It answers the same options that a browser gets and so proves the server's side without a browser.
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ciborium::Value as Cbor;
use p256::ecdsa::{Signature, SigningKey, signature::Signer as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const ATTESTED: u8 = 0x40;

struct Resident {
    id: Vec<u8>,
    rp_id: String,
    user_handle: Vec<u8>,
    key: SigningKey,
}

/// One device with any number of resident credentials, used from one origin.
pub struct SoftAuthenticator {
    /// The page's origin as the browser would report it, for example `https://localhost:8443`.
    pub origin: String,
    /// Uses so far; a test sets it back to play a copied device.
    pub counter: u32,
    /// Whether the device checks its user (fingerprint, PIN).
    pub verifies_user: bool,
    residents: Vec<Resident>,
}

impl SoftAuthenticator {
    /// A new, empty device.
    pub fn new(origin: &str) -> Self {
        Self { origin: origin.to_owned(), counter: 0, verifies_user: true, residents: Vec::new() }
    }

    /// Answers creation options (the inner `publicKey` object) as `navigator.credentials.create` would. Panics when
    /// an excluded credential lives here, as a browser would refuse.
    pub fn register(&mut self, options: &Value) -> Value {
        let excluded = options["excludeCredentials"].as_array().cloned().unwrap_or_default();
        let held = |listed: &Value| self.residents.iter().any(|resident| decode(&listed["id"]) == resident.id);
        assert!(!excluded.iter().any(held), "an excluded credential lives on this device");
        let resident = Resident {
            id: rand::random::<[u8; 16]>().to_vec(),
            rp_id: options["rp"]["id"].as_str().unwrap().to_owned(),
            user_handle: decode(&options["user"]["id"]),
            key: SigningKey::from_slice(&rand::random::<[u8; 32]>()).unwrap(),
        };
        let mut data = self.data(&resident.rp_id, ATTESTED);
        data.extend_from_slice(&[0; 16]);
        data.extend_from_slice(&u16::try_from(resident.id.len()).unwrap().to_be_bytes());
        data.extend_from_slice(&resident.id);
        data.extend_from_slice(&cose_key(&resident.key));
        let attestation = cbor(&Cbor::Map(vec![
            (Cbor::from("fmt"), Cbor::from("none")),
            (Cbor::from("attStmt"), Cbor::Map(Vec::new())),
            (Cbor::from("authData"), Cbor::Bytes(data)),
        ]));
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        let id = encode(&resident.id);
        self.residents.push(resident);
        json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {"attestationObject": encode(&attestation), "clientDataJSON": encode(&client_data), "transports": ["internal"]},
        })
    }

    /// Answers request options as `navigator.credentials.get` would, with the newest fitting credential.
    pub fn assert(&mut self, options: &Value) -> Value {
        let rp_id = options["rpId"].as_str().unwrap();
        self.assert_for(rp_id, options)
    }

    /// Like [`Self::assert`], but signs for `rp_id` whatever the options say: what a phishing page would obtain.
    pub fn assert_for(&mut self, rp_id: &str, options: &Value) -> Value {
        let allowed: Vec<Vec<u8>> = options["allowCredentials"]
            .as_array()
            .map(|list| list.iter().map(|listed| decode(&listed["id"])).collect())
            .unwrap_or_default();
        self.counter += 1;
        let data = self.data(rp_id, 0);
        let client_data = self.client_data("webauthn.get", &options["challenge"]);
        let resident = self
            .residents
            .iter()
            .rev()
            .find(|resident| allowed.is_empty() || allowed.contains(&resident.id))
            .expect("the device holds a fitting credential");
        let mut signed = data.clone();
        signed.extend_from_slice(&Sha256::digest(&client_data));
        let signature: Signature = resident.key.sign(&signed);
        let id = encode(&resident.id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "authenticatorData": encode(&data), "clientDataJSON": encode(&client_data),
                "signature": encode(signature.to_der().as_bytes()), "userHandle": encode(&resident.user_handle),
            },
        })
    }

    fn data(&self, rp_id: &str, flags: u8) -> Vec<u8> {
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let mut data = Sha256::digest(rp_id.as_bytes()).to_vec();
        data.push(USER_PRESENT | verified | flags);
        data.extend_from_slice(&self.counter.to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
            .into_bytes()
    }
}

fn cose_key(key: &SigningKey) -> Vec<u8> {
    let point = key.verifying_key().to_sec1_point(false);
    let bytes = point.as_bytes();
    cbor(&Cbor::Map(vec![
        (Cbor::from(1), Cbor::from(2)),
        (Cbor::from(3), Cbor::from(-7)),
        (Cbor::from(-1), Cbor::from(1)),
        (Cbor::from(-2), Cbor::Bytes(bytes[1..33].to_vec())),
        (Cbor::from(-3), Cbor::Bytes(bytes[33..65].to_vec())),
    ]))
}

fn cbor(value: &Cbor) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn decode(value: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(value.as_str().unwrap()).unwrap()
}
