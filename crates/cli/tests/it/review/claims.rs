//! Threads that wait on one person or agent by name, and threads that one agent has claimed.

use super::repo::{done, json, repo, set};
use crate::place::Place;

#[test]
fn a_thread_that_mentions_one_agent_is_not_given_to_another() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "For any agent", "--new-store"]);
    done(&place, &["review", "add", "src/a.rs:3", "-m", "@claude for one agent"]);
    done(&place, &["review", "add", "src/a.rs:4", "-m", "@codex for the other"]);
    set(&mut place, "CLAUDECODE", "1");
    let next = |place: &Place| {
        let next = json(place, &["review", "next", "--claim", "--json"]);
        next["thread"]["title"].as_str().map(str::to_owned)
    };
    assert_eq!(next(&place).as_deref(), Some("@claude for one agent"));
    let id = |text: &str| {
        let listed = json(&place, &["review", "list", "--json"]);
        let rows = listed["threads"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["title"] == text).unwrap();
        row["id"].as_str().unwrap().to_owned()
    };
    done(&place, &["review", "reply", &id("@claude for one agent"), "-m", "Done."]);
    assert_eq!(next(&place).as_deref(), Some("For any agent"));
    done(&place, &["review", "reply", &id("For any agent"), "-m", "Done."]);
    assert_eq!(place.run("review next --claim").code, 1);
    // A person still gets it.
    set(&mut place, "CLAUDECODE", "");
    assert_eq!(next(&place).as_deref(), Some("@codex for the other"));
}

#[test]
fn a_thread_for_another_person_does_not_end_a_wait() {
    let mut place = repo();
    set(&mut place, "SKEIN_AUTHOR", "Tom");
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Mine."]);
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    done(&place, &["review", "add", "src/a.rs:2", "-m", "@tom look"]);
    assert_eq!(place.run("review wait --for reviewer --timeout 0").code, 1);
    let shown = place.run("").out;
    let (_, others) = shown.split_once("Waiting on others\n").expect(&shown);
    assert!(others.contains("@tom look"), "{shown}");
    assert!(!shown.contains("Waiting on the reviewer"), "{shown}");
    set(&mut place, "SKEIN_AUTHOR", "Tom");
    assert_eq!(place.run("review wait --for reviewer --timeout 0").code, 0);
    let shown = place.run("").out;
    assert!(shown.contains("Waiting on the reviewer\n"), "{shown}");
}

#[test]
fn the_export_for_an_agent_omits_threads_that_mention_another_agent() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "@codex yours"]);
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Anyone's."]);
    let count = |place: &Place| {
        let exported = json(place, &["review", "export", "--json"]);
        exported["threads"].as_array().unwrap().len()
    };
    assert_eq!(count(&place), 2);
    set(&mut place, "SKEIN_AUTHOR", "Claude Code");
    assert_eq!(count(&place), 1);
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    assert_eq!(count(&place), 2);
}

#[test]
fn the_export_for_an_agent_omits_threads_that_another_agent_has_claimed() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "First."]);
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Second."]);
    let counts = |place: &Place, words: &[&str]| {
        let exported = json(place, &[&["review", "export", "--json"], words].concat());
        (exported["threads"].as_array().unwrap().len(), exported["claimed"].as_u64().unwrap())
    };
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    done(&place, &["review", "next", "--claim", "--claimant", "one"]);
    assert_eq!(counts(&place, &["--claimant", "one"]), (2, 0));
    assert_eq!(counts(&place, &["--claimant", "two"]), (1, 1));
    assert_eq!(counts(&place, &["--claimant", "two", "--all"]), (2, 0));
    done(&place, &["review", "next", "--claim", "--claimant", "two"]);
    let text = place.run("review export").out;
    assert_eq!(
        text,
        "# Review comments\n\nNo open thread waits on you. 2 threads are left out: other agents have claimed them.\n"
    );
    // The export for a person has all threads: the person decides which agent gets it.
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    assert_eq!(counts(&place, &[]), (2, 0));
}

#[test]
fn threads_are_found_by_the_name_that_they_wait_on() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "@tom please look"]);
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Anyone's."]);
    done(&place, &["review", "add", "src/a.rs:4", "-m", "@claude yours"]);
    for (filter, expected) in [
        ("waiting:tom", vec!["@tom please look"]),
        ("waiting:Tom", vec!["@tom please look"]),
        ("waiting:claude", vec!["@claude yours"]),
        ("waiting:agent", vec!["@claude yours", "Anyone's."]),
    ] {
        for command in ["review list", "search"] {
            let words: Vec<&str> = command.split(' ').chain([filter, "--json"]).collect();
            let found = json(&place, &words);
            let rows = found["threads"].as_array().or(found["hits"].as_array()).unwrap();
            let mut titles: Vec<&str> =
                rows.iter().map(|row| row["title"].as_str().unwrap()).collect();
            titles.sort_unstable();
            assert_eq!(titles, expected, "{command} {filter}");
        }
    }
    let output = place.run("review list waiting:ann");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("or a name that a thread waits on, not `ann`"), "{}", output.err);
    set(&mut place, "SKEIN_AUTHOR", "Tom");
    done(&place, &["review", "reply", "src/a.rs:2", "-m", "Seen."]);
    assert_eq!(place.run("review list waiting:tom").code, 2);
}

#[test]
fn a_question_to_a_person_waits_on_that_person() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "This is slow."]);
    set(&mut place, "SKEIN_AUTHOR", "Tom");
    done(&place, &["review", "reply", "7030", "-m", "Why?"]);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!(
        (&view["waiting_on"], &view["waiting_on_name"]),
        (&"reviewer".into(), &"Mira".into())
    );
    assert_eq!(place.run("review next").code, 1);
    assert!(place.run("review show 7030").out.contains("open, waiting on Mira\n"));
    assert!(place.run("").out.contains("src/a.rs:2 (for Mira)"));
    assert_eq!(place.run("search slow --waiting agent").code, 1);
    assert_eq!(place.run("search slow --waiting reviewer").code, 0);
    done(&place, &["review", "reply", "7030", "-m", "@agent please fix"]);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!(view["waiting_on"], "agent");
    assert_eq!(place.run("search slow --waiting agent").code, 0);
    done(&place, &["review", "add", "src/a.rs:8", "-m", "@Ada is this right?"]);
    let listed = place.run("review list --waiting reviewer").out;
    assert!(listed.contains("open  Ada  src/a.rs:8"), "{listed}");
}

#[test]
fn an_export_with_a_limit_has_the_first_threads_and_says_how_many_more_there_are() {
    let place = repo();
    for line in 2..5 {
        let at = format!("src/a.rs:{line}");
        done(&place, &["review", "add", &at, "-m", &format!("On line {line}.")]);
    }
    let exported = |words: &str| {
        let run = place.run(words);
        let shown = (2..5).filter(|line| run.out.contains(&format!("On line {line}.")));
        (shown.collect::<Vec<_>>(), run.err)
    };
    let all = (vec![2, 3, 4], String::new());
    let more = "1 more; use `--limit` to include them\n".to_owned();
    assert_eq!(exported("review export"), all);
    assert_eq!(exported("review export --limit 3"), all);
    assert_eq!(exported("review export --limit 2"), (vec![2, 3], more.clone()));
    assert_eq!(exported("review export -n 2 --format json").1, more);
}
