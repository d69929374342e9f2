use std::ffi::OsString;

use skein_cli::Streams;

use crate::place::Place;

fn run_hook(place: &mut Place, args: &[&str], input: &'static str) -> (u8, String, String) {
    place.input = input;
    let output = place.run_args(args);
    (output.code, output.out, output.err)
}

#[test]
fn a_hook_exits_with_0_on_wrong_usage_too() {
    let mut place = Place::empty();
    let silent = (0, String::new(), String::new());
    for args in [
        &["hook"][..],
        &["hook", "claude-code"],
        &["hook", "nobody", "nothing"],
        &["hook", "claude-code", "nothing"],
        &["hook", "--no-such-flag"],
        &["hook", "a", "b", "c", "d", "--e"],
        &["--json", "hook", "claude-code", "stop"],
        &["-C", "nowhere", "hook", "claude-code", "stop"],
        &["--color", "never", "hook", "git", "post-commit"],
        &["hook", "codex", "notify"],
        &["hook", "codex", "notify", "{half"],
    ] {
        assert_eq!(run_hook(&mut place, args, "{garbage"), silent, "{args:?}");
    }
    assert!(!place.path("home/.local/state/skein").exists());
}

#[test]
fn hook_help_is_printed() {
    let mut place = Place::empty();
    for args in [&["hook", "--help"][..], &["hook", "-h"]] {
        let (code, out, _) = run_hook(&mut place, args, "");
        assert_eq!(code, 0);
        assert!(out.contains("claude-code, codex, opencode, gemini-cli, cursor or git"), "{out}");
    }
}

#[test]
fn a_panic_in_skein_does_not_stop_the_agent() {
    let mut place = Place::empty();
    place.machine.variables.remove("SKEIN_NOW");
    std::fs::create_dir_all(place.path("home/.local/state/skein")).unwrap();
    place.machine.now = || panic!("the clock is broken");
    let (code, out, _) =
        run_hook(&mut place, &["hook", "claude-code", "session-start"], "{\"session_id\":\"s1\"}");
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn a_hook_works_without_a_current_or_home_directory() {
    let mut place = Place::empty();
    place.machine.dir = std::path::PathBuf::new();
    let silent = (0, String::new(), String::new());
    let args = ["hook", "claude-code", "session-start"];
    assert_eq!(run_hook(&mut place, &args, "{\"session_id\":\"s1\"}"), silent);
    let mut place = Place::empty();
    place.machine.home = None;
    assert_eq!(run_hook(&mut place, &args, "{\"session_id\":\"s1\"}"), silent);
    assert_eq!(place.path("here").read_dir().unwrap().count(), 0);
}

#[test]
fn a_hook_does_not_read_from_a_terminal() {
    let mut place = Place::empty().on_terminal(80);
    let args = ["hook", "claude-code", "user-prompt-submit"];
    assert_eq!(run_hook(&mut place, &args, "{garbage"), (0, String::new(), String::new()));
}

#[test]
fn is_hook_checks_only_the_command_name() {
    let args = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    assert!(skein_cli::is_hook(&args(&["skein", "hook"])));
    assert!(skein_cli::is_hook(&args(&["skein", "-C", "x", "hook", "git"])));
    assert!(!skein_cli::is_hook(&args(&["skein", "list", "hook"])));
    assert!(!skein_cli::is_hook(&args(&["skein", "-C", "hook"])));
    assert!(!skein_cli::is_hook(&args(&["skein", "hook", "--help"])));
    assert!(!skein_cli::is_hook(&args(&["skein"])));
    assert!(!skein_cli::is_hook(&[]));
}

#[test]
fn input_that_is_too_long_is_read_to_its_end() {
    let place = Place::empty();
    let mut input = std::io::Cursor::new(vec![b' '; 9 * 1024 * 1024]);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let streams = &mut Streams { input: &mut input, out: &mut out, err: &mut err };
    assert_eq!(place.run_on(&["hook", "claude-code", "stop"], streams), 0);
    assert_eq!((out.len(), input.position()), (0, 9 * 1024 * 1024));
}
