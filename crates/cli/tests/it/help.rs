use crate::place::Place;

const COMMANDS: [&str; 14] = [
    "list",
    "show",
    "search",
    "watch",
    "workspaces",
    "checkpoint",
    "handoff",
    "session",
    "doctor",
    "config",
    "demo",
    "completions",
    "man",
    "version",
];

#[test]
fn help_lists_the_commands_in_groups() {
    Place::empty().check(
        "-h",
        "
Stores the threads of people and coding agents in plain files

Usage: skein [OPTIONS] [COMMAND]

Everyday:
  list         Lists all threads, most recently changed first
  show         Shows the whole content of one thread
  search       Searches the text of all threads
  review       Manages review threads: comments on lines of code, and the replies
  checkpoint   Saves and restores the state of work
  handoff      Hands the work over to another session, another agent or a colleague
  resume       Prints a summary for resuming work
  steps        Lists and closes the next steps of all checkpoints
  session      Shows and changes the agent sessions that are bound to chat threads
  deliver      Delivers review threads to the agent sessions that wrote the code
  watch        Prints thread events as they happen
  serve        Opens the review in the browser: the diff with its threads, updated live
  bridge       Controls sessions of OpenCode from threads of Mattermost
  init         Creates the store of review threads here, and sets up the agents that it finds
  share        Lets git track and merge review threads and checkpoints
  uninstall    Removes what Skein set up, for one agent or all of them. Threads are kept
  doctor       Checks all files and repairs what can be repaired safely
  config       Shows and changes settings
  demo         Writes a small workspace to try things on, and shows it

Plumbing:
  install      Installs hooks and commands for an agent or for git
  workspaces   Lists the workspaces on this machine in which Skein was used
  worker       Moves the worker of a checkpoint to its next state, and records the time
  hook         Handles an event of an agent; called from the settings of agents
  mcp          Gives an agent review threads and checkpoints as tools, by the Model Context Protocol
  lsp          Shows review threads in an editor, by the Language Server Protocol
  merge-driver Merges two versions of a thread, for git
  completions  Prints a completion script for a shell
  man          Prints a manual page
  version      Prints the version, and with `--json` what programs can rely on

Options:
  -C <DIR>            Runs as if started in this directory
      --json          Prints one JSON document instead of text
      --color <WHEN>  When to use colour: auto, always or never [possible values: auto, always,
                      never]
  -h, --help          Print help (see more with '--help')
  -V, --version       Print version
-- exit 0
",
    );
}

#[test]
fn the_help_of_a_command_ends_with_the_options_of_every_command() {
    Place::empty().check(
        "show -h",
        "
Shows the whole content of one thread

Usage: skein show [OPTIONS] <ID>

Arguments:
  <ID>  The thread

Options:
      --lenient       Includes invalid entries of the session map
  -C <DIR>            Runs as if started in this directory
      --json          Prints one JSON document instead of text
      --color <WHEN>  When to use colour: auto, always or never [possible values: auto, always,
                      never]
  -h, --help          Print help (see more with '--help')
-- exit 0
",
    );
}

#[test]
fn every_command_has_help_that_fits_a_terminal() {
    let place = Place::empty();
    for command in COMMANDS {
        let output = place.run(&format!("{command} --help"));
        assert_eq!((output.code, output.err.as_str()), (0, ""));
        assert!(output.out.contains("Usage: skein"), "{}", output.out);
        let widest = output.out.lines().map(str::len).max();
        assert!(widest <= Some(100), "{}", output.out);
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let place = Place::empty();
    for words in ["--nonsense", "nonsense", "list --limit x", "show", "list --vimgrep --json"] {
        let output = place.run(words);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{words}");
        assert!(output.err.contains("--help"), "{}", output.err);
    }
}

/// Returns what the completion script of fish gets for a command line.
fn completed(place: &mut Place, line: &str) -> String {
    place.machine.variables.insert("SKEIN_COMPLETE".to_owned(), "fish".to_owned());
    let words: Vec<&str> = ["--", "skein"].into_iter().chain(line.split(' ')).collect();
    let output = place.run_args(&words);
    place.machine.variables.remove("SKEIN_COMPLETE");
    assert_eq!((output.code, output.err.as_str()), (0, ""), "{line}");
    output.out
}

#[test]
fn completions_include_every_command() {
    let mut place = Place::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = place.run(&format!("completions {shell}"));
        assert_eq!(output.code, 0);
        assert!(output.out.contains("SKEIN_COMPLETE"), "{shell}: {}", output.out);
    }
    let commands = completed(&mut place, "");
    for command in COMMANDS {
        assert!(commands.lines().any(|line| line.starts_with(command)), "{command}: {commands}");
    }
}

#[test]
fn threads_steps_agents_statuses_and_settings_are_completed() {
    let mut place = Place::demo();
    let mut check = |line: &str, candidate: &str, other: &str| {
        let text = completed(&mut place, line);
        assert!(text.lines().any(|line| line.starts_with(candidate)), "{line}: {text}");
        assert!(!text.contains(other), "{line}: {text}");
    };
    check("review reply ", "b21d\t`unwrap` on an empty cache", "cache-eviction");
    check("review resolve b21d 7", "7f3a\t", "b21d");
    check("show ", "b21d\t", "half\t");
    check("show cache-", "cache-eviction\t", "b21d");
    check("resume cache-", "cache-eviction\t", "b21d");
    check("steps done cache-", "cache-eviction#", "b21d");
    check("deliver allow ", "claude-code", "cursor");
    check("install ", "cursor\t", "b21d");
    check("list --status ", "resolved", "b21d");
    check("list --kind=", "--kind=review", "b21d");
    check("config get ", "review.agents_may_resolve\t", "b21d");
    let empty = completed(&mut Place::empty(), "review reply ");
    assert!(empty.lines().all(|line| line.starts_with('-')), "{empty}");
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::empty();
    let page = place.run("man").out;
    assert!(page.contains(".TH skein 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("skein\\-{command}(1)")), "{command}");
        let output = place.run(&format!("man {command}"));
        assert_eq!(output.code, 0);
        assert!(output.out.contains(&format!(".TH skein-{command} 1")), "{}", output.out);
        let footer = concat!("\"skein ", env!("CARGO_PKG_VERSION"), "\"");
        assert!(output.out.contains(footer), "{}", output.out);
    }
    place.check(
        "man nonsense",
        "
-- stderr
Error: no such command: `nonsense`
Hint: run `skein --help` to see every command
-- exit 2
",
    );
}

#[test]
fn the_version_is_printed() {
    for words in ["--version", "version"] {
        let output = Place::empty().run(words);
        let line = concat!("skein ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!((output.code, output.out.as_str()), (0, line), "{words}");
    }
}

#[test]
fn help_and_man_accept_the_names_of_subcommands() {
    let place = Place::empty();
    let same = |words: &str, as_words: &str| {
        let (one, other) = (place.run(words), place.run(as_words));
        assert_eq!((one.code, &one.out), (0, &other.out), "{words}: {one}");
        assert!(!one.out.is_empty());
    };
    same("help", "--help");
    same("help review", "review --help");
    same("help review add", "review add --help");
    same("review help", "review --help");
    let output = place.run("help nonsense");
    assert_eq!(output.code, 2, "{output}");
    assert!(output.err.contains("unrecognized subcommand 'nonsense'"), "{output}");
    let output = place.run("man review add");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.out.contains("skein\\-review\\-add"), "{output}");
    let output = place.run("man review nonsense");
    assert_eq!(output.code, 2, "{output}");
}

#[test]
fn every_filter_is_in_the_help_of_the_commands_that_take_them() {
    for command in ["list", "search", "watch", "review list", "checkpoint list"] {
        let help = Place::empty().run(&format!("{command} --help")).out;
        for key in skein_model::Filter::KEYS {
            let (word, flag) = (format!("`{key}`"), format!("--{key} "));
            assert!(help.contains(&word) || help.contains(&flag), "{command}: {key}: {help}");
        }
    }
}
