//! `bailiwick admin …`: ways back in that need no account, only this machine. Each goes through the gate and is on record.

use bailiwick::app::App;
use bailiwick::config::Config;
use bailiwick::{accounts, migrate, policies};
use clap::Subcommand;
use contract::id::OrganisationId;
use tokio_util::sync::CancellationToken;

/// What whoever runs the server may do without an account.
#[derive(Debug, Subcommand)]
pub enum Admin {
    /// Make a new link for the first owner; links made before stop working
    #[command(after_help = "Example: bailiwick --config FILE admin first-owner")]
    FirstOwner {
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Policies that lock everybody out
    #[command(subcommand)]
    Policy(Policy),
}

/// What can be done about a policy from here.
#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Put an organisation back to the built-in policy; its earlier versions are kept
    #[command(after_help = "Example: bailiwick --config FILE admin policy reset --organisation org_0190…")]
    Reset {
        /// Whose policy
        #[arg(long, value_name = "ORG_ID")]
        organisation: OrganisationId,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Admin {
    /// Does what was asked.
    ///
    /// # Errors
    /// The database cannot be reached, or the gate refuses.
    pub async fn run(self, config: Config) -> anyhow::Result<()> {
        let stop = CancellationToken::new();
        drop(migrate::await_database(&config.database.app.options(), config.database.start_wait).await?);
        // What is recorded here is sealed by the server: it finds records in the table as well.
        let (app, _receipts) = App::build(config, &stop).await?;
        let done = self.perform(&app).await;
        stop.cancel();
        done
    }

    async fn perform(self, app: &App) -> anyhow::Result<()> {
        match self {
            Self::FirstOwner { json } => {
                let link = accounts::issue_first_owner(app, true).await?.unwrap_or_default();
                if json {
                    println!("{}", serde_json::json!({ "link": link }));
                } else {
                    println!("Open this link to become the first owner. It works once, for a day:\n\n  {link}");
                }
            }
            Self::Policy(Policy::Reset { organisation, json }) => {
                let version = policies::reset(&app.gate, organisation).await?;
                if json {
                    println!("{}", serde_json::json!({ "organisation": organisation, "version": version }));
                } else {
                    println!("{organisation} has the built-in policy again, as version {version}.");
                }
            }
        }
        Ok(())
    }
}
