//! Passkeys: the one place that speaks WebAuthn.
//!
//! Every ceremony of the product goes through [`Passkeys`], so that all of them ask for the same things: a discoverable
//! credential, a verified user, our origin, and a counter that only moves forward. States are plain serde values; the
//! caller keeps them on the server and uses each of them once.
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;
use webauthn_rs::prelude::{
    AuthenticationResult, CreationChallengeResponse, DiscoverableAuthentication, Passkey, PasskeyAuthentication,
    PasskeyRegistration, RequestChallengeResponse, Url, Webauthn, WebauthnBuilder, WebauthnError,
};
use webauthn_rs_proto::{PublicKeyCredential, RegisterPublicKeyCredential, ResidentKeyRequirement};

/// Name that authenticators show beside the account.
const RELYING_PARTY_NAME: &str = "Bailiwick";

/// Why a ceremony failed. A client is told no more than these four; the text is for the operator's log.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyError {
    /// The credential answered with a counter that did not move forward: it may have been copied.
    #[error("the counter of the passkey did not move forward")]
    Counter,
    /// The answer is well formed but proves nothing: wrong challenge, origin, relying party, signature or credential.
    #[error("the passkey's answer was refused: {0}")]
    Refused(String),
    /// The answer is not what a browser sends.
    #[error("the passkey's answer cannot be read: {0}")]
    Malformed(String),
    /// The configuration cannot work, or a stored state has another format.
    #[error("passkeys are not usable: {0}")]
    Unusable(String),
}

impl From<WebauthnError> for PasskeyError {
    fn from(error: WebauthnError) -> Self {
        match error {
            WebauthnError::CredentialPossibleCompromise => Self::Counter,
            WebauthnError::Configuration => Self::Unusable(error.to_string()),
            other => Self::Refused(other.to_string()),
        }
    }
}

/// A registered credential as it is stored (column `passkey.credential`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Credential(Passkey);

impl Credential {
    /// The credential id, by which an authenticator names it.
    pub fn id(&self) -> &[u8] {
        self.0.cred_id().as_slice()
    }
}

/// What the server remembers between the two halves of a registration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RegistrationState(PasskeyRegistration);

/// What the server remembers between the two halves of a sign-in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SignInState(DiscoverableAuthentication);

/// What the server remembers between the two halves of a confirmation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfirmationState(PasskeyAuthentication);

/// What an answer to a sign-in claims before anything is proven: enough to look the credential up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The credential's id.
    pub credential_id: Vec<u8>,
    /// The user handle, which we set to the account's uuid at registration.
    pub account: Option<Uuid>,
}

impl Claim {
    /// Reads the claim of an assertion.
    ///
    /// # Errors
    /// [`PasskeyError::Malformed`] when it is not an assertion.
    pub fn of(response: &Value) -> Result<Self, PasskeyError> {
        let response = assertion(response)?;
        Ok(Self {
            credential_id: response.get_credential_id().to_vec(),
            account: response.get_user_unique_id().and_then(|handle| Uuid::from_slice(handle).ok()),
        })
    }
}

/// A proven assertion.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Verified {
    /// The credential with its new counter and backup state: store it, or the next regression goes unnoticed.
    pub credential: Credential,
}

/// The two values that every ceremony is bound to; an operation that carries [`Passkeys`] carries these.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RelyingParty {
    rp_id: String,
    origin: Url,
}

/// Our relying party. Cheap to clone and serialisable, so that an operation can bring its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "RelyingParty", into = "RelyingParty")]
pub struct Passkeys {
    party: RelyingParty,
    webauthn: Webauthn,
}

impl TryFrom<RelyingParty> for Passkeys {
    type Error = PasskeyError;
    fn try_from(party: RelyingParty) -> Result<Self, Self::Error> {
        let webauthn = WebauthnBuilder::new(&party.rp_id, &party.origin)?.rp_name(RELYING_PARTY_NAME).build()?;
        Ok(Self { party, webauthn })
    }
}

impl From<Passkeys> for RelyingParty {
    fn from(passkeys: Passkeys) -> Self {
        passkeys.party
    }
}

impl Passkeys {
    /// `rp_id` is a domain (`localhost`), `origin` the console's address, whose host is that domain or below it.
    ///
    /// # Errors
    /// [`PasskeyError::Unusable`] when the two do not belong together.
    pub fn new(rp_id: &str, origin: &Url) -> Result<Self, PasskeyError> {
        RelyingParty { rp_id: rp_id.to_owned(), origin: origin.clone() }.try_into()
    }

    /// Begins a registration for `account`; `existing` credentials make an authenticator refuse to register twice.
    /// Answers the browser's creation options and the state to keep.
    ///
    /// # Errors
    /// [`PasskeyError::Refused`] when the e-mail address or name is empty.
    pub fn start_registration(
        &self,
        account: Uuid,
        email: &str,
        name: &str,
        existing: &[Credential],
    ) -> Result<(Value, RegistrationState), PasskeyError> {
        let exclude = existing.iter().map(|credential| credential.0.cred_id().clone()).collect();
        let (mut options, state) = self.webauthn.start_passkey_registration(account, email, name, Some(exclude))?;
        // The library leaves residence to chance; signing in without a user name needs it.
        let selection = options
            .public_key
            .authenticator_selection
            .as_mut()
            .ok_or_else(|| PasskeyError::Unusable("registration options without a selection".to_owned()))?;
        selection.resident_key = Some(ResidentKeyRequirement::Required);
        selection.require_resident_key = true;
        let CreationChallengeResponse { public_key } = options;
        Ok((to_json(&public_key)?, RegistrationState(state)))
    }

    /// Ends a registration.
    ///
    /// # Errors
    /// [`PasskeyError::Malformed`] or [`PasskeyError::Refused`].
    pub fn finish_registration(&self, response: &Value, state: &RegistrationState) -> Result<Credential, PasskeyError> {
        let response = RegisterPublicKeyCredential::deserialize(response).map_err(malformed)?;
        Ok(Credential(self.webauthn.finish_passkey_registration(&response, &state.0)?))
    }

    /// Begins a sign-in of somebody unknown: any of our credentials may answer.
    ///
    /// # Errors
    /// [`PasskeyError::Unusable`] if the library cannot make options.
    pub fn start_sign_in(&self) -> Result<(Value, SignInState), PasskeyError> {
        // The library also asks for conditional mediation, which is outside the inner options: a button asks outright.
        let (RequestChallengeResponse { public_key, mediation: _ }, state) =
            self.webauthn.start_discoverable_authentication()?;
        Ok((to_json(&public_key)?, SignInState(state)))
    }

    /// Ends a sign-in with the stored `credential` that the [`Claim`] named and the `account` that owns it.
    ///
    /// # Errors
    /// [`PasskeyError::Counter`], [`PasskeyError::Malformed`] or [`PasskeyError::Refused`], the last also when the
    /// user handle is not the owner's.
    pub fn finish_sign_in(
        &self,
        response: &Value,
        state: SignInState,
        account: Uuid,
        credential: &Credential,
    ) -> Result<Verified, PasskeyError> {
        let response = assertion(response)?;
        let (claimed, _) = self.webauthn.identify_discoverable_authentication(&response)?;
        if claimed != account {
            return Err(PasskeyError::Refused("the user handle names another account".to_owned()));
        }
        let result = self.webauthn.finish_discoverable_authentication_v2(&response, state.0, &credential.0)?;
        advanced(credential, &result)
    }

    /// Begins a confirmation that binds the person's answer to `challenge`, which the gate derives from the proposal.
    ///
    /// # Errors
    /// [`PasskeyError::Refused`] when there is no credential to ask, [`PasskeyError::Unusable`] when the library's state
    /// has another format.
    pub fn start_confirmation(
        &self,
        credentials: &[Credential],
        challenge: [u8; 32],
    ) -> Result<(Value, ConfirmationState), PasskeyError> {
        if credentials.is_empty() {
            return Err(PasskeyError::Refused("the account has no passkey".to_owned()));
        }
        let passkeys: Vec<Passkey> = credentials.iter().map(|credential| credential.0.clone()).collect();
        let (mut options, state) = self.webauthn.start_passkey_authentication(&passkeys)?;
        options.public_key.challenge = challenge.to_vec();
        let mut state = to_json(&state)?;
        // Only its serialised form lets a caller choose the challenge; a test pins that form to the library's version.
        *member(&mut state, "challenge")? = encode(&challenge).into();
        let state = ConfirmationState::deserialize(state).map_err(unusable)?;
        Ok((to_json(&options.public_key)?, state))
    }

    /// Ends a confirmation. `credentials` are the person's as stored now: one removed since the start no longer
    /// confirms, and counters are compared with the present ones.
    ///
    /// # Errors
    /// [`PasskeyError::Counter`], [`PasskeyError::Malformed`] or [`PasskeyError::Refused`].
    pub fn finish_confirmation(
        &self,
        response: &Value,
        state: &ConfirmationState,
        credentials: &[Credential],
    ) -> Result<Verified, PasskeyError> {
        let response = assertion(response)?;
        let mut state = to_json(state)?;
        let mut present = Vec::with_capacity(credentials.len());
        for credential in credentials {
            let mut stored = to_json(credential)?;
            present.push(stored.get_mut("cred").map(Value::take).ok_or_else(format_changed)?);
        }
        *member(&mut state, "credentials")? = present.into();
        let state = ConfirmationState::deserialize(state).map_err(unusable)?;
        let result = self.webauthn.finish_passkey_authentication(&response, &state.0)?;
        let used = credentials
            .iter()
            .find(|credential| credential.0.cred_id() == result.cred_id())
            .ok_or_else(|| PasskeyError::Refused("an unknown passkey answered".to_owned()))?;
        advanced(used, &result)
    }
}

/// The credential after a proven use.
fn advanced(credential: &Credential, result: &AuthenticationResult) -> Result<Verified, PasskeyError> {
    if !result.user_verified() {
        return Err(PasskeyError::Refused("the user was not verified".to_owned()));
    }
    let mut credential = credential.clone();
    credential
        .0
        .update_credential(result)
        .ok_or_else(|| PasskeyError::Refused("another passkey answered".to_owned()))?;
    Ok(Verified { credential })
}

fn assertion(response: &Value) -> Result<PublicKeyCredential, PasskeyError> {
    PublicKeyCredential::deserialize(response).map_err(malformed)
}

/// A member of the library's authentication state.
fn member<'a>(state: &'a mut Value, name: &str) -> Result<&'a mut Value, PasskeyError> {
    state.get_mut("ast").and_then(|inner| inner.get_mut(name)).ok_or_else(format_changed)
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn to_json(value: &impl Serialize) -> Result<Value, PasskeyError> {
    serde_json::to_value(value).map_err(unusable)
}

fn malformed(error: serde_json::Error) -> PasskeyError {
    PasskeyError::Malformed(error.to_string())
}

fn unusable(error: serde_json::Error) -> PasskeyError {
    PasskeyError::Unusable(error.to_string())
}

fn format_changed() -> PasskeyError {
    PasskeyError::Unusable("the library's state has another format".to_owned())
}

#[cfg(test)]
#[path = "passkey_tests.rs"]
mod tests;
