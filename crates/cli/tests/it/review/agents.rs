//! Who signs, and what agents may do.

use super::repo::{comments, done, git_args, json, repo, set};
use crate::place::Place;

fn author(place: &Place) -> String {
    done(place, &["review", "reply", "7030", "-m", "x"]);
    comments(place).pop().unwrap().0
}

#[test]
fn the_author_is_found_in_this_order() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.machine.variables.remove("SKEIN_AUTHOR");
    git_args(&place.machine.dir, &["config", "user.name", "Ada & <Co> \"x\""]);
    assert_eq!(author(&place), "Ada & <Co> \"x\"");
    set(&mut place, "CLAUDECODE", "1");
    assert_eq!(author(&place), "Claude Code");
    set(&mut place, "SKEIN_AUTHOR", " Two\n lines ");
    assert_eq!(author(&place), "Two lines");
    done(&place, &["review", "reply", "7030", "-m", "x", "--author", "bot [agent]"]);
    assert_eq!(comments(&place).pop().unwrap().0, "bot [agent]");
    let view = json(&place, &["review", "show", "7030", "--json"]);
    let agents: Vec<bool> =
        view["comments"].as_array().unwrap().iter().map(|one| one["agent"] == true).collect();
    assert_eq!(agents, [false, false, true, false, true]);
    assert_eq!(view["waiting_on"], "reviewer");
}

#[test]
fn a_resolve_of_an_agent_carries_a_comment_once() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    set(&mut place, "SKEIN_AUTHOR", "");
    set(&mut place, "CLAUDECODE", "1");
    place.check(
        "review resolve 7030",
        "
Resolved src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review resolve 7030",
        "
Was resolved already: src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(comments(&place).pop().unwrap(), ("Claude Code".to_owned(), "Resolved.".to_owned()));
    assert_eq!(comments(&place).len(), 2);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!(view["resolved_by_agent"], true);
    assert!(place.run("review show 7030").out.starts_with("src/a.rs:2  resolved by an agent\n"));
}

#[test]
fn an_agent_that_may_not_resolve_says_so() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["config", "set", "review.agents_may_resolve", "false"]);
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    place.check(
        "review resolve 7030",
        "
Said, without resolving it, that this is settled: src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review reply 7030 --resolve -m Done.",
        "
Said, without resolving it, that this is settled: src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["status"], "open");
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    done(&place, &["review", "resolve", "7030"]);
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["status"], "resolved");
}
