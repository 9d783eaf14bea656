//! One type per thing that can be asked of a roster.

mod grant;
mod part;
mod read;

pub(super) use grant::{ChangeMember, GrantMember};
pub(super) use part::{LeaveSandbox, RemoveMember};
pub(super) use read::{FindMember, ListMembers, ReadMember, ReadSelf};

use super::model::Member;
use super::rules;
use super::store::MemberRow;
use crate::gate::{Action, Allowed, Context, Decision, Personal};

/// What a roster may offer on any of its rows. (The owner has none.)
fn offered(context: &Context) -> Allowed {
    context.allowed(&[(Action::MemberChange, Decision::Allow), (Action::MemberRemove, rules::remove(false))])
}

fn shown(row: MemberRow, allowed: Allowed) -> Member {
    let MemberRow { id, person, row, email_sign_in, revision, created_at } = row;
    let access = row.resolve();
    Member {
        id,
        account_id: person.account,
        email: person.email,
        name: person.name,
        role: row.role,
        areas: row.areas,
        agents: row.agents,
        edit: row.edit,
        email_sign_in,
        access,
        revision,
        created_at,
        allowed,
    }
}

fn about(person: &super::store::Person) -> Vec<Personal> {
    vec![Personal::account(person.account).field("email", &person.email).field("name", &person.name)]
}
