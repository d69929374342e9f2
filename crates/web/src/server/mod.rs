mod accept;
mod bind;
mod hello;
mod run;

pub use bind::{BindError, Bound, Options, bind};
