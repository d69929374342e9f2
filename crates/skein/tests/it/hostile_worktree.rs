//! What an agent that can write only its worktree cannot cause when the user runs the real program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use serde_json::json;

use crate::place::{Place, files, printed};

/// Every command that a user runs without thinking about it, with what a hook is told on its input.
const COMMANDS: [&str; 8] = [
    "",
    "list --all-worktrees",
    "resume",
    "review list",
    "review restore",
    "search words --all-worktrees",
    "deliver --dry-run",
    "hook claude-code session-start",
];

/// The repositories `work`, with the worktree `wt`, and `other`. Each has a checkpoint, and `work` a draft.
struct Machine(Place);

impl Machine {
    fn new() -> Self {
        let machine = Self(Place::new());
        for repo in ["work", "other"] {
            fs::create_dir_all(machine.path(repo)).unwrap();
            fs::write(machine.path(repo).join("a.txt"), "one\n").unwrap();
            machine.git(repo, &["init", "--quiet"]);
            machine.git(repo, &["add", "a.txt"]);
            machine.git(repo, &["commit", "--quiet", "-m", "begin"]);
            machine.skein(repo, "checkpoint save of-the-user -m words --step one");
        }
        machine.git("work", &["worktree", "add", "--quiet", "../wt"]);
        for dir in ["work", "wt", "other"] {
            machine.skein(dir, "review add a.txt:1 --draft -m words");
            machine.skein(dir, "review add a.txt:1 -m words");
        }
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name).canonicalize().unwrap_or_else(|_| self.0.path(name))
    }

    fn git(&self, dir: &str, args: &[&str]) {
        let user = ["-c", "user.name=Mira", "-c", "user.email=mira@example.org"];
        let mut git = Command::new("git");
        git.args(user).args(args).current_dir(self.path(dir)).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(git.status().unwrap().success(), "{args:?}");
    }

    /// Runs a command, and returns what it printed.
    fn skein(&self, dir: &str, words: &str) -> String {
        let mut command = self.0.skein(&words.split_whitespace().collect::<Vec<_>>());
        command.current_dir(self.path(dir)).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let call = json!({ "session_id": "s1", "cwd": self.path(dir), "source": "startup" });
        // A command that is no hook may end without reading it.
        drop(child.stdin.take().unwrap().write_all(call.to_string().as_bytes()));
        let output = child.wait_with_output().unwrap();
        // Delivering says "no" if there is nothing to deliver.
        assert!(output.status.code() <= Some(1), "{words}: {}", printed(&output));
        printed(&output)
    }

    /// Runs all commands in every directory.
    fn run_all(&self) -> String {
        let dirs = ["work", "wt", "other"].iter();
        let runs = dirs.flat_map(|dir| COMMANDS.map(|words| self.skein(dir, words)));
        runs.collect()
    }

    /// Marks `.skein` of the worktree, as an agent can do without Skein.
    fn mark(&self) -> PathBuf {
        let dir = self.path("wt").join(".skein");
        fs::create_dir(&dir).unwrap();
        let meta = dir.metadata().unwrap();
        let born = meta.created().unwrap().duration_since(UNIX_EPOCH).unwrap();
        fs::write(dir.join("directory"), format!("{} {}\n", meta.ino(), born.as_nanos())).unwrap();
        fs::write(dir.join(".gitignore"), "*\n").unwrap();
        dir
    }

    /// The state directories of the user, by root.
    fn states(&self) -> Vec<PathBuf> {
        let state = files(&self.path("home/.local/state/skein"));
        state.into_iter().filter(|path| path.join("drafts").is_dir()).collect()
    }
}

/// Returns all files below a directory, without following links, and without tables, which say when they were generated.
fn tree(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    for path in files(dir) {
        if path.ends_with("INDEX.md") || path.ends_with("recent.md") {
            continue;
        }
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap().display().to_string();
            all.insert(path, target);
        } else if path.is_dir() {
            all.extend(tree(&path));
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            all.insert(path, text);
        }
    }
    all
}

/// Plants something in the worktree, and checks that no command changes a file of the user.
fn check(plant: impl Fn(&Machine, &Path)) {
    let machine = Machine::new();
    // The first commands write copies and records, which would hide other changes.
    machine.run_all();
    plant(&machine, &machine.mark());
    let mut watched = vec![machine.path("work/workspace"), machine.path("other")];
    for state in machine.states() {
        watched.extend(["drafts", "trash"].map(|name| state.join(name)));
    }
    let names = ["trust.json", "deliver.json"];
    watched.extend(names.map(|name| machine.path("home/.local/state/skein").join(name)));
    let trees = || watched.iter().map(|path| tree(path)).collect::<Vec<_>>();
    let before = trees();
    let printed = machine.run_all();
    for (before, after) in before.iter().zip(trees()) {
        assert_eq!(*before, after, "{printed}");
    }
    assert!(!printed.contains("planted"), "{printed}");
}

#[test]
fn links_below_the_directory_of_a_worktree_move_and_remove_nothing() {
    check(|machine, dir| {
        for name in ["checkpoints", "bases"] {
            symlink(machine.path("other/workspace/threads"), dir.join(name)).unwrap();
        }
        symlink(machine.path("home/.local/state/skein"), dir.join("state")).unwrap();
    });
    // Below the directories that are read.
    check(|machine, dir| {
        fs::create_dir(dir.join("checkpoints")).unwrap();
        let other = files(&machine.path("other/workspace/threads"));
        let checkpoint = other.iter().find(|path| path.extension().is_some()).unwrap();
        symlink(checkpoint, dir.join("checkpoints/T-20260122-110000-planted.json")).unwrap();
        for state in machine.states() {
            let own = dir.join("state").join(state.file_name().unwrap());
            fs::create_dir_all(own.join("trash")).unwrap();
            symlink(state.join("drafts"), own.join("drafts")).unwrap();
            symlink(state.join("drafts"), own.join("trash/reviews")).unwrap();
        }
    });
}

#[test]
fn drafts_consent_and_sessions_of_a_worktree_are_not_those_of_the_user() {
    check(|machine, dir| {
        for state in machine.states() {
            let own = dir.join("state").join(state.file_name().unwrap());
            for name in ["drafts", "agent-sessions"] {
                fs::create_dir_all(own.join(name)).unwrap();
            }
            let draft = fs::read_to_string(&files(&state.join("drafts"))[0]).unwrap();
            fs::write(own.join("drafts/planted.md"), draft.replace("words", "planted words"))
                .unwrap();
            let session = json!({
                "id": "planted", "agent": "claude-code", "dir": machine.path("other"),
                "started_at": "2026-11-01T00:00:00Z", "seen_at": "2026-11-01T00:00:00Z",
                "files": { "a.txt": "2026-11-01T00:00:00Z" },
            });
            fs::write(own.join("agent-sessions/planted.json"), session.to_string()).unwrap();
        }
        let roots = [machine.path("wt"), machine.path("other"), machine.path("work")];
        let accepted: BTreeMap<_, _> = roots.iter().map(|root| (root, true)).collect();
        for name in ["trust.json", "deliver.json"] {
            fs::write(dir.join("state").join(name), json!({ "accepted": accepted }).to_string())
                .unwrap();
        }
    });
}
