//! Settings: defaults, then the user's file, the repository's file, and the environment.

mod edit;
mod file;
mod key;

use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_format::path::{PathProblem, WorkspacePath};
use skein_format::session::Mode;
use skein_git::{Objects, Repo};
use skein_model::view::FileDiagnostic;
use skein_store::RealFs;

use crate::env::Env;
use crate::session_map_path::MapPath;
pub use edit::SettingsEditError;
use file::SettingsEntry;
pub use file::{SetError, set, set_in_repository, unset, user_file};
pub use key::{KEYS, SettingKey, Trust, Value, ValueKind, nearest};

/// The repository's settings file, at its top.
pub const REPOSITORY_FILE: &str = ".skein.toml";

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The default.
    BuiltIn,
    /// A settings file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
    /// A command-line flag.
    Flag,
}

/// The settings in effect in a workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    set: Vec<(&'static str, Value, SettingOrigin)>,
    session_map: Option<MapPath>,
}

impl Settings {
    /// Returns the value of a key and its source; none if there is no value and no default.
    pub fn get(&self, key: &SettingKey) -> (Option<Value>, SettingOrigin) {
        let found = self.set.iter().rev().find(|(name, ..)| *name == key.name);
        found.map_or_else(
            || (key.built_in(), SettingOrigin::BuiltIn),
            |(_, value, origin)| (Some(value.clone()), origin.clone()),
        )
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.set.iter().rev().find(|(set, ..)| *set == name).map(|(_, value, _)| value)
    }

    /// Returns the names of agents, in addition to the known ones.
    pub fn agents(&self) -> &[String] {
        self.list("review.agents").unwrap_or_default()
    }

    /// Returns the directories whose stores are used although another user owns them.
    pub fn safe_directories(&self) -> &[String] {
        self.list("store.safe_directories").unwrap_or_default()
    }

    /// Returns the path of the store, if set.
    pub fn storage_path(&self) -> Option<&str> {
        self.text("review.storage_path")
    }

    /// Returns the path of the session map, if set.
    pub fn session_map(&self) -> Option<&MapPath> {
        self.session_map.as_ref()
    }

    /// Returns whether invalid entries of the session map are shown.
    pub fn lenient(&self) -> bool {
        self.flag("session.lenient") == Some(true)
    }

    /// Returns how strictly the session map is read for display.
    pub fn session_mode(&self) -> Mode {
        if self.lenient() { Mode::Lenient } else { Mode::Display }
    }

    /// Returns whether agents may resolve threads, if the user has set it.
    ///
    /// [`of_default_branch`] returns the value of the default branch.
    pub fn agents_may_resolve(&self) -> Option<bool> {
        self.flag("review.agents_may_resolve")
    }

    /// Returns whether comments are allowed only on changed lines, if set.
    pub fn changed_only(&self) -> Option<bool> {
        self.flag("review.changed_only")
    }

    /// Returns the folders in which a new file by an agent causes a checkpoint.
    pub fn generated(&self) -> Vec<String> {
        match key::find("hook.generated").and_then(|key| self.get(key).0) {
            Some(Value::List(folders)) => folders,
            _ => Vec::new(),
        }
    }

    /// Returns whether an agent is prevented from stopping while review threads wait for it.
    pub fn stop_gate(&self) -> bool {
        self.flag("hook.stop_gate") == Some(true)
    }

    /// Shows invalid entries, whatever the setting.
    pub fn be_lenient(&mut self) {
        self.set.push(("session.lenient", Value::Flag(true), SettingOrigin::Flag));
    }

    /// Returns when to use colour: `auto`, `always` or `never`.
    pub fn color(&self) -> &str {
        self.text("color").unwrap_or("auto")
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Some(Value::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    fn list(&self, name: &str) -> Option<&[String]> {
        match self.value(name) {
            Some(Value::List(list)) => Some(list),
            _ => None,
        }
    }
}

/// Loads the settings in effect in a repository.
pub fn load(env: &Env, top: &Path) -> (Settings, Vec<FileDiagnostic>) {
    let mut loading = Loading { home: env.home.clone(), ..Loading::default() };
    if let Some(path) = user_file(env) {
        loading.file(&path, Trust::User, env.home.as_deref());
    }
    loading.file(&top.join(REPOSITORY_FILE), Trust::Repository, Some(top));
    for key in KEYS {
        if let Some(text) = env.variables.get(&key.variable()) {
            if key.trust == Trust::DefaultBranch {
                // An agent can set a variable itself.
                let message = format!("`{}` cannot be set by the environment", key.name);
                loading.report(Code::SettingsUnsafe, &key.variable(), None, message);
                continue;
            }
            let origin = SettingOrigin::Variable(key.variable());
            let (value, base) = (key.parse(text), Some(env.dir.as_path()));
            let found = Set { key, value, line: None, base, trust: Trust::User };
            loading.take(found, &origin, &key.variable());
        }
    }
    (loading.settings, loading.diagnostics)
}

/// Returns the value of a key in the settings file on the default branch, and the name of that branch.
///
/// Runs git, so it is only for commands that need such a key.
pub fn of_default_branch(repo: &Repo, key: &SettingKey) -> Option<(Value, String)> {
    let branch = repo.default_branch().ok()??;
    let mut objects = Objects::start(repo).ok()?;
    let bytes = objects.blob(&branch.commit, REPOSITORY_FILE).ok()??;
    let entries = file::parse(&bytes).ok()?.into_iter();
    let entry = entries.rev().find(|entry| entry.name == key.name)?;
    let value = entry.value.filter(|value| key.accepts(value))?;
    Some((value, branch.name))
}

#[derive(Default)]
struct Loading {
    settings: Settings,
    diagnostics: Vec<FileDiagnostic>,
    home: Option<PathBuf>,
}

/// A key with its new value.
struct Set<'a> {
    key: &'static SettingKey,
    value: Option<Value>,
    line: Option<u32>,
    /// The directory that a path is relative to.
    base: Option<&'a Path>,
    /// The source.
    trust: Trust,
}

impl Loading {
    fn file(&mut self, path: &Path, trust: Trust, base: Option<&Path>) {
        let place = path.display().to_string();
        let entries = match file::read(path) {
            Ok(entries) => entries,
            Err(problem) => {
                return self.report(Code::SettingsBad, &place, problem.line, problem.message);
            }
        };
        for SettingsEntry { name, value, line } in entries {
            if key::REMOVED.contains(&name.as_str()) {
                continue;
            }
            let Some(key) = key::find(&name) else {
                let hint = nearest(&name)
                    .map_or(String::new(), |key| format!("; did you mean `{}`?", key.name));
                let message = format!("there is no setting `{name}`{hint}");
                self.report(Code::SettingsUnknownKey, &place, line, message);
                continue;
            };
            if trust == Trust::Repository && key.trust == Trust::DefaultBranch {
                continue;
            }
            if trust == Trust::Repository
                && let Some(reason) = unsafe_because(key, value.as_ref(), base)
            {
                self.report(Code::SettingsUnsafe, &place, line, format!("`{name}` {reason}"));
                continue;
            }
            let set = Set { key, value, line, base, trust };
            self.take(set, &SettingOrigin::File(path.to_owned()), &place);
        }
    }

    fn report(&mut self, code: Code, place: &str, line: Option<u32>, message: String) {
        self.diagnostics.push(FileDiagnostic::new(code, place, line, message));
    }

    fn take(&mut self, set: Set<'_>, origin: &SettingOrigin, place: &str) {
        let key = set.key;
        let Some(value) = set.value.filter(|value| key.accepts(value)) else {
            let message = format!("`{}` takes {}", key.name, key.takes);
            return self.report(Code::SettingsBadValue, place, set.line, message);
        };
        if let (Value::Text(text), "session.map") = (&value, key.name) {
            self.settings.session_map = Some(match (set.trust, set.base) {
                (Trust::Repository, Some(top)) => MapPath::in_repository(top, text),
                _ => MapPath::named(self.expand(text, set.base)),
            });
        }
        self.settings.set.push((key.name, value, origin.clone()));
    }

    fn expand(&self, text: &str, base: Option<&Path>) -> PathBuf {
        let path = match (text.strip_prefix("~/"), &self.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(text),
        };
        base.map_or_else(|| path.clone(), |base| base.join(&path))
    }
}

/// Returns why an untrusted repository may not set a key to a value; a path must be inside the repository.
fn unsafe_because(
    key: &SettingKey,
    value: Option<&Value>,
    top: Option<&Path>,
) -> Option<&'static str> {
    if key.trust == Trust::User {
        return Some("cannot be set by a repository");
    }
    let Some(Value::Text(text)) = value.filter(|_| key.is_path) else { return None };
    match WorkspacePath::parse(text, "") {
        Ok(_) if text.starts_with('~') => Some("must be inside the repository"),
        Ok(_) if key.name == "session.map" => {
            let map = top.map(|top| MapPath::in_repository(top, text));
            let is_link = map.is_some_and(|map| !matches!(map.find_link(&RealFs), Ok(None)));
            is_link.then_some("must not be reached through a symbolic link")
        }
        Ok(_) => None,
        Err(PathProblem::Git) => Some("must not be inside `.git`"),
        Err(_) => Some("must be inside the repository"),
    }
}
