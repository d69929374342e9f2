//! Drafts, and their submission.

use std::fs;
use std::path::PathBuf;

use super::repo::{
    comments_of, done, folder, git, git_args, json, refused, repo, set, state, threads,
};
use crate::place::Place;

#[test]
fn drafts_are_stored_separately_and_published_together() {
    let place = repo();
    place.check(
        "review add src/a.rs:2 --draft -m One",
        "
Drafted a comment on src/a.rs:2  7030916e
     2      let file = find_or_create(path);
-- stderr
`skein review submit` publishes your drafts together
-- exit 0
",
    );
    place.check("review add src/a.rs:8 --draft -m Two --json", r#"
{"threads":[{"kind":"review","id":"8be23e91-f66f-4392-8ef6-92b3f2174c2c","file":"ROOT/home/.local/state/skein/here-KEY/drafts/8be23e91-f66f-4392-8ef6-92b3f2174c2c.md","at":"src/a.rs:8","action":"drafted","status":"open","comment":"d13a0290-69ef-484c-af99-c169af8f2d1d","code":["    file.flush();"],"diagnostics":[]}]}
-- stderr
`skein review submit` publishes your drafts together
-- exit 0
"#);
    assert!(!place.machine.dir.join(".code-review").exists());
    place.check(
        "review list status:open",
        "
-- stderr
There are no threads here yet. Run `skein` to see what to try.
-- exit 0
",
    );
    place.check(
        "review list --drafts",
        "
7030  draft  src/a.rs:2  now  One
8be2  draft  src/a.rs:8  now  Two
-- exit 0
",
    );
    let drafts = state(&place, "drafts");
    let bytes: Vec<Vec<u8>> = drafts.iter().map(|path| fs::read(path).unwrap()).collect();
    place.check(
        "review submit",
        "
Submitted the comment on src/a.rs:2  7030916e
Submitted the comment on src/a.rs:8  8be23e91
-- stderr
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
`skein review diff --since-submit` shows the changes from here on
-- exit 0
",
    );
    let published: Vec<Vec<u8>> =
        threads(&place).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(published, bytes);
    assert!(state(&place, "drafts").is_empty());
    place.check(
        "review submit",
        "
-- stderr
There were no drafts; the round is recorded: `skein review diff --since-submit` shows the changes from here on
-- exit 0
",
    );
    place.check(
        "review submit --json",
        r#"
{"threads":[],"reference":"refs/skein/submit/here-KEY/20260123-143000.003"}
-- exit 0
"#,
    );
    assert_eq!(git(&place.machine.dir, "for-each-ref refs/skein"), "");
    assert_eq!(git(&submissions(&place), "for-each-ref refs/skein").lines().count(), 3);
}

#[test]
fn a_draft_can_be_answered_edited_and_shown_like_a_thread() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "One"]);
    place.check(
        "review reply 7030 -m More",
        "
Replied on src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review edit 7030 -m Other",
        "
Edited the comment on src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(json(&place, &["review", "show", "7030", "--json"])["comments"][1]["body"], "Other");
    assert!(!place.machine.dir.join(".code-review").exists());
}

#[test]
fn outside_of_a_repository_drafts_are_published_too() {
    let place = folder();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "One"]);
    assert_eq!(place.run("review submit").code, 2);
    place.check(
        "review submit --new-store",
        "
Submitted the comment on src/a.rs:2  7030916e
-- stderr
Created the store: ROOT/here/.code-review
1 published
-- exit 0
",
    );
    refused(
        &place,
        "review diff --since-submit",
        "Error: not a git repository: ROOT/here\nHint: run `git init` there first, or name a repository with `-C DIR`\n",
    );
}

#[test]
fn an_interrupted_submission_is_finished_by_the_next_one() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "One"]);
    let draft = state(&place, "drafts").remove(0);
    let bytes = fs::read(&draft).unwrap();
    done(&place, &["review", "submit"]);
    // As after a crash between publishing the thread and removing the draft, and a reply after it.
    done(&place, &["review", "reply", "7030", "-m", "Answer"]);
    fs::write(&draft, &bytes).unwrap();
    done(&place, &["review", "submit"]);
    let all = threads(&place);
    assert_eq!(all.len(), 1, "published once: {all:?}");
    assert_eq!(comments_of(&place, &all[0]).len(), 2);
    assert!(state(&place, "drafts").is_empty());
}

#[test]
fn a_draft_whose_id_is_taken_gets_another() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "Draft"]);
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Thread"]);
    place.check(
        "review submit",
        "
Submitted the comment on src/a.rs:2  d13a0290
-- stderr
`skein review diff --since-submit` shows the changes from here on
-- exit 0
",
    );
    assert_eq!(threads(&place).len(), 2);
    place.check(
        "doctor",
        "
No problems in 2 threads.
-- exit 0
",
    );
}

#[test]
fn a_draft_that_cannot_be_parsed_stays() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "Draft"]);
    let draft = state(&place, "drafts").remove(0);
    let broken = draft.with_file_name("broken.md");
    fs::write(&broken, "half of a").unwrap();
    place.check(
        "review submit",
        "
Submitted the comment on src/a.rs:2  7030916e
-- stderr
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
This draft is unusable and was not submitted: ROOT/home/.local/state/skein/here-KEY/drafts/broken.md
`skein review diff --since-submit` shows the changes from here on
-- exit 0
",
    );
    assert_eq!(fs::read_to_string(&broken).unwrap(), "half of a");
}

/// Returns the repository that keeps the state of the files at each submission.
fn submissions(place: &Place) -> PathBuf {
    place.machine.dir.join(".git/skein/submissions.git")
}

#[test]
fn a_submission_of_an_older_version_is_used_and_migrated() {
    let place = repo();
    done(&place, &["review", "submit"]);
    let dir = &place.machine.dir;
    let own = git(&submissions(&place), "for-each-ref --format=%(refname) refs/skein");
    fs::remove_dir_all(submissions(&place)).unwrap();
    git_args(dir, &["update-ref", own.trim(), "HEAD^{tree}"]);
    let shown = done(&place, &["review", "diff", "--since-submit", "--stat"]);
    assert!(shown.contains("src/a.rs"), "{shown}");
    assert_eq!(git(dir, "for-each-ref refs/skein"), "");
    assert_eq!(git(&submissions(&place), "for-each-ref refs/skein").lines().count(), 1);
}

#[test]
fn the_oldest_submissions_are_deleted() {
    let place = repo();
    done(&place, &["review", "submit"]);
    let own = git(&submissions(&place), "for-each-ref --format=%(refname) refs/skein");
    let own = own.trim().rsplit_once('/').unwrap().0;
    for minute in 10..32 {
        let name = format!("{own}/20260123-14{minute}00");
        git_args(&place.machine.dir, &["update-ref", &name, "HEAD^{tree}"]);
    }
    done(&place, &["review", "submit"]);
    // The submissions of older versions were moved.
    assert_eq!(git(&place.machine.dir, "for-each-ref refs/skein"), "");
    let refs = git(&submissions(&place), "for-each-ref --format=%(refname) refs/skein");
    assert_eq!(refs.lines().count(), 20);
    assert!(refs.lines().last().unwrap().ends_with("20260123-143100"), "{refs}");
}

#[test]
fn submitting_a_draft_sets_the_time_of_its_last_change() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "First."]);
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:00:00Z");
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Second."]);
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:01:00Z");
    done(&place, &["review", "submit"]);
    let shown = json(&place, &["review", "show", "@last", "--json"]);
    assert_eq!(shown["at"], "src/a.rs:2");
    assert_eq!(shown["updated_at"], "2026-01-23T15:01:00.000Z");
    assert_eq!(shown["comments"][0]["created_at"], "2026-01-23T14:30:00.000Z");
}

#[test]
fn a_draft_cannot_be_resolved_or_reopened() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "One.", "--suggest", "x"]);
    for command in
        ["reply 7030 -m x --resolve", "resolve 7030", "reopen 7030", "apply 7030 --resolve"]
    {
        refused(
            &place,
            &format!("review {command}"),
            "Error: the comment is still a draft: 7030916e-7f09-440d-985c-cf1fe0d9dc85\nHint: `skein review submit` publishes your drafts; `review edit` and `review delete` change them\n",
        );
    }
}

#[test]
fn drafts_are_listed_by_their_status() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Published"]);
    done(&place, &["review", "add", "src/a.rs:8", "--draft", "-m", "Not yet"]);
    for words in [
        "review list status:draft",
        "review list --status Draft",
        "list status:draft",
        "search status:draft",
        "search --status Draft",
    ] {
        let output = place.run(words);
        assert_eq!(output.code, 0, "{words}: {}", output.err);
        assert!(
            output.out.contains("Not yet") && !output.out.contains("Published"),
            "{}",
            output.out
        );
    }
    assert_eq!(place.run("list checkpoint status:draft").out, "");
    // These commands never read drafts.
    for words in ["review check status:draft", "checkpoint list status:draft"] {
        let output = place.run(words);
        assert_eq!(output.code, 2, "{words}: {}", output.out);
        assert!(output.err.contains("`skein review list --drafts`"), "{words}: {}", output.err);
    }
}

#[test]
fn a_person_finds_drafts_and_an_agent_does_not() {
    let mut place = repo();
    // There is no store yet.
    done(&place, &["review", "add", "src/a.rs:8", "--draft", "-m", "Rename the gizmo"]);
    let output = place.run("search gizmo");
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(output.out.contains("7030  review  src/a.rs:8  draft  now\n"), "{}", output.out);
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Keep the gizmo"]);
    let found = |place: &Place, words: &str| {
        let output = place.run(words);
        (output.out.contains("Rename the gizmo"), output.out.contains("Keep the gizmo"))
    };
    for (words, expected) in [
        ("search gizmo", (true, true)),
        ("search gizmo status:draft", (true, false)),
        ("search gizmo status:open", (false, true)),
        ("search gizmo -status:draft", (false, true)),
        ("search gizmo waiting:agent", (false, true)),
        ("search gizmo file:src/a.rs", (true, true)),
        ("search gizmo file:src/b.rs", (false, false)),
        ("search gizmo kind:checkpoint", (false, false)),
    ] {
        assert_eq!(found(&place, words), expected, "{words}");
    }
    set(&mut place, "SKEIN_AUTHOR", "Codex");
    assert_eq!(found(&place, "search gizmo"), (false, true));
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    set(&mut place, "CLAUDECODE", "1");
    assert_eq!(found(&place, "search gizmo"), (false, true));
}
