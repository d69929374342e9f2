//! Which address is answered by what.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::{get, post};
use axum::{Router, middleware};
use serde_json::{Value, json};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::error::{self, WebError};
use crate::json::Json;
use crate::site::AppState;
use crate::{api, assets, auth, budget, headers, live, page};

/// Puts the answers behind the guard, and the headers around them.
pub(crate) fn router(site: &Arc<AppState>) -> Router {
    let compression = CompressionLayer::new().gzip(true).quality(CompressionLevel::Precise(2));
    Router::new()
        .merge(page::routes())
        .nest("/api/v1", api::routes())
        .route("/events", get(live::events))
        .route("/assets/{name}", get(assets::asset))
        .route("/hello", get(hello))
        .route("/session", post(auth::resume))
        .fallback(async || WebError::no_page())
        .method_not_allowed_fallback(async || auth::no_method())
        .layer(middleware::from_fn_with_state(Arc::clone(site), auth::check))
        .layer(middleware::from_fn(error::catch))
        .layer(middleware::from_fn_with_state(Arc::clone(site), budget::limit))
        .layer(middleware::from_fn(error::render))
        .layer(compression)
        .layer(middleware::from_fn(headers::secure))
        .with_state(Arc::clone(site))
}

/// Proves to another start of the program that this is a server of the same workspace.
async fn hello(
    State(site): State<Arc<AppState>>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Json<Value> {
    let nonce = pairs.into_iter().find(|(name, _)| name == "nonce").unwrap_or_default().1;
    let proof = site.keys.prove(&nonce, site.read_only);
    Json(json!({ "program": "skein", "start": site.keys.start, "proof": proof }))
}
