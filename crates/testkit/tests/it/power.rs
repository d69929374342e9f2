//! A simulated power cut after every operation of every use case that writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_catalog::{ThreadRef, refresh_copies};
use skein_checkpoints::{
    Handoff, Restoration, RestoreSelection, StepChange, StepRequest, change_steps, dismiss,
    handoff, restore,
};
use skein_format::review::Status;
use skein_format::session::MappingField;
use skein_install::setup::share;
use skein_install::{DetectedPrograms, InstallOptions, Scope};
use skein_review::{
    AddOptions, ApplyOptions, CodeLocation, NewThread, ReplyOptions, add, apply, delete,
    dismiss_worktree, find, reply, set_status, submit,
};
use skein_sessions::{SetRequest, set_session};
use skein_testkit::{CutFs, write_settled};
use skein_workspace::{Actor, Env, Workspace, discover};

use skein_fixtures::{Fixture, Review, session};

fn thread(workspace: &Workspace, id: &str) -> ThreadRef {
    find(workspace, id).unwrap()
}

/// Files that are derived from others, and are not synced.
const DERIVED: [&str; 3] = ["index.json", "INDEX.md", "recent.md"];
/// The note that a comment was written on this machine, which follows the comment. Without it `skein deliver` waits for the next
/// comment of its author.
const NOTE: &str = "written.log";

/// A use case: its initial state and its action.
struct Case {
    name: &'static str,
    prepare: fn(&Fixture),
    run: fn(&Workspace) -> bool,
    /// Texts that must never be lost.
    texts: &'static [&'static str],
}

type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn read_tree(dir: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            read_tree(&path, tree);
        } else {
            tree.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

fn tree(fixture: &Fixture) -> Tree {
    let mut tree = Tree::new();
    read_tree(&fixture.path("."), &mut tree);
    tree
}

/// Writes only what differs, because most files are those of git.
fn write_back(fixture: &Fixture, tree: &Tree) {
    remove_others(&fixture.path("."), tree);
    for (path, bytes) in tree {
        if fs::read(path).ok().as_ref() != Some(bytes) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write_settled(path, bytes);
        }
    }
}

/// Removes files that are not in a tree, and directories without files. Returns whether anything is left.
fn remove_others(dir: &Path, tree: &Tree) -> bool {
    let mut is_used = false;
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if remove_others(&path, tree) {
                is_used = true;
            } else {
                fs::remove_dir(path).unwrap();
            }
        } else if tree.contains_key(&path) {
            is_used = true;
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    is_used
}

/// Leaves out the files of git, derived files and temporary files.
fn documents(tree: &Tree) -> Tree {
    let is_document = |path: &Path| {
        let name = path.file_name().unwrap();
        !path.components().any(|part| part.as_os_str() == ".git")
            && !path.components().any(|part| part.as_os_str() == "workspaces")
            && !DERIVED.iter().any(|derived| name == *derived)
            && !skein_store::is_temp_name(name)
    };
    let documents = tree.iter().filter(|(path, _)| is_document(path));
    documents.map(|(path, bytes)| (path.clone(), without_identities(path, bytes))).collect()
}

/// Leaves out what identifies a repository that is trusted: every run has another copy of it.
fn without_identities(path: &Path, bytes: &[u8]) -> Vec<u8> {
    if !path.ends_with("trust.json") {
        return bytes.to_vec();
    }
    match serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(bytes) {
        Ok(mut trust) => {
            trust.remove("identities");
            serde_json::to_vec(&trust).unwrap()
        }
        // A cut can leave a part of the file.
        Err(_) => bytes.to_vec(),
    }
}

fn check(case: &Case) {
    let fixture = Fixture::new();
    fixture.repository("r");
    (case.prepare)(&fixture);
    let before = tree(&fixture);
    let run = |fs: &CutFs| {
        let env = Env { fs: Arc::new(fs.clone()), ..fixture.env("r") };
        (case.run)(&discover(&env))
    };
    // Empty directories are not written back, so that they are missing from the start.
    write_back(&fixture, &before);
    let whole = CutFs::default();
    assert!(run(&whole), "{}: it fails without a power cut", case.name);
    let after = documents(&tree(&fixture));
    assert!(after != documents(&before), "{}: it writes nothing", case.name);

    // A killed process leaves what it wrote, so these runs give every version that a document can have.
    let mut versions: BTreeMap<PathBuf, BTreeSet<Option<Vec<u8>>>> = BTreeMap::new();
    let mut left_by_cuts = Vec::new();
    for number in 0..=whole.operations() {
        let context = format!("{}, cut after {number}", case.name);
        write_back(&fixture, &before);
        let fs = CutFs::cut_after(number);
        let done = run(&fs);
        let written = documents(&tree(&fixture));
        for path in before.keys().chain(after.keys()).chain(written.keys()) {
            versions.entry(path.clone()).or_default().insert(written.get(path).cloned());
        }
        fs.lose_unsynced();
        let left = tree(&fixture);
        let found = documents(&left);
        let paths = found.keys().chain(after.keys());
        let differs =
            |path: &&PathBuf| !path.ends_with(NOTE) && found.get(*path) != after.get(*path);
        let missing: BTreeSet<&PathBuf> = paths.filter(differs).filter(|_| done).collect();
        assert!(missing.is_empty(), "{context}: it was reported as done: {missing:?}");
        check_texts(case, &left, &context);
        // The next run loses nothing, and no document is invalid afterwards.
        run(&CutFs::default());
        check_texts(case, &tree(&fixture), &format!("{context}, then again"));
        let workspace = fixture.open("r");
        let report = skein_doctor::check(&workspace, skein_catalog::WorktreeScope::ThisWorktree);
        let errors: Vec<_> = report.diagnostics.iter().filter(|one| one.is_error()).collect();
        assert!(errors.is_empty(), "{context}: {errors:?}");
        left_by_cuts.push((context, found));
    }
    for (context, found) in left_by_cuts {
        for (path, bytes) in found {
            let known = versions.get(&path).is_some_and(|all| all.contains(&Some(bytes)));
            assert!(known, "{context}: {} is torn", path.display());
        }
    }
}

fn check_texts(case: &Case, tree: &Tree, context: &str) {
    for text in case.texts {
        let is_there = tree.values().any(|bytes| String::from_utf8_lossy(bytes).contains(text));
        assert!(is_there, "{context}: {text:?} is lost");
    }
}

fn mira() -> Actor {
    Actor { name: "Mira".to_owned(), agent: false }
}

fn two_threads(fixture: &Fixture) {
    fixture.file("r/a.rs", "one\ntwo\nthree\n");
    let says = &[("Mira", "First."), ("Codex", "Second.")];
    fixture.review("r", "t1", &Review { says, ..Review::default() });
    fixture.review("r", "t2", &Review { says: &[("Mira", "Third.")], ..Review::default() });
}

fn new_thread(workspace: &Workspace, at: &str, suggestion: Option<&str>) -> NewThread {
    NewThread {
        place: CodeLocation::parse(workspace, at).unwrap(),
        body: format!("About {at}."),
        suggestion: suggestion.map(str::to_owned),
        expect: None,
    }
}

fn three_drafts(fixture: &Fixture) {
    two_threads(fixture);
    let workspace = fixture.open("r");
    let threads = ["a.rs:1", "a.rs:2", "a.rs:3"].map(|at| new_thread(&workspace, at, None));
    let options = AddOptions { draft: true, changed_only: false };
    add(&workspace, &mira(), &threads, options).unwrap();
}

fn suggestion(fixture: &Fixture) {
    fixture.file("r/a.rs", "one\ntwo\nthree\n");
    let workspace = fixture.open("r");
    let thread = new_thread(&workspace, "a.rs:2", Some("TWO"));
    let options = AddOptions { draft: false, changed_only: false };
    add(&workspace, &mira(), &[thread], options).unwrap();
}

fn work(fixture: &Fixture) {
    fixture.checkpoint(
        "r",
        "T-20260122-100000-parser",
        "  \"updated_at\": \"2026-01-22T10:00:00Z\",\n  \"odd\": \"kept\",\n  \"next_steps\": [\"Read objects\", \"Read numbers\"]",
    );
    fixture.file("r/workspace/threads/handoff.json", "{\"message\": \"Old word\", \"mine\": 1}\n");
}

fn sessions(fixture: &Fixture) {
    fixture.sessions(&[
        session("ses_one", "active", "2026-01-16T10:00:00.000Z"),
        session("ses_two", "active", "2026-01-16T10:00:00.000Z"),
    ]);
}

fn settings(fixture: &Fixture) {
    fixture.file("r/.claude/settings.local.json", "{\n  \"mine\": [1, 2]\n}\n");
}

fn installed(fixture: &Fixture) {
    settings(fixture);
    let workspace = fixture.open("r");
    assert!(install_claude(&workspace));
}

fn install_claude(workspace: &Workspace) -> bool {
    let tools = DetectedPrograms { has: &|name| name == "skein", program: None };
    let options = InstallOptions { scope: Some(Scope::Local), dry_run: false, consent: false };
    let report = skein_install::install(workspace, &tools, "claude-code", &options);
    // A note reports a hook that could not be written for later worktrees.
    let is_whole = |note: &String| !note.contains("that are added later");
    report.is_ok_and(|report| report.failed.is_empty() && report.notes.iter().all(is_whole))
}

/// Removes a worktree that had a new checkpoint, and another version of a checkpoint of the main checkout.
fn removed_worktree(fixture: &Fixture) {
    let parser = |updated: &str, step: &str| {
        format!(
            "  \"updated_at\": \"{updated}\",\n  \"odd\": \"kept\",\n  \"next_steps\": [{step}]"
        )
    };
    let id = "T-20260122-100000-parser";
    fixture.checkpoint("r", id, &parser("2026-01-22T10:00:00Z", "\"Read objects\""));
    let workspace = fixture.open("r");
    share(&workspace).unwrap();
    fixture.commit("r", "share");
    fixture.worktree("r", "w", "feat");
    fixture.checkpoint("w", id, &parser("2026-01-22T11:00:00Z", "\"Read objects\", \"Theirs\""));
    fixture.checkpoint(
        "w",
        "T-20260122-110000-new",
        &parser("2026-01-22T11:00:00Z", "\"Only there\""),
    );
    let workspace = fixture.open("w");
    assert_eq!(refresh_copies(&workspace).len(), 0);
    fixture.checkpoint("r", id, &parser("2026-01-22T12:00:00Z", "\"Read objects\", \"Ours\""));
    fs::remove_dir_all(fixture.path("w")).unwrap();
}

/// Removes a worktree that had a thread.
fn removed_thread(fixture: &Fixture) {
    two_threads(fixture);
    fixture.worktree("r", "w", "feat");
    fixture.review("w", "t3", &Review { says: &[("Mira", "Fourth.")], ..Review::default() });
    let workspace = fixture.open("w");
    assert_eq!(refresh_copies(&workspace).len(), 0);
    fs::remove_dir_all(fixture.path("w")).unwrap();
}

const CASES: [Case; 13] = [
    Case {
        name: "dismissal of threads",
        prepare: removed_thread,
        run: |workspace| dismiss_worktree(workspace, "feat", &mut Vec::new()).is_ok(),
        texts: &["First.", "Second.", "Third.", "Fourth."],
    },
    Case {
        name: "restore of checkpoints",
        prepare: removed_worktree,
        run: |workspace| {
            let mut done = Restoration::default();
            restore(workspace, RestoreSelection::Worktree("feat"), &mut done).is_ok()
        },
        texts: &["Read objects", "Theirs", "Ours", "Only there", "\"odd\": \"kept\""],
    },
    Case {
        name: "dismissal of checkpoints",
        prepare: removed_worktree,
        run: |workspace| {
            let mut done = Restoration::default();
            dismiss(workspace, RestoreSelection::Worktree("feat"), &mut done).is_ok()
        },
        texts: &["Read objects", "Theirs", "Ours", "Only there", "\"odd\": \"kept\""],
    },
    Case {
        name: "reply",
        prepare: two_threads,
        run: |workspace| {
            reply(workspace, &mira(), &thread(workspace, "t1"), "Reply.", ReplyOptions::default())
                .is_ok()
        },
        texts: &["First.", "Second.", "Third."],
    },
    Case {
        name: "resolve",
        prepare: two_threads,
        run: |workspace| {
            let thread = thread(workspace, "t1");
            set_status(workspace, &mira(), &thread, Some("Fine."), Status::Resolved).is_ok()
        },
        texts: &["First.", "Second.", "Third."],
    },
    Case {
        name: "delete",
        prepare: two_threads,
        run: |workspace| {
            // After a power cut, one of them may already be deleted.
            let found: Result<Vec<_>, _> =
                ["t1", "t2"].iter().map(|id| find(workspace, id)).collect();
            found.is_ok_and(|threads| delete(workspace, &threads).is_ok())
        },
        texts: &["First.", "Second.", "Third."],
    },
    Case {
        name: "submit",
        prepare: three_drafts,
        run: |workspace| submit(workspace).is_ok(),
        texts: &["About a.rs:1.", "About a.rs:2.", "About a.rs:3.", "First."],
    },
    Case {
        name: "apply",
        prepare: suggestion,
        run: |workspace| {
            let options = ApplyOptions { dry_run: false, resolve: true };
            apply(workspace, &mira(), &[], options).is_ok()
        },
        texts: &["About a.rs:2.", "three\n"],
    },
    Case {
        name: "handoff",
        prepare: work,
        run: |workspace| {
            let steps = vec!["Go on".to_owned()];
            let message = "New word".to_owned();
            handoff(workspace, &Handoff { message, steps, ..Handoff::default() }).is_ok()
        },
        texts: &["Read objects", "\"odd\": \"kept\"", "\"mine\": 1"],
    },
    Case {
        name: "steps",
        prepare: work,
        run: |workspace| {
            let wanted = StepRequest {
                change: StepChange::Done,
                by: "Ada".to_owned(),
                note: Some("ok".into()),
            };
            change_steps(workspace, &["parser#1".to_owned()], &wanted).is_ok()
        },
        texts: &["Read objects", "Read numbers", "\"odd\": \"kept\""],
    },
    Case {
        name: "session set",
        prepare: sessions,
        run: |workspace| {
            let fields = vec![(MappingField::ProjectName, "harbour".to_owned())];
            let request = SetRequest { file: None, lenient: false, expect: None, fields };
            set_session(workspace, "ses_one", &request).is_ok()
        },
        texts: &["ses_one", "ses_two"],
    },
    Case { name: "install", prepare: settings, run: install_claude, texts: &["\"mine\": [1, 2]"] },
    Case {
        name: "uninstall",
        prepare: installed,
        run: |workspace| {
            let report = skein_install::uninstall(workspace, "claude-code", None, false);
            report.is_ok_and(|report| report.failed.is_empty())
        },
        texts: &["\"mine\": [1, 2]"],
    },
];

#[test]
fn a_power_cut_anywhere_in_a_use_case_loses_and_tears_nothing() {
    std::thread::scope(|scope| {
        for case in &CASES {
            scope.spawn(|| check(case));
        }
    });
}
