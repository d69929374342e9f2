//! The measurements, a file for each.

pub(crate) mod growth;
pub(crate) mod hook;
pub(crate) mod list;
pub(crate) mod memory;
mod process;
mod read;
pub(crate) mod replace;
pub(crate) mod reply;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod unread;
pub(crate) mod work;

use std::collections::BTreeMap;
use std::path::Path;

use skein_format::time::Time;
use skein_store::Dirs;
use skein_workspace::{Clock, Env, IdGenerator};

/// Later than every time in a corpus.
const NOW: i64 = 1_800_000_000_000;

/// Returns the environment of a user who stands in `root` and has set nothing.
pub(crate) fn env(root: &Path) -> Env {
    Env {
        dir: root.to_owned(),
        home: Some(root.to_owned()),
        config_home: None,
        dirs: Dirs::new(root.join("state"), root.join("cache")),
        variables: BTreeMap::new(),
        users: vec![rustix::process::geteuid().as_raw()],
        fs: std::sync::Arc::new(skein_store::RealFs),
        deadline_factor: 1,
        clock: Clock::new(|| Time::from_millis(NOW)),
        ids: IdGenerator::seeded("bench"),
    }
}
