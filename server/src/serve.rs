//! Accepting connections: the listener, TLS with its reload, HTTP/2, and an end that lets requests finish.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use tokio_util::sync::CancellationToken;

use crate::config::Tls;
use crate::failure::{Exit, Failure};

/// How long requests that have begun may take once the end was asked for.
const DRAIN: Duration = Duration::from_secs(10);
/// How often the certificate files are looked at.
const WATCH: Duration = Duration::from_secs(5);
/// Most requests that one HTTP/2 connection may have open.
const STREAMS: u32 = 128;

/// Takes the address, so that a port that somebody has is noticed before anything else starts.
///
/// # Errors
/// Names the address and what to do.
pub fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| {
        let failure = Failure::new(Exit::Address, format!("cannot listen on {address}: {error}"));
        match error.kind() {
            std::io::ErrorKind::AddrInUse => failure.advise(format!(
                "Another program has port {}. End it, or choose another port with the setting listen.",
                address.port()
            )),
            std::io::ErrorKind::PermissionDenied => {
                failure.advise("Ports below 1024 need a privilege; choose a higher one with the setting listen.")
            }
            _ => failure.advise("Choose an address of this machine with the setting listen."),
        }
    })
}

/// Serves until `stop` is cancelled, then lets requests finish for ten seconds at most.
///
/// # Errors
/// The certificate cannot be used, or the listener broke.
pub async fn run(listener: TcpListener, tls: &Tls, router: Router, stop: CancellationToken) -> anyhow::Result<()> {
    let handle: Handle<SocketAddr> = Handle::new();
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let drain = async {
        stop.cancelled().await;
        handle.graceful_shutdown(Some(DRAIN));
        std::future::pending::<()>().await;
    };
    match tls {
        Tls::Certificate { certificate, private_key } => {
            let rustls = RustlsConfig::from_pem_file(certificate, private_key)
                .await
                .map_err(|error| unusable(certificate, private_key, &error))?;
            let mut server = axum_server::from_tcp_rustls(listener, rustls.clone())?
                .map(|acceptor| acceptor.handshake_timeout(Duration::from_secs(10)))
                .handle(handle.clone());
            server.http_builder().http2().max_concurrent_streams(STREAMS);
            tokio::select! {
                served = server.serve(service) => served?,
                () = drain => {}
                () = reload(&rustls, certificate, private_key) => {}
            }
        }
        Tls::Proxy { .. } => {
            let mut server = axum_server::from_tcp(listener)?.handle(handle.clone());
            server.http_builder().http2().max_concurrent_streams(STREAMS);
            tokio::select! {
                served = server.serve(service) => served?,
                () = drain => {}
            }
        }
    }
    Ok(())
}

fn unusable(certificate: &Path, private_key: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        Exit::Configuration,
        format!(
            "tls.certificate_file {} and tls.private_key_file {} cannot be used: {error}",
            certificate.display(),
            private_key.display()
        ),
    )
    .advise("Both have to be readable PEM files, and the key has to belong to the first certificate.")
}

/// Takes a renewed certificate into use without dropping a connection. Never ends.
async fn reload(rustls: &RustlsConfig, certificate: &Path, private_key: &Path) {
    let mut seen = (changed(certificate), changed(private_key));
    loop {
        tokio::time::sleep(WATCH).await;
        let now = (changed(certificate), changed(private_key));
        if now == seen {
            continue;
        }
        // A renewal writes two files: between them the pair does not fit, so a failure is tried again and not remembered.
        match rustls.reload_from_pem_file(certificate, private_key).await {
            Ok(()) => {
                seen = now;
                tracing::info!(certificate = %certificate.display(), "the certificate was reloaded");
            }
            Err(error) => {
                tracing::error!(%error, certificate = %certificate.display(), "the new certificate cannot be used; the old one stays");
            }
        }
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
