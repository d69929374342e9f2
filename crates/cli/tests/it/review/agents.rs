//! The author of a comment, and what agents may do.

use super::repo::{comments, done, git_args, json, repo, set};
use crate::place::Place;

fn author(place: &Place) -> String {
    done(place, &["review", "reply", "7030", "-m", "x"]);
    comments(place).pop().unwrap().0
}

#[test]
fn the_author_is_chosen_by_precedence() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.machine.variables.remove("SKEIN_AUTHOR");
    git_args(&place.machine.dir, &["config", "user.name", "Ada & <Co> \"x\""]);
    assert_eq!(author(&place), "Ada & <Co> \"x\"");
    set(&mut place, "CLAUDECODE", "1");
    assert_eq!(author(&place), "Claude Code");
    set(&mut place, "CLAUDECODE", "");
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
fn inside_an_agent_every_author_name_is_marked_as_an_agent() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    set(&mut place, "CLAUDECODE", "1");
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    assert_eq!(author(&place), "Mira [agent]");
    done(&place, &["review", "reply", "7030", "-m", "x", "--author", "Mira"]);
    assert_eq!(comments(&place).pop().unwrap().0, "Mira [agent]");
    done(&place, &["review", "reply", "7030", "-m", "x", "--author", "Helper [agent]"]);
    assert_eq!(comments(&place).pop().unwrap().0, "Helper [agent]");
    place.file(
        "found.json",
        "[{\"file\": \"src/a.rs\", \"line\": 1, \"body\": \"x\", \"author\": \"Mira\"}]",
    );
    done(&place, &["review", "import", "found.json"]);
    let listed = json(&place, &["review", "list", "file:src/a.rs", "--json"]);
    let authors: Vec<&str> = listed["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["last_author"].as_str().unwrap())
        .collect();
    assert!(!authors.contains(&"Mira"), "{authors:?}");
    // An agent cannot edit the comment of a person.
    done(&place, &["review", "edit", "7030", "--author", "Mira", "-m", "y"]);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!(
        (&view["comments"][0]["author"], &view["comments"][0]["body"]),
        (&"Mira".into(), &"Why?".into())
    );
}

#[test]
fn an_agent_cannot_lift_a_rule_through_the_environment_or_an_edited_file() {
    let mut place = repo();
    let dir = place.machine.dir.clone();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    let rule = "[review]\nagents_may_resolve = true\n";
    place.file(".skein.toml", rule);
    set(&mut place, "CLAUDECODE", "1");
    set(&mut place, "SKEIN_REVIEW_AGENTS_MAY_RESOLVE", "true");
    done(&place, &["review", "resolve", "7030"]);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!((&view["status"], &view["proposed_resolved"]), (&"open".into(), &true.into()));
    let output = place.run("config get review.agents_may_resolve");
    assert_eq!(output.out, "false\n");
    let output = place.run("config set review.agents_may_resolve true");
    assert_eq!(output.code, 2);
    assert!(output.err.starts_with("Error: an agent cannot change settings\n"));
    // The file is also ignored while only the branch of the agent has it.
    git_args(&dir, &["checkout", "-q", "-b", "agent"]);
    git_args(&dir, &["add", ".skein.toml"]);
    git_args(&dir, &["commit", "-q", "-m", "rule"]);
    assert_eq!(place.run("config get review.agents_may_resolve").out, "false\n");
    // Nor does it help the agent to move the default branch.
    git_args(&dir, &["branch", "-f", "main", "agent"]);
    assert_eq!(place.run("config get review.agents_may_resolve").out, "false\n");
    let output = place.run("config confirm review.agents_may_resolve");
    assert!(output.err.starts_with("Error: an agent cannot change settings\n"), "{}", output.err);
    done(&place, &["review", "resolve", "7030"]);
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["status"], "open");
    place.machine.variables.remove("CLAUDECODE");
    let listed = place.run("config list");
    assert!(listed.out.contains(".skein.toml on main, not confirmed"), "{}", listed.out);
    assert!(listed.err.contains("`skein config confirm review.agents_may_resolve`"));
    done(&place, &["config", "confirm", "review.agents_may_resolve"]);
    assert_eq!(place.run("config confirm color").code, 2);
    set(&mut place, "CLAUDECODE", "1");
    assert_eq!(place.run("config get review.agents_may_resolve").out, "true\n");
    let listed = place.run("config list").out;
    assert!(listed.contains(".skein.toml on main"), "{listed}");
    done(&place, &["review", "resolve", "7030"]);
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["status"], "resolved");
}

#[test]
fn a_proposal_is_accepted_with_one_command() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    set(&mut place, "CLAUDECODE", "1");
    set(&mut place, "SKEIN_AUTHOR", "");
    place.check(
        "review reply 7030 --resolve -m Done.",
        "
Proposed to resolve src/a.rs:2  7030916e
-- exit 0
",
    );
    let output = comments(&place).pop().unwrap();
    assert_eq!(
        output,
        ("Claude Code".to_owned(), "Done.\n\nProposes to resolve this thread.".to_owned())
    );
    // A second proposal adds no comment.
    done(&place, &["review", "resolve", "7030"]);
    assert_eq!(comments(&place).len(), 2);
    let listed = place.run("review list").out;
    assert!(listed.contains("open, resolve proposed  reviewer  src/a.rs:2"), "{listed}");
    set(&mut place, "CLAUDECODE", "");
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    done(&place, &["review", "add", "src/a.rs:8", "-m", "And this?"]);
    place.check(
        "review resolve --proposed",
        "
Resolved src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review resolve --proposed",
        "-- stderr\nNo agent proposes to resolve a thread here.\n-- exit 1\n",
    );
    assert_eq!(
        json(&place, &["review", "list", "status:open", "--json"])["threads"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_persons_reply_opens_a_resolved_thread_again() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    let status =
        |place: &Place| json(place, &["review", "show", "7030", "--json"])["status"].clone();
    done(&place, &["review", "resolve", "7030"]);
    done(&place, &["review", "reply", "7030", "--keep-resolved", "-m", "Thanks."]);
    assert_eq!(status(&place), "resolved");
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    done(&place, &["review", "reply", "7030", "-m", "Done."]);
    assert_eq!(status(&place), "resolved");
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    place.check("review reply 7030 -m No.", "\nReopened src/a.rs:2  7030916e\n-- exit 0\n");
    assert_eq!(status(&place), "open");
    assert_eq!(place.run("review next").code, 0);
    let index = std::fs::read_to_string(place.machine.dir.join(".code-review/index.json")).unwrap();
    assert!(index.contains("\"status\": \"open\""), "{index}");
}

#[test]
fn drafts_are_shown_in_the_list_the_overview_and_the_diff() {
    let place = repo();
    place.check(
        "review add src/a.rs:2 --draft -m Why?",
        "
Drafted a comment on src/a.rs:2  7030916e
     2      let file = find_or_create(path);
-- stderr
`skein review submit` publishes your drafts together
-- exit 0
",
    );
    let listed = place.run("review list").out;
    assert!(listed.contains("draft  src/a.rs:2"), "{listed}");
    assert!(!place.run("review list status:open").out.contains("draft"));
    let overview = place.run("").out;
    assert!(overview.contains("Drafts, not submitted yet\n"), "{overview}");
    assert!(overview.contains("next: skein review submit"), "{overview}");
    let diff = place.run("review diff").out;
    assert!(diff.contains("7030916e src/a.rs:2, draft"), "{diff}");
    let shown = place.run("review show 7030").out;
    assert!(shown.starts_with("src/a.rs:2  draft\n"), "{shown}");
    assert_eq!(place.run("review next").code, 1);
    assert_eq!(place.run("review check --allow-missing").code, 0);
}

#[test]
fn threads_are_found_by_the_branch_that_they_were_started_on() {
    let place = repo();
    let dir = &place.machine.dir;
    git_args(dir, &["checkout", "-q", "-b", "user/feat"]);
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["review", "add", "src/a.rs:8", "--draft", "-m", "Later."]);
    git_args(dir, &["checkout", "-q", "-b", "other"]);
    done(&place, &["review", "add", "src/a.rs:3", "-m", "And?"]);
    place.file(".code-review/threads/ext.md", "<local-code-review-thread>\n{\"schemaVersion\": 1, \"id\": \"ext\", \"target\": {\"workspaceRelativePath\": \"src/a.rs\", \"range\": null, \"anchor\": {\"kind\": \"lineRange\", \"git\": {\"baseRef\": \"release\"}}}, \"status\": \"open\", \"createdAt\": \"2026-01-20T10:00:00.000Z\", \"updatedAt\": \"2026-01-20T10:00:00.000Z\"}\n</local-code-review-thread>\n");
    let on = |branch: &str| -> Vec<String> {
        let listed = json(&place, &["review", "list", &format!("branch:{branch}"), "--json"]);
        let rows = listed["threads"].as_array().unwrap();
        rows.iter()
            .map(|row| {
                format!("{} {}", row["at"].as_str().unwrap(), row["started_on"].as_str().unwrap())
            })
            .collect()
    };
    assert_eq!(on("feat"), ["src/a.rs:8 user/feat", "src/a.rs:2 user/feat"]);
    assert_eq!(on("other"), ["src/a.rs:3 other"]);
    assert_eq!(on("release"), ["src/a.rs release"]);
    done(&place, &["review", "submit"]);
    assert_eq!(on("feat").len(), 2);
    assert!(on("main").is_empty());
    let found = |words: &[&str]| -> Vec<String> {
        let all = [&["search", "--json"], words].concat();
        let hits = place.run_args(&all);
        let hits: serde_json::Value = serde_json::from_str(&hits.out).unwrap();
        let mut found: Vec<String> = hits["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["at"].as_str().unwrap().to_owned())
            .collect();
        found.sort();
        found
    };
    assert_eq!(found(&["branch:feat"]), ["src/a.rs:2", "src/a.rs:8"]);
    assert_eq!(found(&["Why", "branch:feat"]), ["src/a.rs:2"]);
    assert_eq!(found(&["branch:release"]), ["src/a.rs"]);
    assert_eq!(found(&["kind:review", "-branch:feat"]), ["src/a.rs", "src/a.rs:3"]);
    assert!(found(&["branch:main"]).is_empty());
    let all = json(&place, &["list", "branch:feat", "--json"]);
    assert_eq!(all["threads"].as_array().unwrap().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_symlink_out_of_the_workspace_is_not_opened_in_an_editor() {
    let mut place = repo();
    let secret = place.path("secret.txt");
    std::fs::write(&secret, "one\ntwo\n").unwrap();
    std::os::unix::fs::symlink(&secret, place.machine.dir.join("link.txt")).unwrap();
    place.file(".code-review/threads/out.md", "<local-code-review-thread>\n{\"schemaVersion\": 1, \"id\": \"out\", \"target\": {\"workspaceRelativePath\": \"link.txt\", \"range\": null, \"anchor\": {\"kind\": \"lineRange\"}}, \"status\": \"open\", \"createdAt\": \"2026-01-20T10:00:00.000Z\", \"updatedAt\": \"2026-01-20T10:00:00.000Z\"}\n</local-code-review-thread>\n");
    set(&mut place, "EDITOR", "touch");
    assert_eq!(place.run("review open out").code, 2);
}

#[test]
fn resolving_as_an_agent_adds_a_comment_only_once() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["config", "set", "review.agents_may_resolve", "true"]);
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
Already resolved: src/a.rs:2  7030916e
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
fn an_agent_that_may_not_resolve_proposes_to_resolve() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["config", "set", "review.agents_may_resolve", "false"]);
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    place.check(
        "review resolve 7030",
        "
Proposed to resolve src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review reply 7030 --resolve -m Done.",
        "
Proposed to resolve src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["status"], "open");
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    done(&place, &["review", "resolve", "7030"]);
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["status"], "resolved");
}

#[test]
fn an_agent_neither_sees_nor_publishes_the_drafts_of_a_person() {
    let mut place = repo();
    let draft = json(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "Why?", "--json"]);
    let draft = draft["threads"][0]["id"].as_str().unwrap().to_owned();
    set(&mut place, "CLAUDECODE", "1");
    done(&place, &["review", "add", "src/a.rs:3", "--draft", "-m", "An idea"]);
    let seen = place.run("review list --drafts").out;
    assert!(seen.contains("An idea") && !seen.contains("Why?"), "{seen}");
    for command in ["show", "delete", "resolve"] {
        assert_eq!(place.run(&format!("review {command} {draft}")).code, 2, "{command}");
    }
    done(&place, &["review", "submit", "--new-store"]);
    set(&mut place, "CLAUDECODE", "");
    let left = place.run("review list --drafts").out;
    assert!(left.contains("Why?") && !left.contains("An idea"), "{left}");
    // A person does not publish the drafts of an agent either.
    set(&mut place, "CLAUDECODE", "1");
    done(&place, &["review", "add", "src/a.rs:3", "--draft", "-m", "Another idea"]);
    set(&mut place, "CLAUDECODE", "");
    done(&place, &["review", "submit"]);
    let left = place.run("review list --drafts").out;
    assert!(left.contains("Another idea") && !left.contains("Why?"), "{left}");
}

#[test]
fn an_accepted_proposal_is_not_active_again_when_the_thread_is_reopened() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?", "--new-store"]);
    set(&mut place, "CLAUDECODE", "1");
    done(&place, &["review", "resolve", "7030", "-m", "Because."]);
    set(&mut place, "CLAUDECODE", "");
    done(&place, &["review", "resolve", "7030"]);
    done(&place, &["review", "reopen", "7030"]);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!(
        (&view["status"], &view["proposed_resolved"], &view["waiting_on"]),
        (&"open".into(), &false.into(), &"agent".into())
    );
}

#[test]
fn a_mention_of_an_unknown_author_gives_a_warning() {
    let mut place = repo();
    let warning = "in backticks it is not a name, and `@agent` asks an agent [review-unknown-name]";
    let output = place.run_args(&["review", "add", "src/a.rs:2", "-m", "@property would be nicer"]);
    let expected =
        format!("Warning: the thread waits on property, who has written nothing here; {warning}\n");
    assert!(output.err.contains(&expected), "{}", output.err);
    for quiet in ["`@property` would be nicer", "@claude-code look", "@agent look", "Why?"] {
        let output = place.run_args(&["review", "add", "src/a.rs:3", "-m", quiet]);
        assert!(!output.err.contains("Warning"), "{quiet}: {}", output.err);
    }
    set(&mut place, "SKEIN_AUTHOR", "Tom Silva");
    done(&place, &["review", "add", "src/a.rs:4", "-m", "Mine."]);
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    let output = place.run_args(&["review", "add", "src/a.rs:8", "-m", "@tom look"]);
    assert!(!output.err.contains("Warning"), "{}", output.err);
}

#[test]
fn open_threads_of_other_worktrees_are_counted() {
    let mut place = repo();
    let dir = place.machine.dir.clone();
    let tree = place.path("wt-a");
    git_args(&dir, &["worktree", "add", "-q", "-b", "feat-a", tree.to_str().unwrap()]);
    place.machine.dir = tree;
    done(&place, &["review", "add", "src/a.rs:2", "-m", "One."]);
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Two."]);
    place.machine.dir = dir;
    let shown = place.run("").out;
    assert!(shown.contains("2 open threads in wt-a (feat-a)"), "{shown}");
    let output =
        "2 threads are open in other worktrees: `skein review list --all-worktrees status:open`\n";
    assert!(place.run("review list").err.ends_with(output));
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Zero."]);
    let output = "2 threads are open in other worktrees: `skein search --all-worktrees QUERY`\n";
    assert!(place.run("search two").err.ends_with(output));
    assert!(!place.run("search two --all-worktrees").err.contains("other worktrees"));
}

#[test]
fn review_commands_find_only_review_threads() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "One."]);
    for slug in ["7030916-one", "7030916-two"] {
        done(&place, &["checkpoint", "save", slug, "-m", "x"]);
    }
    assert_eq!(place.run("review show 7030").code, 0);
    let output = place.run("review show T-2026").err;
    assert!(output.starts_with("Error: no thread has this id: T-2026\n"), "{output}");
    assert!(!output.contains("review show T-"), "{output}");
    done(&place, &["review", "delete", "7030"]);
    let output = place.run("review reply 7030 -m x").err;
    let id = "7030916e-7f09-440d-985c-cf1fe0d9dc85";
    assert_eq!(
        output,
        format!(
            "Error: the thread was deleted: 7030\nHint: restore it with `skein review restore {id}`\n"
        )
    );
}

#[test]
fn a_reply_of_an_agent_after_the_resolve_does_not_count_as_the_resolve() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["review", "resolve", "7030"]);
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    done(&place, &["review", "reply", "7030", "-m", "Late."]);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!((&view["status"], &view["resolved_by_agent"]), (&"resolved".into(), &false.into()));
}
