mod accept;
mod bind;
mod probe;
mod run;
mod seats;
mod stall;
mod workspace_servers;

pub(crate) use workspace_servers::WorkspaceServers;

pub use bind::{BindError, Bound, Options, bind};
