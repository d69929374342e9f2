use clap::Args;
use serde::Serialize;

use super::context::CliContext;
use crate::error::CliResult;

/// The version of the JSON documents; raised when a documented field is removed or gets another meaning.
const JSON_VERSION: u32 = 1;

/// What was added to the commands after the first version of the JSON documents, for programs that need it.
const FEATURES: [&str; 4] = ["edit-was", "steps-was", "apply-token", "watch-code"];

/// Prints the version, and with `--json` what programs can rely on.
#[derive(Args, Debug)]
pub(crate) struct VersionArgs {}

#[derive(Serialize)]
struct Version {
    version: &'static str,
    json: u32,
    features: &'static [&'static str],
}

pub(crate) fn run_version(context: &mut CliContext<'_>) -> CliResult {
    let version = env!("CARGO_PKG_VERSION");
    let document = Version { version, json: JSON_VERSION, features: &FEATURES };
    if context.output.print_json(&document)? {
        return Ok(());
    }
    context.output.line(&format!("skein {version}"))
}
