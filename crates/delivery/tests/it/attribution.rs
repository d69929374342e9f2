//! The session that wrote the code of a thread.

use skein_delivery::{Attribution, UnknownOrigin};
use skein_fixtures::{Fixture, git};
use skein_format::review::ReviewDoc;

use crate::setup::{Session, commit, repository, thread, worktree};

/// Checks the session of some lines of `a.txt`.
#[track_caller]
fn check(fixture: &Fixture, dir: &str, lines: (u32, u32), expected: Result<&str, UnknownOrigin>) {
    thread(fixture, dir, "t", "a.txt", lines);
    let workspace = fixture.open(dir);
    let bytes = std::fs::read(workspace.reviews.threads().join("t.md")).unwrap();
    let (doc, _) = ReviewDoc::parse(bytes, "t", ".code-review");
    let found = Attribution::new(&workspace).find(&doc);
    assert_eq!(found.as_ref().map(|origin| origin.session.as_str()), expected.as_deref());
    if let Ok(origin) = found {
        assert_eq!(origin.agent, "claude-code");
    }
}

#[test]
fn lines_that_an_agent_committed_come_from_its_session() {
    let fixture = repository();
    Session::work(&fixture, "s1", "repo", "a.txt", "one\n2\nthree\n");
    check(&fixture, "repo", (1, 1), Ok("s1"));
    // Lines around them were there before.
    check(&fixture, "repo", (0, 2), Ok("s1"));
    check(&fixture, "repo", (0, 0), Err(UnknownOrigin::NoSession));
}

#[test]
fn lines_that_are_not_committed_come_from_the_session_that_left_the_file_so() {
    let fixture = repository();
    let session = Session::begin(&fixture, "s1", "repo");
    session.edit("a.txt", "one\n2\nthree\n");
    check(&fixture, "repo", (1, 1), Ok("s1"));
    // Another line of the same file is from before.
    check(&fixture, "repo", (0, 0), Err(UnknownOrigin::NoSession));
    // Someone else changed the file.
    fixture.file("repo/a.txt", "one\n2!\nthree\n");
    check(&fixture, "repo", (1, 1), Err(UnknownOrigin::NoSession));
}

#[test]
fn a_command_of_the_same_turn_may_change_the_file_again() {
    let fixture = repository();
    let session = Session::begin(&fixture, "s1", "repo");
    session.edit("a.txt", "one\n2\nthree\n");
    // A formatter that the agent ran.
    fixture.file("repo/a.txt", "one\n  2\nthree\n");
    session.end();
    check(&fixture, "repo", (1, 1), Ok("s1"));
}

#[test]
fn a_commit_by_a_person_of_what_an_agent_wrote_comes_from_its_session() {
    let fixture = repository();
    let session = Session::begin(&fixture, "s1", "repo");
    session.edit("a.txt", "one\n2\nthree\n");
    session.end();
    commit(&fixture, "repo", "2026-01-24T09:00:00Z");
    check(&fixture, "repo", (1, 1), Ok("s1"));
}

#[test]
fn what_a_person_changed_comes_from_no_session() {
    let fixture = repository();
    Session::work(&fixture, "s1", "repo", "a.txt", "one\n2\nthree\n");
    fixture.file("repo/a.txt", "one\n2\nthree!\n");
    check(&fixture, "repo", (2, 2), Err(UnknownOrigin::NoSession));
    check(&fixture, "repo", (1, 2), Err(UnknownOrigin::Changed));
    commit(&fixture, "repo", "2026-01-24T09:00:00Z");
    check(&fixture, "repo", (2, 2), Err(UnknownOrigin::NoSession));
    check(&fixture, "repo", (1, 2), Err(UnknownOrigin::Changed));
    check(&fixture, "repo", (1, 1), Ok("s1"));
}

#[test]
fn lines_of_two_sessions_come_from_none() {
    let fixture = repository();
    Session::work(&fixture, "s1", "repo", "a.txt", "1\ntwo\nthree\n");
    Session::work(&fixture, "s2", "repo", "a.txt", "1\n2\nthree\n");
    check(&fixture, "repo", (0, 0), Ok("s1"));
    check(&fixture, "repo", (1, 1), Ok("s2"));
    check(&fixture, "repo", (0, 1), Err(UnknownOrigin::Several));
}

#[test]
fn lines_that_are_not_committed_come_from_none_if_two_sessions_edited_the_file() {
    let fixture = repository();
    let first = Session::begin(&fixture, "s1", "repo");
    first.edit("a.txt", "1\ntwo\nthree\n");
    first.end();
    let second = Session::begin(&fixture, "s2", "repo");
    second.edit("a.txt", "1\ntwo\n3\n");
    second.end();
    check(&fixture, "repo", (0, 0), Err(UnknownOrigin::Several));
    check(&fixture, "repo", (2, 2), Err(UnknownOrigin::Several));
}

#[test]
fn a_directory_that_is_reached_through_a_link_is_the_same() {
    let fixture = repository();
    fixture.link("link", fixture.path("repo"));
    let session = Session::begin(&fixture, "s1", "link");
    session.edit("a.txt", "one\n2\nthree\n");
    session.end();
    check(&fixture, "repo", (1, 1), Ok("s1"));
}

#[test]
fn a_session_in_another_worktree_is_found_after_a_merge() {
    let fixture = repository();
    worktree(&fixture, "wt-a");
    Session::work(&fixture, "s1", "wt-a", "a.txt", "one\n2\nthree\n");
    check(&fixture, "wt-a", (1, 1), Ok("s1"));
    git(&fixture.path("repo"), &["merge", "--quiet", "wt-a"]);
    check(&fixture, "repo", (1, 1), Ok("s1"));
}

#[test]
fn a_session_in_a_removed_worktree_is_still_known() {
    let fixture = repository();
    worktree(&fixture, "wt-a");
    Session::work(&fixture, "s1", "wt-a", "a.txt", "one\n2\nthree\n");
    git(&fixture.path("repo"), &["merge", "--quiet", "wt-a"]);
    git(&fixture.path("repo"), &["worktree", "remove", "--force", "../wt-a"]);
    check(&fixture, "repo", (1, 1), Ok("s1"));
    // The same content in another commit, as after a squash.
    git(&fixture.path("repo"), &["reset", "--quiet", "--soft", "HEAD~1"]);
    commit(&fixture, "repo", "2026-01-24T09:00:00Z");
    check(&fixture, "repo", (1, 1), Ok("s1"));
}

#[test]
fn a_new_file_and_code_that_was_moved_are_found() {
    let fixture = repository();
    let session = Session::begin(&fixture, "s1", "repo");
    session.edit("new.txt", "x\ny\n");
    session.end();
    thread(&fixture, "repo", "t", "new.txt", (1, 1));
    let submitted = skein_delivery::submit(&fixture.open("repo")).unwrap();
    assert_eq!(submitted.origins["t"].session, "s1");
}

#[test]
fn outside_of_a_repository_the_content_of_the_file_decides() {
    let fixture = Fixture::new();
    fixture.file("repo/a.txt", "one\n");
    let session = Session::begin(&fixture, "s1", "repo");
    session.edit("a.txt", "one\ntwo\n");
    session.end();
    check(&fixture, "repo", (1, 1), Ok("s1"));
    fixture.file("repo/a.txt", "one\ntwo!\n");
    check(&fixture, "repo", (1, 1), Err(UnknownOrigin::NoSession));
}
