//! `bailiwick config` and `bailiwick migrate`.

use bailiwick::config::{Origin, Profile, Sources};
use bailiwick::failure::{Exit, Failure};
use bailiwick::{migrate as schema, observe};

/// Prints the effective configuration, also when it is refused: that is when somebody needs to see it.
pub fn show(sources: &Sources, json: bool) -> anyhow::Result<()> {
    let report = sources.report().map_err(Failure::from)?;
    if json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        let widest = report.iter().map(|line| line.setting.len()).max().unwrap_or_default();
        for line in &report {
            let value = line.value.as_deref().unwrap_or("-");
            println!("{:widest$}  {value}  ({})", line.setting, place(&line.origin));
        }
    }
    sources.load(Profile::Serve).map_err(Failure::from)?;
    Ok(())
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::CommandLine => "command line".into(),
        Origin::Environment(variable) => variable.clone(),
        Origin::File(path) => path.display().to_string(),
        Origin::Dev => "made by bailiwick dev".into(),
        Origin::Default => "default".into(),
        Origin::Unset => "not set".into(),
    }
}

/// Brings the schema up to date and says what was done.
pub async fn migrate(sources: &Sources, json: bool) -> anyhow::Result<()> {
    let config = sources.load(Profile::Serve).map_err(Failure::from)?.config;
    observe::log(&config.log);
    let Some(owner) = &config.database.migrator else {
        return Err(Failure::new(Exit::Configuration, "database.migrator_url: is not set, and migrations need it")
            .advise("It names the role that owns the schema; `bailiwick migrate --roles` prints how to make it.")
            .into());
    };
    drop(schema::await_database(&owner.options(), config.database.start_wait).await?);
    let done = schema::run(&owner.options()).await?;
    if json {
        println!("{}", serde_json::to_string_pretty(&done)?);
    } else {
        match done.applied {
            0 => println!("The schema is version {} already.", done.to),
            applied => println!("Applied {applied} migrations; the schema is version {}.", done.to),
        }
    }
    Ok(())
}
