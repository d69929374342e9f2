//! Connects sessions of OpenCode with threads of Mattermost.
//!
//! [`core`] decides everything: it turns events of both servers into actions, and does no input or
//! output itself. It does not know the protocols of the servers; the types of its inputs and
//! actions are its own. The runner gives it the events and carries out its actions. [`Config`] is
//! the settings file.
//!
//! [`run`] is `skein bridge run`: it returns when the process is asked to stop, or when the bridge
//! cannot go on. [`check`] tries every setting with both servers. [`status`] and [`log`] read the
//! files of a bridge and connect to nothing. [`install`] and [`uninstall`] write and remove the file
//! with which the system starts a bridge.
//!
//! [`run_turn`] prompts a session of a server without a bridge.
//!
//! The bridge calls no model, knows no chat but Mattermost and no agent but OpenCode, and listens
//! on no network port.

mod check;
mod client;
mod config;
pub mod core;
mod directory_threads;
mod map;
mod runner;
mod service;
mod service_text;
mod setup;
mod socket;
mod state_dir;
mod status;
mod turn;

pub use check::check;
pub use client::{ControlError, last_posts, say, send, server};
pub use config::{
    ApprovalSetting, Config, ConfigError, MattermostConfig, OpenCodeConfig, PASSWORD_VARIABLE,
    TOKEN_VARIABLE, config_path,
};
pub use runner::BridgeRunError;
pub use service::{ServiceError, ServiceManager, ServiceOptions, install, uninstall};
pub use setup::{BridgeError, BridgeOptions, run};
pub use state_dir::StateError;
pub use status::{log, status};
pub use turn::{TurnError, TurnRequest, run_turn};
