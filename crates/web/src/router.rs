//! All routes.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Router, middleware};
use serde_json::{Value, json};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::app_state::AppState;
use crate::error::{self, WebError};
use crate::json::Json;
use crate::request::QueryParams;
use crate::{api, assets, auth, budget, event_stream, headers, page};

pub(crate) fn router(app: &Arc<AppState>) -> Router {
    let compression = CompressionLayer::new().gzip(true).quality(CompressionLevel::Precise(2));
    Router::new()
        .merge(page::routes())
        .nest("/api/v1", api::routes())
        .route("/events", get(event_stream::events))
        .route("/assets/{name}", get(assets::asset))
        .route("/assets/{version}/{name}", get(assets::versioned_asset))
        .route("/hello", get(hello))
        .route("/session", post(auth::resume))
        .fallback(async || WebError::no_page())
        .method_not_allowed_fallback(async || auth::no_method())
        .layer(middleware::from_fn_with_state(Arc::clone(app), auth::check))
        .layer(middleware::from_fn(error::catch))
        .layer(middleware::from_fn_with_state(app.budget.clone(), budget::limit))
        .layer(middleware::from_fn(error::render))
        .layer(compression)
        .layer(middleware::from_fn(headers::secure))
        .with_state(Arc::clone(app))
}

/// Proves to another `skein serve` process that this server has the token of the workspace.
async fn hello(State(app): State<Arc<AppState>>, params: QueryParams) -> Json<Value> {
    let nonce = params.get("nonce").unwrap_or_default();
    let proof = app.keys.prove(nonce, app.mode());
    Json(json!({ "program": "skein", "start": app.keys.start, "proof": proof }))
}
