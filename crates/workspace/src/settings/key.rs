use serde::Serialize;
use skein_format::path::WorkspacePath;
use skein_model::edit_distance;

/// Which sources may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Only the user.
    User,
    /// Also a repository, which may be untrusted.
    Repository,
    /// Also the default branch of a repository, but neither its worktree, which agents edit, nor the environment.
    DefaultBranch,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A text.
    Text,
    /// A boolean.
    Flag,
    /// A list of texts.
    List,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A text.
    Text(String),
    /// A boolean.
    Flag(bool),
    /// A list of texts.
    List(Vec<String>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::List(list) => f.write_str(&list.join(", ")),
        }
    }
}

/// Settings of earlier versions, which are accepted in a settings file and have no effect.
pub(super) const REMOVED: [&str; 1] = ["search.background"];

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingKey {
    /// Its name: `review.agents`.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
    /// Which sources may set it.
    pub trust: Trust,
    /// Whether it is a path.
    pub is_path: bool,
    /// The accepted values, for the user.
    pub takes: &'static str,
    /// The effect, for the user.
    pub help: &'static str,
    built_in: Option<&'static str>,
}

/// Defaults for the definitions below.
const TEXT: SettingKey = SettingKey {
    name: "",
    kind: ValueKind::Text,
    trust: Trust::Repository,
    is_path: false,
    takes: "a path",
    help: "",
    built_in: None,
};
const FLAG: SettingKey = SettingKey {
    kind: ValueKind::Flag,
    takes: "`true` or `false`",
    built_in: Some("false"),
    ..TEXT
};
const LIST: SettingKey = SettingKey {
    kind: ValueKind::List,
    takes: "a list of names, with commas between them",
    ..TEXT
};

/// All settings.
pub const KEYS: &[SettingKey] = &[
    SettingKey {
        name: "color",
        trust: Trust::User,
        takes: "`auto`, `always` or `never`",
        help: "When to use colour.",
        built_in: Some("auto"),
        ..TEXT
    },
    SettingKey {
        name: "hook.generated",
        takes: "a list of folders inside the workspace, with commas between them",
        help: "Folders in which a file written by an agent triggers a checkpoint; `*` matches any name.",
        built_in: Some("workspace/reports, workspace/social-drafts"),
        ..LIST
    },
    SettingKey {
        name: "hook.stop_gate",
        trust: Trust::User,
        help: "Whether an agent is asked to continue while review threads wait on it.",
        ..FLAG
    },
    SettingKey {
        name: "review.agents",
        help: "Authors that count as agents, in addition to the known ones.",
        ..LIST
    },
    SettingKey {
        name: "review.agents_may_resolve",
        trust: Trust::DefaultBranch,
        help: "Whether agents may resolve threads; if not, their resolve is a proposal to the reviewer.",
        ..FLAG
    },
    SettingKey {
        name: "review.changed_only",
        help: "Whether only changed lines may be commented on.",
        ..FLAG
    },
    SettingKey {
        name: "review.storage_path",
        is_path: true,
        takes: "a path inside the workspace",
        help: "Where review threads are kept; the default is `.code-review`.",
        ..TEXT
    },
    SettingKey {
        name: "session.lenient",
        help: "Whether invalid entries of the session map are shown.",
        ..FLAG
    },
    SettingKey {
        name: "session.map",
        is_path: true,
        help: "The session map; the default is the one in the home directory.",
        ..TEXT
    },
    SettingKey {
        name: "store.safe_directories",
        trust: Trust::User,
        takes: "a list of absolute directories, with commas between them; `*` is every one",
        help: "Directories whose stores are used although another user owns them.",
        ..LIST
    },
];

impl SettingKey {
    /// Returns the environment variable for the key.
    pub fn variable(&self) -> String {
        format!("SKEIN_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Parses a value from text.
    pub fn parse(&self, text: &str) -> Option<Value> {
        match self.kind {
            ValueKind::Text => Some(Value::Text(text.to_owned())),
            ValueKind::Flag => text.parse().ok().map(Value::Flag),
            ValueKind::List => {
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                Some(Value::List(names.map(str::to_owned).collect()))
            }
        }
    }

    /// Returns whether the value is valid for the key.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self.name, value) {
            ("color", Value::Text(word)) => ["auto", "always", "never"].contains(&word.as_str()),
            ("review.storage_path", Value::Text(path)) => WorkspacePath::parse(path, "").is_ok(),
            ("session.map", Value::Text(path)) => !path.trim().is_empty(),
            ("hook.generated", Value::List(folders)) => {
                folders.iter().all(|folder| WorkspacePath::parse(folder, "").is_ok())
            }
            (_, Value::Text(_)) => self.kind == ValueKind::Text,
            (_, Value::Flag(_)) => self.kind == ValueKind::Flag,
            (_, Value::List(_)) => self.kind == ValueKind::List,
        }
    }

    pub(super) fn built_in(&self) -> Option<Value> {
        self.built_in.and_then(|text| self.parse(text))
    }
}

pub(super) fn find(name: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the key with the most similar name.
pub fn nearest(name: &str) -> Option<&'static SettingKey> {
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    edit_distance::nearest(name, &names).and_then(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_name() {
        assert_eq!(nearest("colour").map(|key| key.name), Some("color"));
        assert_eq!(nearest("reviews.agent").map(|key| key.name), Some("review.agents"));
        assert_eq!(nearest("lenient").map(|key| key.name), Some("session.lenient"));
        assert_eq!(nearest("nothing.like.it").map(|key| key.name), None);
    }
}
