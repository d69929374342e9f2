//! How soon an open page shows a change, seen by a browser.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;

use super::server::ServerAddress;
use crate::Outcome;
use crate::corpus::Workspace;

/// What drives the browser.
const DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e");

/// From the end of each write to the page that shows it.
pub(super) struct Times {
    pub(super) comments: Vec<Duration>,
    pub(super) edits: Vec<Duration>,
}

/// The times in milliseconds, as the script prints them.
#[derive(Deserialize)]
struct Printed {
    comments: Vec<f64>,
    edits: Vec<f64>,
}

/// The times from keys to lists in milliseconds, as the other script prints them.
#[derive(Deserialize)]
struct Pressed {
    keys: Vec<f64>,
}

/// Changes files while a page is open; none where there is no browser to open it.
pub(super) fn times(door: &ServerAddress, workspace: &Workspace) -> Outcome<Option<Times>> {
    let root = workspace.root.to_str().unwrap_or_default();
    let Some(printed) = run::<Printed>(&["measure.mjs", &door.address, root])? else {
        return Ok(None);
    };
    let [comments, edits] = [printed.comments, printed.edits].map(durations);
    Ok(Some(Times { comments, edits }))
}

/// Types into the search, and returns how long each key took until its list was on the screen.
pub(super) fn keys(door: &ServerAddress) -> Outcome<Option<Vec<Duration>>> {
    let pressed = run::<Pressed>(&["keys.mjs", &door.address])?;
    Ok(pressed.map(|pressed| durations(pressed.keys)))
}

/// Runs a script; none where there is no browser for it.
#[expect(clippy::disallowed_methods, reason = "what drives the browser, with nothing of git in it")]
fn run<T: for<'a> Deserialize<'a>>(args: &[&str]) -> Outcome<Option<T>> {
    let missing = || {
        eprintln!("passing over the browser: `e2e/run` installs what drives it");
        Ok(None)
    };
    if !Path::new(DIR).join("node_modules").exists() {
        return missing();
    }
    let mut command = std::process::Command::new("node");
    let output = command.args(args).current_dir(DIR).stderr(Stdio::inherit()).output();
    let output = match output {
        Ok(output) if output.status.code() != Some(3) => output,
        _ => return missing(),
    };
    if !output.status.success() {
        return Err("the page in the browser did not follow".into());
    }
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}

fn durations(times: Vec<f64>) -> Vec<Duration> {
    // The page may have shown it before the write was over.
    times.into_iter().map(|time| Duration::from_secs_f64(time.max(0.0) / 1e3)).collect()
}
