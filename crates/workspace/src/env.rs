use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use skein_format::time::Time;
use skein_model::{LocalClock, utc_minutes};
use skein_store::{Dirs, Fs, Revision, RootDirs};

/// Returns the current time.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Time + Send + Sync>,
    local: fn(i64) -> String,
}

impl Clock {
    /// Creates a clock from a function that returns the time.
    pub fn new(now: impl Fn() -> Time + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), local: utc_minutes }
    }

    /// Sets the function that formats milliseconds since 1970 as `2026-01-23 14:30` in the user's time zone; the default is UTC.
    pub fn with_local(self, local: fn(i64) -> String) -> Self {
        Self { local, ..self }
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        (self.now)()
    }

    /// Returns the current time, with the formatting in the user's time zone.
    pub fn local(&self) -> LocalClock {
        LocalClock { now: self.now(), write: self.local }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Makes unique ids.
#[derive(Clone)]
pub struct IdGenerator(Arc<dyn Fn() -> u128 + Send + Sync>);

impl IdGenerator {
    /// Creates a generator from a function that returns random bits.
    pub fn new(random: impl Fn() -> u128 + Send + Sync + 'static) -> Self {
        Self(Arc::new(random))
    }

    /// Creates a generator with the same ids in every run, for tests and examples.
    ///
    /// Callers request another id if one is taken.
    pub fn seeded(seed: &str) -> Self {
        let seed = seed.to_owned();
        let count = AtomicU64::new(0);
        Self::new(move || {
            let text = format!("{seed}:{}", count.fetch_add(1, Ordering::Relaxed));
            let digits = Revision::from_bytes(text.as_bytes()).to_string();
            // A revision has more hexadecimal digits than this.
            u128::from_str_radix(digits.get(..32).unwrap_or_default(), 16).unwrap_or_default()
        })
    }

    /// Returns a UUID of version 4, as the VS Code extension does.
    pub fn next(&self) -> String {
        let bits = (self.0)();
        let bits = bits & !(0xf << 76) | 0x4 << 76;
        let bits = bits & !(0x3 << 62) | 0x2 << 62;
        let part = |shift: u32, digits: u32| (bits >> shift) & ((1 << (digits * 4)) - 1);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            part(96, 8),
            part(80, 4),
            part(64, 4),
            part(48, 4),
            part(0, 12)
        )
    }
}

impl fmt::Debug for IdGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdGenerator")
    }
}

/// The environment of the process, read once by the binary.
#[derive(Clone, Debug)]
pub struct Env {
    /// The current directory, absolute.
    pub dir: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The directory of the user's settings files; `skein/config.toml` is below it.
    pub config_home: Option<PathBuf>,
    /// The state and cache directories.
    pub dirs: Dirs,
    /// The variables that Skein reads, if they are set.
    pub variables: BTreeMap<String, String>,
    /// The ids of the users whose stores are used: the user of the process, and the one that called `sudo`.
    pub users: Vec<u32>,
    /// The file system for all writes.
    pub fs: Arc<dyn Fs>,
    pub clock: Clock,
    /// The source of ids.
    pub ids: IdGenerator,
}

/// Compares only the directories: a process has one environment, of which only the directory changes.
impl PartialEq for Env {
    fn eq(&self, other: &Self) -> bool {
        self.dir == other.dir
    }
}

impl Env {
    /// Returns the same environment with another current directory.
    pub fn with_dir(&self, dir: PathBuf) -> Self {
        Self { dir, ..self.clone() }
    }

    /// Returns the state and cache directories of a root.
    pub fn root_dirs(&self, root: &Path) -> RootDirs {
        self.dirs.for_root(&canonical(root))
    }
}

/// Returns the canonical path, or the path itself if it does not exist.
pub fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The variable in which `deliver` names the root of the threads to the agent that it starts; the session can be of another repository.
pub const DELIVERED_ROOT: &str = "SKEIN_DELIVERED_ROOT";

/// The variable in which git passes the repository to a hook.
pub const GIT_DIR: &str = "GIT_DIR";

/// The variables that contain the login name; the first one that is set counts.
pub const USER: [&str; 2] = ["USER", "LOGNAME"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uuids_of_version_4() {
        assert_eq!(IdGenerator::new(|| 0).next(), "00000000-0000-4000-8000-000000000000");
        assert_eq!(IdGenerator::new(|| u128::MAX).next(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let ids = IdGenerator::seeded("a");
        let (one, two) = (ids.next(), ids.next());
        assert_ne!(one, two);
        assert_eq!(IdGenerator::seeded("a").next(), one);
    }
}
