//! People: how they come in (the first owner's link, a passkey), what they are signed in to, and how that ends.
//!
//! It owns accounts, passkeys, sign-ins and the ceremonies between the halves of a passkey prompt. It knows nothing of
//! what a person may do in an organisation.

mod first_owner;
mod http;
pub mod limits;
mod operations;
mod rules;
mod sign_in;
mod store;
#[cfg(test)]
mod tests;

use contract::id::{AccountId, PasskeyId, SignInId};
use contract::text::Email;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::crypto::passkey::{Credential, PasskeyError, Passkeys, RegistrationState};
use crate::error::Error;
use crate::gate::{Registry, Result, Timestamp};
use contract::code::Code;

pub use first_owner::issue_first_owner;
pub use http::Recent;
pub(crate) use http::{Answered, Ceremony, Token, answer_self, enrolment, routes, touch, visitor};
pub use operations::{ReadSelf, SelfView};
pub use rules::{CEREMONY, Lifetime, link_fault};

/// Adds the slice's operations that change something.
pub fn register(registry: &mut Registry) {
    registry.add::<first_owner::IssueFirstOwner>();
    registry.add::<first_owner::ClaimFirstOwner>();
    registry.add::<sign_in::CreateSession>();
    registry.add::<operations::EndSession>();
}

/// A person who is about to have an account.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Chosen when the ceremony began: authenticators keep it as the user handle.
    pub id: AccountId,
    /// Their address.
    pub email: Email,
    /// Display name.
    pub name: String,
    /// Operates the installation.
    pub operator: bool,
}

/// A credential that is about to be registered.
#[derive(Debug, Clone)]
pub struct NewPasskey {
    /// Which.
    pub id: PasskeyId,
    /// Whose.
    pub account: AccountId,
    /// What the authenticator made.
    pub credential: Credential,
    /// For the person's list.
    pub name: String,
}

/// A sign-in that is about to begin.
#[derive(Debug, Clone)]
pub struct NewSignIn {
    /// Which.
    pub id: SignInId,
    /// Whose.
    pub account: AccountId,
    /// How they proved who they are.
    pub method: &'static str,
    /// Where from.
    pub address: Option<String>,
    /// Ends then unless used.
    pub idle_expires_at: Timestamp,
    /// Ends then in any case.
    pub expires_at: Timestamp,
}

/// A sign-in that has begun; the session is opened on it after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Whose.
    pub account: AccountId,
    /// Which.
    pub sign_in: SignInId,
    /// Ends then in any case.
    pub expires_at: Timestamp,
}

/// What is kept between the halves of a registration that makes an account. The ceremony's id is the account's.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    /// Keyed hash of the link that allows it.
    pub token_hash: Vec<u8>,
    /// The person's address.
    pub email: Email,
    /// Their name.
    pub name: String,
    /// The authenticator's half.
    pub state: RegistrationState,
}

/// The second half of a registration, as the browser sends it, with the ids that it will make.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// The relying party.
    pub passkeys: Passkeys,
    /// Which ceremony.
    pub ceremony: Uuid,
    /// The authenticator's answer.
    pub credential: Value,
    /// Id of the passkey.
    pub passkey: PasskeyId,
    /// Id of the sign-in that follows.
    pub sign_in: SignInId,
    /// How long that lasts.
    pub lifetime: Lifetime,
}

/// A registration that was proven and can be carried out.
#[derive(Debug, Clone)]
pub struct Enrolled {
    /// What was begun.
    pub registration: Registration,
    /// What the authenticator made.
    pub credential: Credential,
}

impl Enrolment {
    /// The account that it makes.
    pub fn account(&self) -> AccountId {
        AccountId::from_uuid(self.ceremony)
    }

    /// Checks the answer against the open ceremony of that `kind`. Whose link it was begun for is in the answer.
    ///
    /// # Errors
    /// 410 `ceremony_expired`; refused `ceremony_invalid` for an answer that proves nothing.
    pub async fn prove(&self, conn: &mut PgConnection, kind: &str, at: Timestamp) -> Result<Enrolled> {
        let registration: Registration = open_ceremony(conn, self.ceremony, kind, at).await?;
        match self.passkeys.finish_registration(&self.credential, &registration.state) {
            Ok(credential) => Ok(Enrolled { registration, credential }),
            Err(PasskeyError::Unusable(text)) => Err(Error::internal(anyhow::anyhow!(text))),
            Err(error) => {
                tracing::info!(error = %error, "a passkey registration was refused");
                Err(Error::denied(Code::CeremonyInvalid))
            }
        }
    }

    /// Makes the account, its passkey and its first sign-in, and uses the ceremony up.
    ///
    /// # Errors
    /// 409 where the address has an account meanwhile; 410 where the ceremony was used meanwhile.
    pub async fn carry_out(
        &self,
        conn: &mut PgConnection,
        enrolled: &Enrolled,
        operator: bool,
        address: Option<&str>,
        at: Timestamp,
    ) -> Result<SignedIn> {
        use_ceremony(conn, self.ceremony).await?;
        let Registration { email, name, .. } = &enrolled.registration;
        if store::account_of_email(conn, &email.address).await?.is_some() {
            return Err(Error::conflict(Code::Duplicate, "This address has an account already. Sign in instead."));
        }
        let account = self.account();
        let new = NewAccount { id: account, email: email.clone(), name: name.clone(), operator };
        store::insert_account(conn, &new, at).await?;
        let credential = enrolled.credential.clone();
        let passkey = NewPasskey { id: self.passkey, account, credential, name: "Passkey".to_owned() };
        store::insert_passkey(conn, &passkey, at).await?;
        begin_sign_in(conn, account, self.sign_in, self.lifetime, address, at).await
    }
}

/// The account of a normalised address.
///
/// # Errors
/// The database's.
pub async fn account_of_email(conn: &mut PgConnection, email: &str) -> Result<Option<AccountId>> {
    store::account_of_email(conn, email).await
}

/// Keeps what has to be remembered until the browser answers, for [`CEREMONY`].
///
/// # Errors
/// The database's.
pub async fn begin_ceremony(
    conn: &mut PgConnection,
    id: Uuid,
    kind: &str,
    state: &impl Serialize,
    at: Timestamp,
) -> Result<()> {
    let state = serde_json::to_value(state).map_err(Error::internal)?;
    store::insert_ceremony(conn, id, kind, &state, at, at + CEREMONY).await
}

async fn open_ceremony<T: for<'de> Deserialize<'de>>(
    conn: &mut PgConnection,
    id: Uuid,
    kind: &str,
    at: Timestamp,
) -> Result<T> {
    let state = store::ceremony(conn, id, kind, at).await?.ok_or_else(ceremony_over)?;
    serde_json::from_value(state).map_err(Error::internal)
}

async fn use_ceremony(conn: &mut PgConnection, id: Uuid) -> Result<()> {
    if store::delete_ceremony(conn, id).await? { Ok(()) } else { Err(ceremony_over()) }
}

fn ceremony_over() -> Error {
    Error::gone(Code::CeremonyExpired, "The passkey prompt took too long or was answered already. Begin again.")
}

/// A passkey sign-in of `account` begins.
async fn begin_sign_in(
    conn: &mut PgConnection,
    account: AccountId,
    sign_in: SignInId,
    lifetime: Lifetime,
    address: Option<&str>,
    at: Timestamp,
) -> Result<SignedIn> {
    let expires_at = lifetime.end(at);
    let new = NewSignIn {
        id: sign_in,
        account,
        method: "passkey",
        address: address.map(str::to_owned),
        idle_expires_at: lifetime.idle_end(at, expires_at),
        expires_at,
    };
    store::insert_sign_in(conn, &new, at).await?;
    Ok(SignedIn { account, sign_in, expires_at })
}
