//! The command line: what can be asked, with help and examples. Each command's work is in its own file.

mod admin;
mod audit;
mod server;
mod settings;

use std::net::SocketAddr;
use std::path::PathBuf;

use bailiwick::config::{Config, LogFormat, Profile, Sources};
use bailiwick::failure::Failure;
use clap::{Parser, Subcommand};

/// Bailiwick: who may do what, and proof of what happened.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Line {
    /// Configuration file (TOML). Every setting can also be a variable: BAILIWICK_DATABASE__APP_URL.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 configuration refused, 4 database \
unreachable, 5 address taken, 6 data directory unusable, 7 schema does not fit, 8 audit trail broken, 9 audit trail \
not verified.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve in production: refuses an insecure or contradictory configuration
    #[command(after_help = "Example: bailiwick --config /etc/bailiwick.toml serve")]
    Serve,
    /// Serve from this machine alone, with a private database, a certificate and a key of its own
    #[command(after_help = "Example: bailiwick dev --listen 127.0.0.1:9443 --data-directory ./data")]
    Dev {
        /// Where everything is kept
        #[arg(long, value_name = "DIRECTORY")]
        data_directory: Option<PathBuf>,
        /// Address and port; port 0 takes a free one
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<SocketAddr>,
    },
    /// Bring the database to the schema of this program
    #[command(after_help = "Examples:\n  bailiwick migrate --roles | psql -U postgres\n  bailiwick migrate --json")]
    Migrate {
        /// Print the statements that create the database roles, for a superuser, and do nothing
        #[arg(long)]
        roles: bool,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the API's description
    #[command(after_help = "Example: bailiwick openapi > openapi/console.json")]
    Openapi,
    /// The audit trail
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Ways back in for whoever runs the server
    #[command(subcommand)]
    Admin(admin::Admin),
    /// Print every setting, its value (secrets masked) and where it came from
    #[command(after_help = "Example: BAILIWICK_LISTEN=0.0.0.0:443 bailiwick config")]
    Config {
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Line {
    /// Does what was asked.
    ///
    /// # Errors
    /// A [`Failure`] with its exit code, or anything unforeseen.
    pub async fn run(self) -> anyhow::Result<()> {
        let mut sources = Sources::of_process(self.config);
        match self.command {
            Command::Serve => server::serve(&sources).await,
            Command::Dev { data_directory, listen } => {
                if let Some(directory) = data_directory {
                    sources.command_line.insert("data_directory", directory.display().to_string());
                }
                if let Some(listen) = listen {
                    sources.command_line.insert("listen", listen.to_string());
                }
                server::dev(sources).await
            }
            Command::Migrate { roles: true, .. } => {
                print!("{}", bailiwick::migrate::ROLES);
                Ok(())
            }
            Command::Migrate { json, .. } => settings::migrate(&sources, json).await,
            Command::Openapi => {
                println!("{}", bailiwick::http::description().to_pretty_json()?);
                Ok(())
            }
            Command::Audit(audit) => audit.run(&operator(&sources)?).await,
            Command::Admin(admin) => admin.run(operator(&sources)?).await,
            Command::Config { json } => settings::show(&sources, json),
        }
    }
}

/// The configuration for a command beside the server; its log lines are only warnings, for people.
fn operator(sources: &Sources) -> Result<Config, Failure> {
    let mut config = sources.load(Profile::Serve)?.config;
    config.log.filter = String::from("warn");
    config.log.format = LogFormat::Text;
    bailiwick::observe::log(&config.log);
    Ok(config)
}
