//! `bailiwick serve` and `bailiwick dev`: from a configuration to a server that answers, and its end.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use bailiwick::app::App;
use bailiwick::config::{Config, Log, LogFormat, Profile, Sources};
use bailiwick::failure::Failure;
use bailiwick::{dev as development, http, migrate, observe, serve as listening};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Serves with what the operator configured.
pub async fn serve(sources: &Sources) -> anyhow::Result<()> {
    let config = sources.load(Profile::Serve).map_err(Failure::from)?.config;
    observe::log(&config.log);
    let stop = stop_by_signal()?;
    let listener = listening::bind(config.listen)?;
    tokio::select! {
        ready = database_ready(&config) => ready?,
        () = stop.cancelled() => return Ok(()),
    }
    let (app, work) = start(&config, &stop).await?;
    tracing::info!(address = %config.listen, origin = %config.origin(), "serving");
    finish(listening::run(listener, &config.tls, http::router(app)?, stop.clone()).await, &stop, work).await
}

/// Background work of a server, with the way to await its end.
type Work = tokio_util::task::TaskTracker;

/// Puts the server together and starts what works beside the requests.
async fn start(config: &Config, stop: &CancellationToken) -> anyhow::Result<(App, Work)> {
    observe::metrics();
    let (app, receipts) = App::build(config.clone(), stop).await?;
    let work = Work::new();
    bailiwick::jobs::start(&app, receipts, &work, stop);
    work.close();
    Ok((app, work))
}

/// Ends what works beside the requests, in order, once no request is left.
async fn finish(served: anyhow::Result<()>, stop: &CancellationToken, work: Work) -> anyhow::Result<()> {
    stop.cancel();
    if tokio::time::timeout(Duration::from_secs(10), work.wait()).await.is_err() {
        tracing::warn!("background work did not end in time");
    }
    served
}

/// Serves with everything made on this machine, and ends everything it started.
pub async fn dev(mut sources: Sources) -> anyhow::Result<()> {
    // The whole configuration is read once the database is there; log lines are wanted before.
    sources.provided.insert("log.format", String::from("text"));
    let said = |key| sources.peek(key).map(Option::unwrap_or_default).map_err(Failure::from);
    let format = if said("log.format")? == "json" { LogFormat::Json } else { LogFormat::Text };
    observe::log(&Log { format, filter: said("log.filter")? });
    let stop = stop_by_signal()?;
    // The port comes first: a taken one should be said at once, and port 0 becomes the one that passkeys are bound to.
    let listener = match sources.peek("listen").map_err(Failure::from)?.and_then(|text| text.parse().ok()) {
        Some(address) => Some(take(address, &mut sources)?),
        None => None,
    };
    let dev = development::start(sources).await?;
    let served = serve_dev(&dev.loaded.config, listener, &stop).await;
    dev.stop().await;
    served
}

async fn serve_dev(config: &Config, listener: Option<TcpListener>, stop: &CancellationToken) -> anyhow::Result<()> {
    if stop.is_cancelled() {
        return Ok(());
    }
    let listener = match listener {
        Some(listener) => listener,
        None => listening::bind(config.listen)?,
    };
    database_ready(config).await?;
    let (app, work) = start(config, stop).await?;
    let served = match welcome(config, &app).await {
        Ok(()) => listening::run(listener, &config.tls, http::router(app)?, stop.clone()).await,
        Err(error) => Err(error),
    };
    finish(served, stop, work).await
}

fn take(address: SocketAddr, sources: &mut Sources) -> anyhow::Result<TcpListener> {
    let listener = listening::bind(address)?;
    if address.port() == 0 {
        sources.command_line.insert("listen", listener.local_addr()?.to_string());
    }
    Ok(listener)
}

async fn database_ready(config: &Config) -> Result<(), Failure> {
    let mut connection = migrate::await_database(&config.database.app.options(), config.database.start_wait).await?;
    migrate::check(&mut connection).await
}

/// What a person at the terminal needs next.
async fn welcome(config: &Config, app: &App) -> anyhow::Result<()> {
    println!("\nBailiwick is running at {}", config.origin());
    if let Some(link) = bailiwick::accounts::issue_first_owner(app, false).await? {
        println!("\nNobody owns it yet. Open this link to become its first owner:\n\n  {link}\n");
    }
    let file = config.data_directory.join(development::SETTINGS_FILE);
    println!("Data: {}", config.data_directory.display());
    println!("Other commands on this data: bailiwick --config {} audit verify", file.display());
    println!("Ctrl-C stops it.\n");
    Ok(())
}

/// Cancelled by Ctrl-C, by SIGTERM, and by the end of the terminal.
fn stop_by_signal() -> anyhow::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let mut signals =
        [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?];
    let cancel = stop.clone();
    #[expect(clippy::disallowed_methods, reason = "listens for signals for as long as the process runs")]
    tokio::spawn(async move {
        let [interrupt, terminate, hangup] = &mut signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        tracing::info!("stopping");
        cancel.cancel();
    });
    Ok(stop)
}
