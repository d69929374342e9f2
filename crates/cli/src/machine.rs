use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use skein_format::time::{self, Time};
use skein_hooks::LogFile;
use skein_install::DetectedPrograms;
use skein_workspace::{Clock, Env, Fs as _, IdGenerator, RealFs};

use crate::error::{CliError, CliResult};

const NO_DIR_HINT: &str = "run `skein` in a directory that exists, or name one with `-C DIR`";

/// Everything that the binary read from the environment.
#[derive(Clone, Debug)]
pub struct ProcessEnv {
    /// The arguments, the program's name first.
    pub args: Vec<OsString>,
    /// The current directory, absolute; empty if it was deleted.
    pub dir: PathBuf,
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// `XDG_STATE_HOME`.
    pub state_home: Option<PathBuf>,
    /// `XDG_CACHE_HOME`.
    pub cache_home: Option<PathBuf>,
    /// The variables that [`is_wanted`] accepts.
    pub variables: BTreeMap<String, String>,
    /// The ids of the users whose stores are trusted.
    pub users: Vec<u32>,
    /// Whether `NO_COLOR` is set.
    pub no_color: bool,
    /// Returns the milliseconds since 1970.
    pub now: fn() -> i64,
    /// Formats milliseconds since 1970 in the time zone of the user: `2026-01-23 14:30`.
    pub local_time: fn(i64) -> String,
    /// Returns random bits.
    pub random: fn() -> u128,
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    /// Returns whether the reader of the output has closed it.
    pub is_output_closed: fn() -> bool,
    /// The columns of the terminal.
    pub width: Option<usize>,
    /// Returns whether a program is on the search path.
    pub has_program: fn(&str) -> bool,
    /// The path of the running program.
    pub program: Option<PathBuf>,
}

/// The three streams of the program.
pub struct Streams<'a> {
    pub input: &'a mut dyn BufRead,
    /// For data.
    pub out: &'a mut dyn Write,
    /// For everything else.
    pub err: &'a mut dyn Write,
}

impl ProcessEnv {
    /// Returns the environment for use cases; `dir` replaces the current directory.
    pub(crate) fn env(&self, dir: Option<&Path>) -> CliResult<Env> {
        let dir = dir.map_or_else(|| self.dir.clone(), |dir| self.dir.join(dir));
        if dir.is_relative() {
            return Err(CliError::new(
                "the current directory does not exist any more",
                NO_DIR_HINT,
            ));
        }
        if !dir.is_dir() {
            let message = format!("there is no such directory: {}", dir.display());
            return Err(CliError::new(message, NO_DIR_HINT));
        }
        Ok(self.env_in(dir, self.clock()?))
    }

    /// Returns the environment in the current directory, which may not exist.
    pub(crate) fn env_of_caller(&self) -> Env {
        self.env_in(self.dir.clone(), self.real_clock())
    }

    /// Returns the environment for a hook; the directory may not exist.
    ///
    /// None without a directory for state: a hook must not write into a directory of the user.
    pub(crate) fn env_of_hook(&self) -> Option<Env> {
        self.state_home.as_ref().or(self.home.as_ref())?;
        Some(self.env_in(self.dir.clone(), self.clock().unwrap_or_else(|_| self.real_clock())))
    }

    /// Returns the log of hooks; `None` without a directory for state.
    pub fn hook_log(&self) -> Option<LogFile> {
        Some(LogFile::new(&self.env_of_hook()?))
    }

    fn env_in(&self, dir: PathBuf, clock: Clock) -> Env {
        let below = |set: &Option<PathBuf>, rest: &[&str]| {
            let home = || {
                self.home
                    .as_ref()
                    .map(|home| rest.iter().fold(home.clone(), |dir, part| dir.join(part)))
            };
            set.clone().or_else(home)
        };
        let nowhere = || skein_workspace::state_without_home(&dir);
        let state = below(&self.state_home, &[".local", "state"]).unwrap_or_else(nowhere);
        let cache = below(&self.cache_home, &[".cache"]).unwrap_or_else(nowhere);
        let fs = RealFs;
        let mut dirs = skein_workspace::Dirs::new(state.join("skein"), cache.join("skein"));
        if !fs.can_write(&dirs.state)
            && let Some(local) = skein_workspace::state_in_worktree(&fs, &dir)
        {
            dirs.read_only = Some(std::mem::replace(&mut dirs.state, local));
        }
        Env {
            home: self.home.clone(),
            config_home: below(&self.config_home, &[".config"]),
            dirs,
            variables: self.variables.clone(),
            users: self.users.clone(),
            fs: std::sync::Arc::new(fs),
            clock,
            ids: self.ids(),
            dir,
        }
    }

    /// Returns the programs that an installation can use.
    pub(crate) fn tools(&self) -> DetectedPrograms<'_> {
        DetectedPrograms { has: &self.has_program, program: self.program.clone() }
    }

    fn ids(&self) -> IdGenerator {
        self.variables
            .get("SKEIN_SEED")
            .map_or_else(|| IdGenerator::new(self.random), |seed| IdGenerator::seeded(seed))
    }

    fn clock(&self) -> CliResult<Clock> {
        let Some(text) = self.variables.get("SKEIN_NOW") else {
            return Ok(self.real_clock());
        };
        let parsed = time::parse(text).ok_or_else(|| {
            let message = format!("`SKEIN_NOW` is not a time: {text}");
            CliError::new(message, "write it as `2026-01-23T14:30:52Z`")
        })?;
        Ok(Clock::new(move || parsed.time).with_local(self.local_time))
    }

    fn real_clock(&self) -> Clock {
        let now = self.now;
        Clock::new(move || Time::from_millis(now())).with_local(self.local_time)
    }
}

/// The variable with which Claude Code names the project to the programs that it starts.
pub(crate) const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// Returns whether the program uses a variable of the environment.
pub fn is_wanted(variable: &str) -> bool {
    const PROGRAMS: [&str; 5] = ["VISUAL", "EDITOR", "PAGER", "LESS", "BROWSER"];
    const DESKTOP: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "TERM"];
    skein_hooks::is_relevant_variable(variable)
        || PROGRAMS.contains(&variable)
        || DESKTOP.contains(&variable)
        || variable == PROJECT_DIR
        || variable == skein_delivery::DATA_HOME
}
