//! What can be asked about a policy.

use contract::id::AccountId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::rules::{Change, Pair, changes, missing_from};
use super::store;
use crate::error::Error;
use crate::gate::policy_document::{Breadth, Fault, PolicyDocument, RuleDecision};
use crate::gate::{
    Action, Allowed, Authorized, Context, Decision, Description, Operation, Parameters, Read, Result, Scope, Timestamp,
    Tx, Write,
};

/// A scope's policy as its page shows it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyView {
    /// The document as stored; null where there is none.
    #[schema(required, value_type = Option<PolicyDocument>)]
    pub document: Option<Value>,
    /// What applies: the document, or the built-in policy in its place.
    pub effective: PolicyDocument,
    /// Number of the stored version; 0 where there is none.
    #[schema(value_type = i32)]
    pub version: i64,
    /// False where the stored document does not validate and the built-in policy applies.
    pub valid: bool,
    /// What is wrong with it.
    pub problems: Vec<Fault>,
    /// For `If-Match`.
    #[schema(value_type = i32)]
    pub revision: i64,
    /// What the reader may do here.
    #[schema(value_type = std::collections::BTreeMap<String, crate::gate::AllowedVerdict>)]
    pub allowed: Allowed,
}

/// What a document would change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyPreview {
    /// Whether it would be accepted.
    pub valid: bool,
    /// Why not.
    pub problems: Vec<Fault>,
    /// What would be decided otherwise.
    pub changes: Vec<Change>,
}

/// One stored version.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyVersion {
    /// Its number.
    #[schema(value_type = i32)]
    pub version: i64,
    /// The document; null where it was taken away.
    #[schema(required, value_type = Option<PolicyDocument>)]
    pub document: Option<Value>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// By whom; absent for the server's own command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<PolicyAuthor>,
}

/// Who made a version.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAuthor {
    /// Whose account.
    pub account_id: AccountId,
    /// Display name, where the person is still in the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// All versions, newest first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyVersions {
    /// At most 100.
    pub items: Vec<PolicyVersion>,
}

pub(super) fn breadth(scope: Scope) -> Breadth {
    if scope.sandbox().is_some() { Breadth::Sandbox } else { Breadth::Organisation }
}

/// The stored document of a scope and its number.
pub struct Stored {
    version: i64,
    document: Option<Value>,
}

impl Stored {
    fn read(&self, scope: Scope) -> std::result::Result<Option<PolicyDocument>, Vec<Fault>> {
        self.document.as_ref().map(|document| PolicyDocument::read(document, breadth(scope))).transpose()
    }
}

async fn find<M>(tx: &mut Tx<M>, scope: Scope) -> Result<Stored> {
    Ok(match store::newest(tx, scope).await? {
        Some((version, document)) => {
            Stored { version, document: Some(document).filter(|document| !document.is_null()) }
        }
        None => Stored { version: 0, document: None },
    })
}

fn none(scope: Scope) -> PolicyDocument {
    match breadth(scope) {
        Breadth::Organisation => PolicyDocument::built_in(),
        Breadth::Sandbox => PolicyDocument { version: 1, rules: Vec::new() },
    }
}

fn view(context: &Context, stored: Stored) -> PolicyView {
    let scope = context.scope();
    let (effective, problems) = match stored.read(scope) {
        Ok(document) => (document.unwrap_or_else(|| none(scope)), Vec::new()),
        Err(faults) => (none(scope), faults),
    };
    PolicyView {
        effective,
        version: stored.version,
        valid: problems.is_empty(),
        problems,
        revision: stored.version,
        document: stored.document,
        allowed: context.allowed(&[(Action::PolicyUpdate, Decision::Allow), (Action::PolicyPreview, Decision::Allow)]),
    }
}

macro_rules! looking {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* }, $action:ident, $facts:ty, $output:ty) => {
        $(#[$doc])*
        #[derive(Serialize, Deserialize)]
        pub struct $name { pub(super) scope: Scope, $(pub(super) $field: $type),* }
        impl Operation for $name {
            const ACTION: Action = Action::$action;
            type Mode = Read;
            type Facts = $facts;
            type Output = $output;
            fn scope(&self) -> Scope { self.scope }
            async fn facts(&self, context: &Context, tx: &mut Tx<Read>) -> Result<$facts> { self.look(context, tx).await }
            fn decide(&self, _: &Context, _: &$facts) -> Decision { Decision::Allow }
            async fn execute(permit: Authorized<'_, Self>, _: &mut Tx<Read>) -> Result<$output> {
                let (operation, context) = (permit.operation(), permit.context());
                Ok(operation.show(context, permit.into_facts()))
            }
        }
    };
}

looking!(
    /// Shows the policy of a scope.
    ReadPolicy {}, PolicyRead, Stored, PolicyView
);

impl ReadPolicy {
    async fn look(&self, _: &Context, tx: &mut Tx<Read>) -> Result<Stored> {
        find(tx, self.scope).await
    }

    #[expect(clippy::unused_self, reason = "the shape is shared with the other views")]
    fn show(&self, context: &Context, stored: Stored) -> PolicyView {
        view(context, stored)
    }
}

looking!(
    /// Shows what a document would change.
    PreviewPolicy { document: Option<PolicyDocument> }, PolicyPreview, (), PolicyPreview
);

impl PreviewPolicy {
    async fn look(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn show(&self, context: &Context, (): ()) -> PolicyPreview {
        let now = context.governance();
        let before = Pair { organisation: now.organisation.as_ref(), sandbox: now.sandbox.as_ref() };
        let problems = self.document.as_ref().map(|document| document.faults(breadth(self.scope))).unwrap_or_default();
        let after = match breadth(self.scope) {
            Breadth::Organisation => Pair { organisation: self.document.as_ref(), ..before },
            Breadth::Sandbox => Pair { sandbox: self.document.as_ref(), ..before },
        };
        PolicyPreview { valid: problems.is_empty(), problems, changes: changes(before, after) }
    }
}

looking!(
    /// Lists the stored versions.
    ListPolicyVersions {}, PolicyRead, Vec<store::Version>, PolicyVersions
);

impl ListPolicyVersions {
    async fn look(&self, _: &Context, tx: &mut Tx<Read>) -> Result<Vec<store::Version>> {
        store::versions(tx, self.scope).await
    }

    #[expect(clippy::unused_self, reason = "the shape is shared with the other views")]
    fn show(&self, _: &Context, versions: Vec<store::Version>) -> PolicyVersions {
        let item = |row: store::Version| PolicyVersion {
            version: row.version,
            document: Some(row.document).filter(|document| !document.is_null()),
            created_at: row.created_at,
            by: (!row.created_by.is_nil())
                .then(|| PolicyAuthor { account_id: AccountId::from_uuid(row.created_by), name: row.name }),
        };
        PolicyVersions { items: versions.into_iter().map(item).collect() }
    }
}

/// Replaces the policy of a scope; null takes the document away.
#[derive(Serialize, Deserialize)]
pub struct UpdatePolicy {
    pub(super) scope: Scope,
    pub(super) document: Option<PolicyDocument>,
    pub(super) expected: Option<i64>,
}

impl Operation for UpdatePolicy {
    const ACTION: Action = Action::PolicyUpdate;
    type Mode = Write;
    type Facts = Stored;
    type Output = PolicyView;

    fn scope(&self) -> Scope {
        self.scope
    }

    /// The difference: rules that come, rules that go, and how many stay.
    fn recorded(&self, stored: &Stored) -> Parameters {
        // What did not validate was in force as the built-in policy; the difference is to what was written.
        let before = stored.document.as_ref().and_then(|document| serde_json::from_value(document.clone()).ok());
        let added = missing_from(before.as_ref(), self.document.as_ref());
        let removed = missing_from(self.document.as_ref(), before.as_ref());
        let kept = self.document.as_ref().map_or(0, |document| document.rules.len() - added.len());
        Parameters::from_iter([
            ("version".to_owned(), json!(stored.version + 1)),
            ("added".to_owned(), json!(added)),
            ("removed".to_owned(), json!(removed)),
            ("kept".to_owned(), json!(kept)),
        ])
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Stored> {
        let stored = find(tx, self.scope).await?;
        if self.expected.is_some_and(|expected| expected != stored.version) {
            return Err(Error::stale());
        }
        Ok(stored)
    }

    fn decide(&self, _: &Context, _: &Stored) -> Decision {
        Decision::Confirm
    }

    fn revision(&self, stored: &Stored) -> Option<i64> {
        Some(stored.version)
    }

    fn describe(&self, stored: &Stored) -> Description {
        let before = stored.read(self.scope).unwrap_or_default();
        let (before, after) = match breadth(self.scope) {
            Breadth::Organisation => (
                Pair { organisation: before.as_ref(), sandbox: None },
                Pair { organisation: self.document.as_ref(), sandbox: None },
            ),
            Breadth::Sandbox => (
                Pair { organisation: None, sandbox: before.as_ref() },
                Pair { organisation: None, sandbox: self.document.as_ref() },
            ),
        };
        describe_changes(self.scope, stored.version + 1, &changes(before, after))
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<PolicyView> {
        let operation = permit.operation();
        let document = serde_json::to_value(&operation.document).map_err(Error::internal)?;
        let version = permit.facts().version + 1;
        let by = permit.context().account()?;
        store::insert(tx, operation.scope, version, &document, Some(by), permit.at()).await?;
        Ok(view(permit.context(), Stored { version, document: Some(document).filter(|document| !document.is_null()) }))
    }
}

/// Most changes that a confirmation names one by one.
const NAMED: usize = 12;

/// What a new version decides otherwise, in words. (A sandbox's is told against the built-in policy.)
fn describe_changes(scope: Scope, version: i64, changes: &[Change]) -> Description {
    let effect = |effect: &super::rules::Effect, words: [&str; 4]| {
        let word = match (effect.decision, effect.requires) {
            (RuleDecision::Allow, _) => 0,
            (RuleDecision::Confirm, Some(2)) => 2,
            (RuleDecision::Confirm, _) => 1,
            (RuleDecision::Deny, _) => 3,
        };
        words[word].to_owned()
    };
    let list = |words: [&str; 4], more: &str, nothing: &str| {
        let mut named: Vec<String> = changes
            .iter()
            .take(NAMED)
            .map(|change| {
                format!("{}: {} → {}", change.action, effect(&change.before, words), effect(&change.after, words))
            })
            .collect();
        if changes.len() > NAMED {
            named.push(format!("{more} {}", changes.len() - NAMED));
        }
        if named.is_empty() { nothing.to_owned() } else { named.join("; ") }
    };
    let en = list(["allow", "confirm", "two people confirm", "deny"], "and more:", "nothing is decided otherwise");
    let pl = list(["zezwól", "potwierdź", "potwierdzają dwie osoby", "odmów"], "i więcej:", "nic się nie zmienia");
    let (place_en, place_pl) = match scope {
        Scope::Sandbox(..) => ("this sandbox", "tej piaskownicy"),
        _ => ("this organisation", "tej organizacji"),
    };
    Description {
        en: format!("Put version {version} of the policy of {place_en} in force. {en}."),
        pl: format!("Wprowadzić wersję {version} zasad {place_pl}. {pl}."),
    }
}

/// Puts the built-in policy in force, from the server's own command line. Answers the new version.
#[derive(Serialize, Deserialize)]
pub struct ResetPolicy {
    pub(super) scope: Scope,
}

impl Operation for ResetPolicy {
    const ACTION: Action = Action::PolicyReset;
    type Mode = Write;
    type Facts = Stored;
    type Output = i64;

    fn scope(&self) -> Scope {
        self.scope
    }

    fn recorded(&self, stored: &Stored) -> Parameters {
        Parameters::from_iter([("version".to_owned(), json!(stored.version + 1))])
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Stored> {
        context.organisation().ok_or(Error::NotFound)?;
        find(tx, self.scope).await
    }

    fn decide(&self, _: &Context, _: &Stored) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<i64> {
        let document = serde_json::to_value(none(permit.operation().scope)).map_err(Error::internal)?;
        let version = permit.facts().version + 1;
        store::insert(tx, permit.operation().scope, version, &document, None, permit.at()).await?;
        Ok(version)
    }
}
