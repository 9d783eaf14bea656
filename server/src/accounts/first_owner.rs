//! The first owner: a link that only the server's own command line makes, and the account that it turns into.

use std::path::Path;

use contract::code::Code;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::rules::{self, FIRST_OWNER_LINK};
use super::{Enrolled, Enrolment, Registration, SignedIn, begin_ceremony, store};
use crate::app::App;
use crate::config::Config;
use crate::crypto::link_token::{self, LinkKey};
use crate::error::Error;
use crate::gate::{
    Action, Authorized, Call, Context, Decision, Hot, Operation, Parameters, Personal, Read, Result, Scope, Target,
    Timestamp, Tx, Write,
};

const KIND: &str = "first_owner";
/// File in the data directory that holds the newest link.
const FILE: &str = "first-owner-link";

/// Makes a link for the first owner, writes it to the data directory (mode 0600) and answers it. Links made before stop
/// working. Without `always` nothing is made once an account exists.
///
/// # Errors
/// The gate's, or an internal one where the file cannot be written.
pub async fn issue_first_owner(app: &App, always: bool) -> Result<Option<String>> {
    let job = || Call::job("first-owner");
    if !always && app.gate.perform(job(), FindAccounts {}).await?.output {
        return Ok(None);
    }
    let token = link_token::random_token();
    let operation = IssueFirstOwner { id: crate::gate::fresh_uuid(), token_hash: key(app).hash(&token) };
    app.gate.perform(job(), operation).await?;
    let link = format!("{}/first-owner#{token}", app.origin());
    write_private(&app.config.data_directory.join(FILE), &link).map_err(Error::internal)?;
    Ok(Some(link))
}

/// Keys for the first owner's links.
pub(super) fn key(app: &App) -> LinkKey {
    LinkKey::derive(&app.keys, "first-owner")
}

/// Takes the file away once its link is used up.
pub(super) fn forget_link(config: &Config) {
    match std::fs::remove_file(config.data_directory.join(FILE)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(error = %error, "the file with the used first owner's link could not be removed");
        }
        _ => {}
    }
}

/// Replaces the file, so that no earlier permission lets somebody else read the new link.
fn write_private(path: &Path, link: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{link}")
}

/// Whether anybody has an account yet.
#[derive(Serialize, Deserialize)]
pub struct FindAccounts {}

impl Operation for FindAccounts {
    const ACTION: Action = Action::FirstOwnerShow;
    type Mode = Read;
    type Facts = bool;
    type Output = bool;

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Read>) -> Result<bool> {
        store::any_account(tx.conn()).await
    }

    fn decide(&self, _: &Context, _: &bool) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<bool> {
        Ok(*permit.facts())
    }
}

/// Makes a link; those before it stop working.
#[derive(Serialize, Deserialize)]
pub struct IssueFirstOwner {
    pub id: Uuid,
    pub token_hash: Vec<u8>,
}

impl Operation for IssueFirstOwner {
    const ACTION: Action = Action::FirstOwnerIssue;
    type Mode = Write;
    type Facts = ();
    type Output = Timestamp;

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    fn target(&self) -> Target {
        Target::new("first_owner_link", self.id.simple())
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Write>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Timestamp> {
        let Self { id, token_hash } = permit.operation();
        let expires_at = permit.at() + FIRST_OWNER_LINK;
        store::replace_first_owner_link(tx.conn(), *id, token_hash, permit.at(), expires_at).await?;
        Ok(expires_at)
    }
}

/// Until when the link works.
async fn usable_link<M>(tx: &mut Tx<M>, token_hash: &[u8], at: Timestamp) -> Result<Timestamp> {
    let link = store::first_owner_link(tx.conn(), token_hash)
        .await?
        .ok_or_else(|| Error::gone(Code::TokenInvalid, "This link is not valid. Make a new one on the server."))?;
    match rules::link_fault(link.used_at.is_some(), link.expires_at, at) {
        None => Ok(link.expires_at),
        Some(Code::TokenUsed) => Err(Error::gone(Code::TokenUsed, "This link was used already.")),
        Some(code) => Err(Error::gone(code, "This link has expired. Make a new one on the server.")),
    }
}

/// Looks at a link.
#[derive(Serialize, Deserialize)]
pub struct ShowFirstOwner {
    pub token_hash: Vec<u8>,
}

impl Operation for ShowFirstOwner {
    const ACTION: Action = Action::FirstOwnerShow;
    type Mode = Read;
    type Facts = Timestamp;
    type Output = Timestamp;

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<Timestamp> {
        usable_link(tx, &self.token_hash, context.at()).await
    }

    fn decide(&self, _: &Context, _: &Timestamp) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<Timestamp> {
        Ok(*permit.facts())
    }
}

/// Remembers whom the link is about to make an owner. The link is looked at before, and again when it is used.
#[derive(Serialize, Deserialize)]
pub struct BeginFirstOwner {
    pub ceremony: Uuid,
    pub registration: Registration,
}

impl Operation for BeginFirstOwner {
    const ACTION: Action = Action::FirstOwnerBegin;
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
        let Self { ceremony, registration } = permit.operation();
        begin_ceremony(tx.conn(), *ceremony, KIND, registration, permit.at()).await
    }
}

/// Makes the first owner, who operates the installation.
#[derive(Serialize, Deserialize)]
pub struct ClaimFirstOwner {
    pub enrolment: Enrolment,
}

impl Operation for ClaimFirstOwner {
    const ACTION: Action = Action::FirstOwnerClaim;
    type Mode = Write;
    type Facts = Enrolled;
    type Output = SignedIn;

    fn scope(&self) -> Scope {
        Scope::Installation
    }

    fn target(&self) -> Target {
        Target::new("account", self.enrolment.account())
    }

    fn parameters(&self) -> Parameters {
        let account = self.enrolment.account().to_string();
        Parameters::from_iter([("account".to_owned(), json!(account))])
    }

    fn personal(&self, enrolled: &Enrolled) -> Vec<Personal> {
        let Registration { email, name, .. } = &enrolled.registration;
        let account = self.enrolment.account();
        vec![Personal::account(account).field("email", &email.address).field("name", name)]
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Enrolled> {
        let enrolled = self.enrolment.prove(tx.conn(), KIND, context.at()).await?;
        usable_link(tx, &enrolled.registration.token_hash, context.at()).await?;
        Ok(enrolled)
    }

    fn decide(&self, _: &Context, _: &Enrolled) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<SignedIn> {
        let (operation, at) = (permit.operation(), permit.at());
        let address = permit.context().address();
        let signed_in = operation.enrolment.carry_out(tx.conn(), permit.facts(), true, address, at).await?;
        store::use_first_owner_link(tx.conn(), &permit.facts().registration.token_hash, at).await?;
        store::end_first_owner_links(tx.conn(), at).await?;
        Ok(signed_in)
    }
}
