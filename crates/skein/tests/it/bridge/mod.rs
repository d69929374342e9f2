//! `skein bridge run` with a real Mattermost and the real OpenCode, whose model is scripted.
//!
//! `.ci/long servers` starts both and names them in the environment. Each test has its own bot, its own home and its own
//! directory below the project of OpenCode, so that the tests can run at the same time.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "figures, and what helps to understand a failure"
)]

mod agent;
mod asks;
mod changes;
mod chat;
mod failures;
mod files;
mod http;
mod load;
mod proxy;
mod rights;
mod start;
mod world;
