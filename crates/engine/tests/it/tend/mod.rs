//! Checkpoints that are resumed, tended and put away.

mod archive;
mod brief;
mod cleanup;
mod filter;
mod handoffs;
mod names;
mod oddities;
mod share;
mod short;
mod states;
mod steps;
mod take;
mod worker;
