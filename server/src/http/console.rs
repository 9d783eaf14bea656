//! The console's files, from the binary itself, under a strict content security policy.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Files;

/// Where `index.html` wants the nonce.
const NONCE: &str = "{{nonce}}";

/// A file of the console, or its entry page for every address that is a page of it.
pub(super) async fn serve(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    if let Some(file) = Files::get(path).filter(|_| path != "index.html" && !path.is_empty()) {
        let kind = HeaderValue::from_str(file.metadata.mimetype())
            .unwrap_or(HeaderValue::from_static("application/octet-stream"));
        // Names of built assets carry a hash of their content.
        let caching = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        return ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, HeaderValue::from_static(caching))], file.data)
            .into_response();
    }
    // A missing asset must not answer with a page.
    if path.starts_with("assets/") || path.starts_with("api/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    page()
}

fn page() -> Response {
    let Some(index) = Files::get("index.html") else {
        return (StatusCode::NOT_FOUND, "The console has not been built: run script/server, or npm run build in web.")
            .into_response();
    };
    let nonce = STANDARD.encode(rand::random::<[u8; 16]>());
    let html = String::from_utf8_lossy(&index.data).replace(NONCE, &nonce);
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    let mut response = Body::from(html).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
