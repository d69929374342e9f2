mod accept;
mod bind;
mod connections;
mod probe;
mod run;
mod workspace_servers;
mod write_timeout;

pub use bind::{BindError, Bound, ServeOptions, bind};
