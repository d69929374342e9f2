use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use skein_format::time::Time;
use skein_store::Dirs;

/// Tells the time.
pub struct Clock(Box<dyn Fn() -> Time + Send + Sync>);

impl Clock {
    /// Takes the function that is asked for the time.
    pub fn new(now: impl Fn() -> Time + Send + Sync + 'static) -> Self {
        Self(Box::new(now))
    }

    /// Returns the time.
    pub fn now(&self) -> Time {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// What the machine says, read once by the binary.
#[derive(Debug)]
pub struct Env {
    /// The directory that the user stands in, absolute.
    pub dir: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The directory of the user's settings files; `skein/config.toml` is below it.
    pub config_home: Option<PathBuf>,
    /// Where state and caches are kept.
    pub dirs: Dirs,
    /// The variables whose names start with `SKEIN_`.
    pub variables: BTreeMap<String, String>,
    /// The time.
    pub clock: Clock,
}
