mod accept;
mod bind;
mod hello;
mod neighbours;
mod run;
mod seats;
mod stall;

pub(crate) use neighbours::Neighbours;

pub use bind::{BindError, Bound, Options, bind};
