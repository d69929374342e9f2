//! The pages of work: checkpoints, what is left to do, and what to write down.

mod checkpoint;
mod cleanup;
mod filter;
mod new;
mod pager;
mod steps;
mod timeline;
mod timeline_row;
mod worker_diagram;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::site::AppState;

pub(crate) use filter::WorkFilter;
pub(crate) use steps::shown;

/// Returns the addresses of these pages.
pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/work", get(timeline::page))
        .route("/work/steps", get(steps::page))
        .route("/work/new", get(new::page))
        .route("/work/cleanup", get(cleanup::page))
        .route("/work/{id}", get(checkpoint::page))
}
