//! The pages of checkpoints.

mod checkpoint;
mod cleanup;
mod filter;
mod new;
mod steps;
mod timeline;
mod timeline_line;
mod worker_diagram;

pub(super) use checkpoint::page as checkpoint;
pub(super) use cleanup::page as cleanup;
pub(crate) use filter::CheckpointFilter;
pub(super) use new::page as new;
pub(super) use steps::page as steps;
pub(crate) use steps::step_token;
pub(super) use timeline::page as timeline;
