//! `bailiwick audit …`: the trail, checked from outside the server.

use bailiwick::audit::command::{Ask, verify_command};
use bailiwick::audit::verify::Verdict;
use bailiwick::config::Config;
use bailiwick::crypto::keyring::KeyRing;
use bailiwick::failure::{Exit, Failure};
use bailiwick::{app, migrate};
use clap::Subcommand;
use contract::id::OrganisationId;

/// Connections: one reads, one more looks aside.
const CONNECTIONS: u32 = 2;

/// What can be asked about the audit trail.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Recompute the trail and say whether anything in it was changed, and where
    #[command(after_help = "Examples:\n  bailiwick --config FILE audit verify\n  \
        bailiwick --config FILE audit verify --organisation org_0190… --json\n\n\
        Ends with 0 when everything verified, 8 when the trail is broken, 9 when it could not be verified as a whole.")]
    Verify {
        /// Only this organisation's trail; else every one and the installation's own
        #[arg(long, value_name = "ORG_ID")]
        organisation: Option<OrganisationId>,
        /// Answer as JSON, one object a line
        #[arg(long)]
        json: bool,
    },
}

impl Audit {
    /// Does what was asked.
    ///
    /// # Errors
    /// A failure with code 8 or 9 for a trail that did not verify.
    pub async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Self::Verify { organisation, json } = self;
        let keys = KeyRing::from_file(&config.at_rest_key_file, config.allow_loose_key_file)
            .map_err(|error| Failure::new(Exit::NotVerified, format!("not verified: {error}")))?;
        let database = config.database.sequencer.options();
        drop(migrate::await_database(&database, std::time::Duration::ZERO).await?);
        let pool = app::pool(database, CONNECTIONS);
        let ask = Ask { pool: &pool, keys: Some(&keys), data_directory: &config.data_directory, organisation, json };
        let verdict = verify_command(&ask, &mut std::io::stdout()).await?;
        match verdict {
            Verdict::Verified => Ok(()),
            Verdict::Broken => Err(Failure::new(Exit::Broken, "the audit trail is broken: see above where")
                .advise("Keep the database as it is for whoever looks into it.")
                .into()),
            Verdict::NotVerified => {
                Err(Failure::new(Exit::NotVerified, "the audit trail was not verified as a whole: see above why")
                    .into())
            }
        }
    }
}
