//! What slice tests of this and the neighbouring slices begin with: an organisation with people in it, and short ways to
//! say what is expected of an answer.

use axum::http::Method;
use contract::id::OrganisationId;
use serde_json::Value;

use crate::testing::{Persona, Reply, World};

/// An organisation with people in it.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) owner: Persona,
    pub(crate) organisation: OrganisationId,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let world = World::new().await;
        let owner = world.founder().await;
        let organisation = world.organisation(&owner, "Acme").await;
        Self { world, owner, organisation }
    }

    /// A signed-in person who belongs to the organisation.
    pub(crate) async fn join(&self, email: &str, role: &str) -> Persona {
        let person = self.world.person(email).await;
        self.world.belongs(self.organisation, person.account, role.parse().unwrap()).await;
        person
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/organisations/{}{rest}", self.organisation)
    }

    /// Wire id of somebody's membership.
    pub(crate) async fn membership(&self, email: &str) -> String {
        let reply = self.owner.get(&self.path(&format!("/members?search={email}"))).await;
        text(&reply.json["items"][0], "id")
    }
}

pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no {field} in {value}")).to_owned()
}

#[track_caller]
pub(crate) fn expect(reply: &Reply, status: u16, code: &str) {
    assert_eq!(reply.status, status, "{}", reply.json);
    let found = reply.json["code"].as_str().unwrap_or_default();
    assert_eq!(found, code, "{}", reply.json);
}

/// A change of the revision that `if_match` names.
pub(crate) async fn revised(who: &Persona, method: Method, path: &str, if_match: &str, body: Value) -> Reply {
    who.send(method, path, &[("if-match", if_match)], Some(body.to_string().into_bytes())).await
}

/// A deletion that names its target in the body.
pub(crate) async fn delete_addressed(who: &Persona, path: &str, body: Value) -> Reply {
    who.send(Method::DELETE, path, &[], Some(body.to_string().into_bytes())).await
}

/// The code of the first refused field.
#[track_caller]
pub(crate) fn expect_field(reply: &Reply, pointer: &str, code: &str) {
    assert_eq!(reply.status, 422, "{}", reply.json);
    let field = &reply.json["fields"][0];
    assert_eq!((field["pointer"].as_str(), field["code"].as_str()), (Some(pointer), Some(code)), "{}", reply.json);
}
