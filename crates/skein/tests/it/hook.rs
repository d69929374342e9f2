//! Hooks as agents and git call them: many processes at once, and a broken environment.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use skein_testkit::size;

use crate::place::{Place, files, printed};

/// Returns a repository with one commit and a store of checkpoints.
fn repository() -> Place {
    let place = Place::new();
    git(&place, "work", &["init", "-q", "-b", "main"]);
    fs::create_dir_all(place.path("work/workspace/threads")).unwrap();
    commit(&place, "begin");
    place
}

fn git(place: &Place, dir: &str, args: &[&str]) -> Output {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(args)
        .current_dir(place.path(dir))
        .env_clear()
        .env("HOME", place.path("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", printed(&output));
    output
}

fn commit(place: &Place, message: &str) {
    place.file(&format!("work/{message}.txt"), message);
    git(place, "work", &["add", "--", &format!("{message}.txt")]);
    git(place, "work", &["commit", "-q", "-m", message]);
}

fn call(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A hook that reads no input may have exited already.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

#[track_caller]
fn check_silent(output: &Output) {
    assert!(output.status.success(), "{}", printed(output));
    assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0), "{}", printed(output));
}

fn checkpoints(place: &Place) -> Vec<String> {
    let paths = files(&place.path("work/workspace/threads"));
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

fn install(place: &Place, hooks: &Path) {
    let hook = hooks.join("post-commit");
    let program = env!("CARGO_BIN_EXE_skein");
    place.file("hook", format!("#!/bin/sh\n'{program}' hook git post-commit\n"));
    fs::create_dir_all(hooks).unwrap();
    fs::copy(place.path("hook"), &hook).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, mode).unwrap();
}

#[test]
fn many_hooks_see_a_commit_and_one_writes_its_checkpoint() {
    let place = repository();
    for round in 0..3 {
        commit(&place, &format!("round-{round}"));
        thread::scope(|scope| {
            for number in 0..12 {
                let place = &place;
                scope.spawn(move || {
                    let payload = format!(
                        "{{\"session_id\":\"s{number}\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"git commit -m x\"}}}}"
                    );
                    let args: &[&str] = match number % 3 {
                        0 => &["hook", "git", "post-commit"],
                        1 => &["hook", "codex", "post-tool-use"],
                        _ => &["hook", "claude-code", "post-tool-use"],
                    };
                    check_silent(&call(place.skein(args), &payload));
                });
            }
        });
        assert_eq!(checkpoints(&place).len(), round + 1);
    }
    assert_eq!(place.state("../hook.log").len(), 0);
}

#[test]
fn hooks_of_one_session_at_once_are_debounced() {
    let place = repository();
    thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                let payload = format!(
                    "{{\"session_id\":\"s1\",\"tool_name\":\"Write\",\"tool_input\":{{\"file_path\":\"workspace/reports/{number}.md\"}}}}"
                );
                check_silent(&call(place.skein(&["hook", "claude-code", "post-tool-use"]), &payload));
            });
        }
    });
    assert_eq!(checkpoints(&place).len(), 1);
}

#[test]
fn many_sessions_at_once_get_a_checkpoint_each() {
    let place = repository();
    let many = size(20, 50);
    thread::scope(|scope| {
        for number in 0..many {
            let place = &place;
            scope.spawn(move || {
                let payload = format!("{{\"session_id\":\"s{number}\"}}");
                check_silent(&call(place.skein(&["hook", "claude-code", "pre-compact"]), &payload));
            });
        }
    });
    let written = checkpoints(&place);
    assert_eq!(written.len(), many);
    for number in 0..many {
        let named = format!("\"session_id\": \"s{number}\"");
        assert_eq!(written.iter().filter(|text| text.contains(&named)).count(), 1, "{named}");
    }
}

#[test]
fn git_calls_the_hook_after_a_commit() {
    let place = repository();
    install(&place, &place.path("work/.git/hooks"));
    commit(&place, "one");
    assert_eq!(checkpoints(&place).len(), 1);
    git(&place, "work", &["worktree", "add", "-q", "-b", "topic", "../tree"]);
    git(&place, "tree", &["commit", "-q", "--allow-empty", "-m", "in the worktree"]);
    assert_eq!(checkpoints(&place).len(), 2);
    git(&place, "tree", &["commit", "-q", "--amend", "--allow-empty", "-m", "amended"]);
    assert_eq!(checkpoints(&place).len(), 3);
    commit(&place, "two");
    assert_eq!(checkpoints(&place).len(), 4);
    // Commits that git copies get no checkpoint.
    git(&place, "tree", &["rebase", "-q", "--force-rebase", "main"]);
    git(&place, "tree", &["cherry-pick", "--allow-empty", "--keep-redundant-commits", "main"]);
    assert_eq!(checkpoints(&place).len(), 4);
    git(&place, "work", &["commit", "-q", "--allow-empty", "-m", "three"]);
    assert_eq!(checkpoints(&place).len(), 5);
}

#[test]
fn a_hook_succeeds_in_a_broken_environment() {
    let place = repository();
    let shell = |script: &str| {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(place.path("work"))
            .env_clear()
            .env("HOME", place.path("home"))
            .env("SKEIN", env!("CARGO_BIN_EXE_skein"))
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{script}: {}", printed(&output));
        assert_eq!(output.stdout.len() + output.stderr.len(), 0, "{script}: {}", printed(&output));
    };
    shell("\"$SKEIN\" hook claude-code session-start <&-");
    shell("\"$SKEIN\" hook claude-code session-start </dev/null >&-");
    shell("echo '{\"session_id\":\"s\"}' | \"$SKEIN\" hook claude-code stop >&- 2>&-");
    shell("mkdir gone && cd gone && rmdir ../gone && \"$SKEIN\" hook codex stop </dev/null");
    shell("PATH=/nowhere; echo '{\"session_id\":\"s\"}' | \"$SKEIN\" hook codex pre-compact");
    shell("unset HOME; \"$SKEIN\" hook codex session-start </dev/null");
    shell("HOME=/dev/null/x; \"$SKEIN\" hook codex session-start </dev/null");
    shell("head -c 9000000 /dev/zero | \"$SKEIN\" hook codex stop || true");
    shell("\"$SKEIN\" hook opencode tool-after < /");
}

/// The time that git takes to start on a busy machine, and one that is longer than a hook waits.
const DELAYS: [&str; 2] = ["0.4", "3"];

/// Puts a git before the real one that takes so many seconds to start.
fn delay_git(place: &Place, seconds: &str) -> std::ffi::OsString {
    wrap_git(place, &format!("sleep {seconds}"))
}

/// Puts a git before the real one that runs something first.
fn wrap_git(place: &Place, first: &str) -> std::ffi::OsString {
    let script = format!("#!/bin/sh\n{first}\nPATH=${{PATH#*/delayed:}}\nexec git \"$@\"\n");
    let delayed = place.file("delayed/git", script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&delayed, mode).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::iter::once(place.path("delayed"));
    std::env::join_paths(first.chain(std::env::split_paths(&path))).unwrap()
}

#[test]
fn a_checkpoint_is_whole_on_a_busy_machine() {
    for delay in DELAYS {
        let place = repository();
        commit(&place, "changed");
        place.file("work/changed.txt", "not committed");
        let mut command = place.skein(&["hook", "git", "post-commit"]);
        command.env("PATH", delay_git(&place, delay));
        check_silent(&call(command, ""));
        // What git does not answer in time is added by a process that the hook leaves behind.
        wait_for("the checkpoint is whole", || {
            let written = checkpoints(&place);
            let Some(text) = written.first() else { return false };
            let written: serde_json::Value = serde_json::from_str(text).unwrap();
            written["git"]["dirty"] == true && written["files_touched"][0] == "changed.txt"
        });
    }
}

#[test]
fn a_hook_does_not_wait_for_a_git_that_does_not_answer() {
    let place = repository();
    commit(&place, "changed");
    let mut command = place.skein(&["hook", "git", "post-commit"]);
    let answers = place.path("answers");
    command.env(
        "PATH",
        wrap_git(&place, &format!("until [ -e '{}' ]; do sleep 0.1; done", answers.display())),
    );
    check_silent(&call(command, ""));
    assert!(!answers.exists(), "the hook has ended before git answers");
    fs::write(&answers, "").unwrap();
    wait_for("the checkpoint is whole", || {
        let written = checkpoints(&place);
        let Some(text) = written.first() else { return false };
        let written: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(written["metadata"]["title"], "Auto: changed", "{text}");
        written["git"]["dirty"] == false && written["files_touched"][0] == "changed.txt"
    });
}

#[test]
fn a_compacted_session_gets_the_whole_brief_on_a_busy_machine() {
    for delay in DELAYS {
        let place = repository();
        place.done(&["install", "claude-code"]);
        place.done(&["handoff", "-m", "Half of it works.", "--step", "Test the rest"]);
        commit(&place, "later");
        let mut command = place.skein(&["hook", "claude-code", "session-start"]);
        command.env("PATH", delay_git(&place, delay));
        let output = call(command, "{\"session_id\":\"s1\",\"source\":\"compact\"}");
        let brief = String::from_utf8(output.stdout).unwrap();
        assert!(brief.contains("Test the rest"), "{brief}");
        if brief.contains("later") {
            continue;
        }
        assert!(brief.contains("comes with one of the next prompts"), "{brief}");
        wait_for("a prompt brings the whole brief", || {
            let command = place.skein(&["hook", "claude-code", "user-prompt-submit"]);
            let output = call(command, "{\"session_id\":\"s1\",\"prompt\":\"go on\"}");
            let answer = String::from_utf8(output.stdout).unwrap();
            answer.contains("Test the rest") && answer.contains("later")
        });
    }
}

fn wait_for(what: &str, is_done: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < Duration::from_secs(60), "it never happens: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// What another program wrote, and only a hook has seen since, is in the copy.
#[test]
fn what_only_a_hook_has_seen_survives_a_clean_of_ignored_files() {
    let place = repository();
    place.file("work/.git/info/exclude", "/.code-review/\n/workspace/\n");
    place.done(&["review", "add", "begin.txt:1", "-m", "Why?"]);
    let thread = place.threads().remove(0);
    let text = fs::read_to_string(&thread).unwrap().replace("Why?", "Written by the extension.");
    fs::write(&thread, &text).unwrap();
    let mut command = place.skein(&["hook", "claude-code", "stop"]);
    command.current_dir(place.path("work"));
    call(command, "{\"session_id\":\"s1\"}");
    git(&place, "work", &["clean", "-fdXq"]);
    assert!(!thread.exists());
    place.done(&["review", "restore", "--worktree", "main"]);
    assert_eq!(fs::read_to_string(&thread).unwrap(), text);
}
