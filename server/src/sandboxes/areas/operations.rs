//! One type per thing that can be asked of a sandbox's areas.

use contract::code::Code;
use contract::id::{AreaId, OrganisationId, SandboxId};
use serde::{Deserialize, Serialize};

use super::model::{Area, AreaList};
use super::{rules, store};
use crate::error::Error;
use crate::gate::{
    Action, Authorized, Context, Decision, Description, Operation, Parameters, Read, Result, Scope, Target, Tx, Write,
};
use crate::members;

/// Finds the area and refuses a stale revision.
async fn current(
    tx: &mut Tx<Write>,
    organisation: OrganisationId,
    sandbox: SandboxId,
    area: AreaId,
    expected: Option<i64>,
) -> Result<Area> {
    let area = store::find(tx, organisation, sandbox, area).await?;
    if expected.is_some_and(|expected| expected != area.revision) {
        return Err(Error::stale());
    }
    Ok(area)
}

fn named(name: &str) -> Parameters {
    Parameters::from_iter([("name".to_owned(), name.into())])
}

/// Lists the areas that the caller sees.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListAreas {
    /// Where.
    pub organisation: OrganisationId,
    /// Whose areas.
    pub sandbox: SandboxId,
}

impl Operation for ListAreas {
    const ACTION: Action = Action::AreaList;
    type Mode = Read;
    type Facts = ();
    type Output = AreaList;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    async fn facts(&self, _: &Context, _: &mut Tx<Read>) -> Result<()> {
        Ok(())
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Read>) -> Result<AreaList> {
        let Self { organisation, sandbox } = permit.operation();
        let mut items = store::list(tx, *organisation, *sandbox).await?;
        let access = permit.context().sandbox().and_then(|standing| standing.access.as_ref());
        items.retain(|area| rules::sees(access, &area.name));
        Ok(AreaList { items })
    }
}

/// Names a part of the workspace.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CreateArea {
    /// Its identity.
    pub id: AreaId,
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
    /// Its name, in its stored form.
    pub name: String,
}

impl Operation for CreateArea {
    const ACTION: Action = Action::AreaCreate;
    type Mode = Write;
    type Facts = ();
    type Output = Area;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("area", self.id)
    }

    fn parameters(&self) -> Parameters {
        let mut parameters = named(&self.name);
        parameters.insert("area".to_owned(), self.id.to_string().into());
        parameters
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<()> {
        if rules::fits(store::count(tx, self.organisation, self.sandbox).await?) {
            return Ok(());
        }
        Err(Error::conflict(Code::TooLarge, format!("A sandbox has at most {} areas.", rules::LIMIT)))
    }

    fn decide(&self, _: &Context, (): &()) -> Decision {
        Decision::Allow
    }

    fn describe(&self, (): &()) -> Description {
        Description {
            en: format!("Create the area “{}”.", self.name), pl: format!("Utworzyć obszar „{}”.", self.name)
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Area> {
        let Self { id, organisation, sandbox, name } = permit.operation();
        store::create(tx, *organisation, *sandbox, *id, name, permit.at()).await
    }
}

/// Gives an area another name, also in every row that names it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RenameArea {
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
    /// Which.
    pub area: AreaId,
    /// The new name, in its stored form.
    pub name: String,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for RenameArea {
    const ACTION: Action = Action::AreaRename;
    type Mode = Write;
    type Facts = Area;
    type Output = Area;

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("area", self.area)
    }

    fn parameters(&self) -> Parameters {
        let mut parameters = named(&self.name);
        parameters.insert("area".to_owned(), self.area.to_string().into());
        parameters
    }

    fn recorded(&self, facts: &Area) -> Parameters {
        let mut parameters = self.parameters();
        parameters.insert("before".to_owned(), facts.name.clone().into());
        parameters
    }

    async fn facts(&self, _: &Context, tx: &mut Tx<Write>) -> Result<Area> {
        current(tx, self.organisation, self.sandbox, self.area, self.expected).await
    }

    fn decide(&self, _: &Context, _: &Area) -> Decision {
        Decision::Allow
    }

    fn revision(&self, facts: &Area) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &Area) -> Description {
        Description {
            en: format!("Rename the area “{}” to “{}”.", facts.name, self.name),
            pl: format!("Zmienić nazwę obszaru „{}” na „{}”.", facts.name, self.name),
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<Area> {
        let Self { organisation, sandbox, area, name, .. } = permit.operation();
        let renamed = store::rename(tx, *organisation, *sandbox, *area, name).await?;
        members::rename_area(tx, *organisation, *sandbox, &permit.facts().name, name).await?;
        Ok(renamed)
    }
}

/// Removes an area that nobody's row names.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeleteArea {
    /// Where.
    pub organisation: OrganisationId,
    /// In which sandbox.
    pub sandbox: SandboxId,
    /// Which.
    pub area: AreaId,
    /// The revision that the caller has seen.
    pub expected: Option<i64>,
}

impl Operation for DeleteArea {
    const ACTION: Action = Action::AreaDelete;
    type Mode = Write;
    type Facts = Area;
    type Output = ();

    fn scope(&self) -> Scope {
        Scope::Sandbox(self.organisation, self.sandbox)
    }

    fn target(&self) -> Target {
        Target::new("area", self.area)
    }

    fn parameters(&self) -> Parameters {
        Parameters::from_iter([("area".to_owned(), self.area.to_string().into())])
    }

    fn recorded(&self, facts: &Area) -> Parameters {
        let mut parameters = self.parameters();
        parameters.extend(named(&facts.name));
        parameters
    }

    async fn facts(&self, context: &Context, tx: &mut Tx<Write>) -> Result<Area> {
        let area = current(tx, self.organisation, self.sandbox, self.area, self.expected).await?;
        if members::is_area_named(tx, self.organisation, self.sandbox, &area.name, context.at()).await? {
            let detail = "A member's access or an open invitation names this area. Change those first.";
            return Err(Error::conflict(Code::AreaInUse, detail));
        }
        Ok(area)
    }

    fn decide(&self, _: &Context, _: &Area) -> Decision {
        Decision::Allow
    }

    fn revision(&self, facts: &Area) -> Option<i64> {
        Some(facts.revision)
    }

    fn describe(&self, facts: &Area) -> Description {
        Description {
            en: format!("Delete the area “{}”.", facts.name), pl: format!("Usunąć obszar „{}”.", facts.name)
        }
    }

    async fn execute(permit: Authorized<'_, Self>, tx: &mut Tx<Write>) -> Result<()> {
        let Self { organisation, sandbox, area, .. } = permit.operation();
        store::delete(tx, *organisation, *sandbox, *area).await
    }
}
