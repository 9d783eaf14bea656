//! Signing in with a passkey, without a user name.

use contract::code::Code;
use contract::id::{AccountId, PasskeyId, SignInId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::rules::{self, Lifetime};
use super::{SignedIn, begin_ceremony, begin_sign_in, open_ceremony, store, use_ceremony};
use crate::crypto::passkey::{Claim, Credential, PasskeyError, Passkeys, SignInState};
use crate::error::Error;
use crate::gate::{
    Action, Authorized, Context, Decision, Hot, Operation, Parameters, Result, Scope, Target, Tx, Write,
};

const KIND: &str = "sign_in";

/// Remembers the challenge that a visitor was given.
#[derive(Serialize, Deserialize)]
pub struct BeginSession {
    pub ceremony: Uuid,
    pub state: SignInState,
}

impl Operation for BeginSession {
    const ACTION: Action = Action::SessionBegin;
    type Mode = Hot;
    type Facts = ();
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Hot>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Hot>) -> Result<()> {
        let Self { ceremony, state } = permit.operation();
        begin_ceremony(tx.conn(), *ceremony, KIND, state, permit.at()).await
    }
}

/// Signs the person in whose passkey answered.
#[derive(Serialize, Deserialize)]
pub struct CreateSession {
    pub passkeys: Passkeys,
    pub ceremony: Uuid,
    pub credential: Value,
    pub sign_in: SignInId,
    pub lifetime: Lifetime,
}

/// What the answer proved.
pub enum Proof {
    /// Somebody.
    Proven { passkey: PasskeyId, account: AccountId, credential: Box<Credential> },
    /// Nothing, with the reason that may be told.
    Refused(Code),
}

impl CreateSession {
    /// Whose the answer says it is.
    fn claimed(&self) -> Option<AccountId> {
        Claim::of(&self.credential).ok().and_then(|claim| claim.account).map(AccountId::from_uuid)
    }

    async fn prove(&self, state: SignInState, tx: &mut Tx<Write>) -> Result<Proof> {
        let claim = match Claim::of(&self.credential) {
            Ok(claim) => claim,
            Err(error) => return Ok(Proof::Refused(rules::sign_in_refusal(&error))),
        };
        let Some(stored) = store::passkey_of_credential(tx.conn(), &claim.credential_id).await? else {
            return Ok(Proof::Refused(Code::PasskeyUnknown));
        };
        let account = stored.account;
        match self.passkeys.finish_sign_in(&self.credential, state, account.uuid(), &stored.credential) {
            Ok(verified) => {
                Ok(Proof::Proven { passkey: stored.id, account, credential: Box::new(verified.credential) })
            }
            Err(PasskeyError::Unusable(text)) => Err(Error::internal(anyhow::anyhow!(text))),
            Err(error) => {
                tracing::info!(error = %error, passkey = %stored.id, "a sign-in was refused");
                Ok(Proof::Refused(rules::sign_in_refusal(&error)))
            }
        }
    }
}

impl Operation for CreateSession {
    const ACTION: Action = Action::SessionCreate;
    type Mode = Write;
    type Facts = Proof;
    type Output = SignedIn;

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    fn target(&self) -> Target {
        Target::new("sign_in", self.sign_in)
    }

    fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::new();
        parameters.insert("method".to_owned(), "passkey".into());
        parameters.insert("signIn".to_owned(), self.sign_in.to_string().into());
        if let Some(account) = self.claimed() {
            parameters.insert("account".to_owned(), account.to_string().into());
        }
        parameters
    }

    fn recorded(&self, proof: &Proof) -> Parameters {
        let mut parameters = self.parameters();
        if let Proof::Proven { passkey, .. } = proof {
            parameters.insert("passkey".to_owned(), passkey.to_string().into());
        }
        parameters
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Proof> {
        let state = open_ceremony(tx.conn(), self.ceremony, KIND, context.at()).await?;
        self.prove(state, tx).await
    }

    fn decide(&self, _: &Context, proof: &Proof) -> Decision {
        match proof {
            Proof::Proven { .. } => Decision::Allow,
            Proof::Refused(code) => Decision::Deny(*code),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<SignedIn> {
        let (operation, at) = (permit.operation(), permit.at());
        let address = permit.context().address();
        use_ceremony(tx.conn(), operation.ceremony).await?;
        match permit.facts() {
            Proof::Proven { passkey, account, credential } => {
                store::update_passkey(tx.conn(), *passkey, credential, at).await?;
                begin_sign_in(tx.conn(), *account, operation.sign_in, operation.lifetime, address, at).await
            }
            Proof::Refused(code) => Err(Error::denied(*code)),
        }
    }
}
