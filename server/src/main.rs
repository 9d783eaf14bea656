//! The `bailiwick` program: the server, and what an operator does beside it.

mod command;

use std::process::ExitCode;

use bailiwick::failure::{Exit, Failure};
use clap::Parser;

fn main() -> ExitCode {
    if rustls::crypto::aws_lc_rs::default_provider().install_default().is_err() {
        eprintln!("bailiwick: another TLS provider was installed first");
        return ExitCode::from(Exit::Failed as u8);
    }
    let line = command::Line::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("bailiwick: no threads to run on: {error}");
            return ExitCode::from(Exit::Failed as u8);
        }
    };
    let ended = runtime.block_on(line.run());
    // Work that outlives its command (a name lookup that hangs) must not hold the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bailiwick: {}", message(&error));
            ExitCode::from(code(&error))
        }
    }
}

/// A failure speaks for itself; anything else is shown with its causes.
fn message(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Failure>() {
        Some(failure) => failure.to_string(),
        None => format!("{error:#}"),
    }
}

fn code(error: &anyhow::Error) -> u8 {
    error.downcast_ref::<Failure>().map_or(Exit::Failed, |failure| failure.exit) as u8
}
