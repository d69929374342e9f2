mod accept;
mod bind;
mod hello;
mod neighbours;
mod run;

pub(crate) use neighbours::Neighbours;

pub use bind::{BindError, Bound, Options, bind};
