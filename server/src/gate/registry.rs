//! Stored operations, carried out later: by action name, back to the type, through the same decision and execution.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use async_trait::async_trait;
use serde_json::Value;

use super::attempt::refuse;
use super::context::Context;
use super::decide::Decision;
use super::operation::{Authorized, Operation, Parameters, Personal, Target, Tx, Write};
use super::policy::Action;
use super::{Result, Timestamp};
use crate::error::Error;

/// A stored operation after it was read and decided again.
pub(super) struct Redone {
    pub(super) target: Target,
    pub(super) parameters: Parameters,
    pub(super) personal: Vec<Personal>,
    /// Its answer, where it was executed.
    pub(super) output: Option<Value>,
}

/// What must still hold for a confirmation to count.
pub(super) struct Expected {
    pub(super) revision: Option<i64>,
    pub(super) execute: bool,
}

#[async_trait]
pub(super) trait Stored: Send + Sync {
    fn version(&self) -> i32;

    /// Target and recorded parameters of a stored document, for a proposal that ends without being executed.
    fn outline(&self, document: &Value) -> Result<(Target, Parameters)>;

    /// Reads facts, decides for the proposer again and, if asked to, executes.
    async fn redo(
        &self,
        document: &Value,
        proposer: &Context,
        expected: Expected,
        tx: &mut Tx<Write>,
    ) -> Result<Redone>;
}

struct Typed<O>(PhantomData<fn() -> O>);

fn read<O: Operation>(document: &Value) -> Result<O> {
    serde_json::from_value(document.clone()).map_err(Error::internal)
}

#[async_trait]
impl<O: Operation<Mode = Write>> Stored for Typed<O> {
    fn version(&self) -> i32 {
        O::VERSION
    }

    fn outline(&self, document: &Value) -> Result<(Target, Parameters)> {
        let operation: O = read(document)?;
        Ok((operation.target(), operation.parameters()))
    }

    async fn redo(
        &self,
        document: &Value,
        proposer: &Context,
        expected: Expected,
        tx: &mut Tx<Write>,
    ) -> Result<Redone> {
        let operation: O = read(document)?;
        refuse(proposer.verdict(O::ACTION, Decision::Allow).decision)?;
        let facts = operation.facts(proposer, tx).await?;
        // Allow would do as well: presence has been proven meanwhile, which is all that a confirm verdict asks.
        refuse(proposer.verdict(O::ACTION, operation.decide(proposer, &facts)).decision)?;
        if operation.revision(&facts) != expected.revision {
            return Err(Error::Stale);
        }
        let personal = operation.personal(&facts);
        let (target, parameters) = (operation.target(), operation.recorded(&facts));
        let output = if expected.execute {
            let output = O::execute(Authorized::new(&operation, proposer, facts), tx).await?;
            Some(serde_json::to_value(output).map_err(Error::internal)?)
        } else {
            None
        };
        Ok(Redone { target, parameters, personal, output })
    }
}

/// Every operation that may wait for a confirmation. Slices add theirs at start.
#[derive(Default)]
pub struct Registry {
    stored: BTreeMap<Action, Box<dyn Stored>>,
}

impl Registry {
    /// Adds one.
    pub fn add<O: Operation<Mode = Write>>(&mut self) {
        self.stored.insert(O::ACTION, Box::new(Typed::<O>(PhantomData)));
    }

    /// Whether an action can be stored and carried out later.
    pub fn knows(&self, action: Action) -> bool {
        self.stored.contains_key(&action)
    }

    pub(super) fn get(&self, action: Action) -> Result<&dyn Stored> {
        self.stored
            .get(&action)
            .map(AsRef::as_ref)
            .ok_or_else(|| Error::internal(anyhow::anyhow!("{action} asked for a confirmation but cannot be stored")))
    }
}

/// Moments that matter to a proposal.
pub(super) fn is_over(expires_at: Timestamp, at: Timestamp) -> bool {
    expires_at <= at
}
