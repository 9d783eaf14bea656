//! What an operator sees: log lines with a request's id, and metrics.

use std::io::IsTerminal;
use std::sync::OnceLock;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Seconds; from a cached read to the longest that a request may take.
const BUCKETS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Starts writing log lines to standard error, so that standard output stays free for answers. A second call changes
/// nothing.
pub fn log(settings: &Log) {
    let filter = EnvFilter::try_new(&settings.filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    // Only a test that starts twice in one process has a subscriber already.
    let _ = match settings.format {
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init(),
        LogFormat::Text => lines.compact().with_target(false).try_init(),
    };
}

/// The recorder that every `metrics::…!` call reaches, installed at the first call; `/metrics` renders it.
///
/// Labels are action names, verdicts, problem codes, methods and routes: bounded, and nothing about people.
pub fn metrics() -> &'static PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER.get_or_init(|| {
        let builder = PrometheusBuilder::new().set_buckets(BUCKETS).unwrap_or_else(|_| PrometheusBuilder::new());
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        // Somebody else's recorder in the same process would keep its own numbers; ours then stays empty.
        let _ = metrics::set_global_recorder(recorder);
        handle
    })
}
