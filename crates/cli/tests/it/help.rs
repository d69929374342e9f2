use crate::place::Place;

const COMMANDS: [&str; 13] = [
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
];

#[test]
fn help_has_the_commands_in_groups() {
    Place::empty().check(
        "-h",
        "
Keeps the threads of people and coding agents, in plain files

Usage: skein [OPTIONS] [COMMAND]

Everyday:
  list         Lists threads of all kinds, the last changed first
  show         Shows one thread with everything that is in it
  search       Finds threads of all kinds by what they say
  review       Comments on lines of code, and the answers to them
  checkpoint   Keeps the state of a piece of work, to come back to
  handoff      Hands the work over: to another session, another agent or a colleague
  resume       Says what the next one needs to know to go on with a piece of work
  steps        What is left to do, of all checkpoints in one list
  session      Shows and changes the agent sessions that are bound to chat threads
  watch        Tells what happens to threads, as it happens
  serve        Opens the review in the browser: the diff with its threads, live
  init         Creates the store of review threads here, and sets up the agents that are found
  share        Lets review threads and checkpoints travel with the repository
  uninstall    Takes back what Skein set up, for one agent or altogether; the threads stay
  doctor       Says what is wrong with which file, and repairs what is safe
  config       Shows and changes settings
  demo         Writes a small workspace to try things on, and shows it

Plumbing:
  install      Lets an agent or git tell Skein what happens
  workspaces   Lists the workspaces that Skein was used in on this machine
  worker       Moves the worker of a checkpoint to its next state, and stamps the times
  hook         Does what is due at an event of an agent; for the settings of agents
  merge-driver Merges two versions of a thread, for git
  completions  Prints a completion script for a shell
  man          Prints a manual page

Options:
  -C <DIR>            Works as if started in this directory
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
Shows one thread with everything that is in it

Usage: skein show [OPTIONS] <ID>

Arguments:
  <ID>  The thread

Options:
      --lenient       Sessions that break the contract of the map too
  -C <DIR>            Works as if started in this directory
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
        let said = place.run(&format!("{command} --help"));
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        assert!(said.out.contains("Usage: skein"), "{}", said.out);
        let widest = said.out.lines().map(str::len).max();
        assert!(widest <= Some(100), "{}", said.out);
    }
}

#[test]
fn wrong_usage_is_the_users_to_mend() {
    let place = Place::empty();
    for words in ["--nonsense", "nonsense", "list --limit x", "show", "list --vimgrep --json"] {
        let said = place.run(words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words}");
        assert!(said.err.contains("--help"), "{}", said.err);
    }
}

#[test]
fn completions_know_every_command() {
    let place = Place::empty();
    for shell in ["bash", "zsh", "fish"] {
        let said = place.run(&format!("completions {shell}"));
        assert_eq!(said.code, 0);
        for command in COMMANDS {
            assert!(said.out.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::empty();
    let page = place.run("man").out;
    assert!(page.contains(".TH skein 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("skein\\-{command}(1)")), "{command}");
        let said = place.run(&format!("man {command}"));
        assert_eq!(said.code, 0);
        assert!(said.out.contains(&format!(".TH skein-{command} 1")), "{}", said.out);
    }
    place.check(
        "man nonsense",
        "
-- stderr
Error: there is no command `nonsense`
Hint: run `skein --help` to see every command
-- exit 2
",
    );
}

#[test]
fn the_version_is_printed() {
    let said = Place::empty().run("--version");
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, concat!("skein ", env!("CARGO_PKG_VERSION"), "\n"))
    );
}

#[test]
fn help_and_man_take_the_words_of_a_command() {
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
    let said = place.run("help nonsense");
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("unrecognized subcommand 'nonsense'"), "{said}");
    let said = place.run("man review add");
    assert_eq!(said.code, 0, "{said}");
    assert!(said.out.contains("skein\\-review\\-add"), "{said}");
    let said = place.run("man review nonsense");
    assert_eq!(said.code, 2, "{said}");
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
