//! Comments that are not submitted yet: none is lost, and none is visible before it is submitted.

use std::fs;
use std::time::Duration;

use skein_catalog::ThreadRef;
use skein_catalog::deleted_reviews::deleted;
use skein_catalog::drafts::drafts;
use skein_catalog::rounds;
use skein_install::follow_move;
use skein_model::Filter;
use skein_review::{
    AddOptions, ApplyOptions, ChangesQuery, CodeLocation, NewThread, NextOptions, ReplyOptions,
    SubmitResult, add, apply, clear, delete, diff, find_all, next, reply, restore, restore_last,
    submit,
};
use skein_workspace::{Actor, IdGenerator, Workspace};

use skein_fixtures::{Fixture, Review, git};

/// Finds threads by their ids.
fn found(workspace: &Workspace, ids: &[String]) -> Vec<ThreadRef> {
    find_all(workspace, ids, None).unwrap()
}

pub(crate) fn draft(workspace: &Workspace, body: &str) -> String {
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = NewThread {
        place: CodeLocation::parse(workspace, "a.rs:1").unwrap(),
        body: body.to_owned(),
        suggestion: None,
        expect: None,
    };
    let options = AddOptions { draft: true, changed_only: false };
    add(workspace, &actor, &[thread], options).unwrap().threads[0].id.clone()
}

fn titles(workspace: &Workspace) -> Vec<String> {
    drafts(workspace).into_iter().map(|row| row.title).collect()
}

fn workspace(it: &Fixture) -> Workspace {
    it.file("w/a.rs", "one\n");
    it.dir("w/.code-review/threads");
    it.open("w")
}

#[test]
fn a_deleted_draft_is_restored_as_a_draft() {
    let it = Fixture::new();
    let workspace = workspace(&it);
    let id = draft(&workspace, "Hm.");
    delete(&workspace, &found(&workspace, std::slice::from_ref(&id))).unwrap();
    assert_eq!(titles(&workspace), [""; 0]);
    assert!(deleted(&workspace)[0].draft);
    restore(&workspace, std::slice::from_ref(&id), &mut Vec::new()).unwrap();
    assert_eq!(titles(&workspace), ["Hm."]);
    assert_eq!(fs::read_dir(workspace.reviews.threads()).unwrap().count(), 0);
    assert!(deleted(&workspace).is_empty());
}

#[test]
fn of_versions_deleted_in_the_same_second_the_last_is_restored() {
    let it = Fixture::new();
    for title in ["first", "second", "third"] {
        it.review("w", "t1", &Review { says: &[("Mira", title)], ..Review::default() });
        let workspace = it.open("w");
        clear(&workspace).unwrap();
    }
    let workspace = it.open("w");
    restore(&workspace, &["t1".to_owned()], &mut Vec::new()).unwrap();
    assert!(it.read("w/.code-review/threads/t1.md").contains("third"));
    let left: Vec<String> = deleted(&workspace).into_iter().map(|one| one.title).collect();
    assert_eq!(left, ["second", "first"]);
}

#[test]
fn restore_last_undoes_one_of_several_deletions_in_the_same_second() {
    let it = Fixture::new();
    let workspace = workspace(&it);
    let unsent = draft(&workspace, "Hm.");
    for id in ["t1", "t2", "t3", "t4"] {
        it.review("w", id, &Review::default());
    }
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    delete(&workspace, &found(&workspace, &ids(&["t1", "t2"]))).unwrap();
    delete(&workspace, &found(&workspace, &[unsent])).unwrap();
    delete(&workspace, &found(&workspace, &ids(&["t3"]))).unwrap();
    clear(&workspace).unwrap();
    let last = || {
        let mut back = Vec::new();
        restore_last(&workspace, &mut back).unwrap();
        back.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(last(), ["t4"]);
    assert_eq!(last(), ["t3"]);
    assert_eq!(last().len(), 1);
    assert_eq!(titles(&workspace), ["Hm."]);
    assert_eq!(last(), ["t1", "t2"]);
}

#[test]
fn a_deletion_after_a_restore_in_the_same_second_is_the_last_one() {
    let it = Fixture::new();
    let workspace = workspace(&it);
    for id in ["t1", "t2", "t3"] {
        it.review("w", id, &Review::default());
    }
    delete(&workspace, &found(&workspace, &["t1".to_owned()])).unwrap();
    delete(&workspace, &found(&workspace, &["t2".to_owned()])).unwrap();
    restore(&workspace, &["t1".to_owned()], &mut Vec::new()).unwrap();
    delete(&workspace, &found(&workspace, &["t3".to_owned()])).unwrap();
    let ids: Vec<String> = deleted(&workspace).into_iter().map(|one| one.id).collect();
    assert_eq!(ids, ["t3", "t2"]);
}

#[test]
fn threads_that_were_deleted_together_are_restored_together() {
    let it = Fixture::new();
    let workspace = workspace(&it);
    let kept = draft(&workspace, "Hm.");
    it.review("w", "t1", &Review::default());
    it.review("w", "t2", &Review::default());
    delete(&workspace, &found(&workspace, &["t1".to_owned(), "t2".to_owned(), kept])).unwrap();
    let mut back = Vec::new();
    restore_last(&workspace, &mut back).unwrap();
    assert_eq!(back.len(), 3);
    assert_eq!(titles(&workspace), ["Hm."]);
    assert_eq!(fs::read_dir(workspace.reviews.threads()).unwrap().count(), 2);
    assert_eq!(it.read("w/.code-review/index.json").matches("\"id\"").count(), 2);
    assert!(deleted(&workspace).is_empty());
}

#[test]
fn a_broken_draft_is_reported_and_kept() {
    let it = Fixture::new();
    let workspace = workspace(&it);
    draft(&workspace, "Hm.");
    let file = drafts(&workspace).remove(0).file;
    fs::write(&file, "half of it").unwrap();
    let SubmitResult { threads, notes, .. } = submit(&workspace).unwrap();
    assert!(threads.is_empty());
    assert!(notes[0].contains("is unusable"), "{notes:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "half of it");
}

#[test]
fn an_interrupted_submission_publishes_nothing_twice() {
    let it = Fixture::new();
    let workspace = workspace(&it);
    let id = draft(&workspace, "Hm.");
    let file = drafts(&workspace).remove(0).file;
    let mut text = fs::read_to_string(&file).unwrap();
    // The crash was after the thread was created, and an agent has answered it since.
    text += "\n<local-code-review-comment id=\"r1\" author=\"Codex\" createdAt=\"2026-01-23T14:31:00.000Z\"/>\n\nDone.\n";
    it.file(&format!("w/.code-review/threads/{id}.md"), &text);
    submit(&workspace).unwrap();
    assert_eq!(titles(&workspace), [""; 0]);
    assert_eq!(fs::read_dir(workspace.reviews.threads()).unwrap().count(), 1);
    assert_eq!(it.read(&format!("w/.code-review/threads/{id}.md")), text);
}

#[test]
fn a_draft_can_be_answered_and_applied_like_any_thread() {
    let it = Fixture::new();
    it.file("w/a.rs", "one\n");
    let workspace = it.open("w");
    let id = draft(&workspace, "So:\n\n```suggestion\nONE\n```");
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let file = drafts(&workspace).remove(0).file;
    let threads = found(&workspace, &[id]);
    reply(&workspace, &actor, &threads[0], "Or not.", ReplyOptions::default()).unwrap();
    let options = ApplyOptions { dry_run: false, resolve: false };
    apply(&workspace, &actor, &threads, options).unwrap();
    assert_eq!(it.read("w/a.rs"), "ONE\n");
    assert!(fs::read_to_string(&file).unwrap().ends_with("Applied; not committed yet.\n"));
    assert!(!workspace.reviews.store().exists());
}

#[test]
fn drafts_and_deleted_threads_follow_a_moved_directory() {
    let fixture = Fixture::new();
    fixture.repository("clone");
    fixture.worktree("clone", "tree", "feature");
    for (from, to) in [("tree", "moved-tree"), ("clone", "moved-clone")] {
        fixture.file(&format!("{from}/a.rs"), "one\n");
        let mut workspace = fixture.open(from);
        draft(&workspace, "Kept");
        workspace.env.ids = IdGenerator::seeded("more");
        let gone = draft(&workspace, "Gone");
        delete(&workspace, &found(&workspace, &[gone])).unwrap();
        follow_move(&workspace).unwrap();
        let (from, to) = (fixture.path(from), fixture.path(to));
        match from.ends_with("tree") {
            true => {
                let paths = [from.display().to_string(), to.display().to_string()];
                git(&fixture.path("clone"), &["worktree", "move", &paths[0], &paths[1]]);
            }
            false => fs::rename(from, &to).unwrap(),
        }
        let workspace = fixture.open(to.file_name().unwrap().to_str().unwrap());
        follow_move(&workspace).unwrap();
        assert_eq!(drafts(&workspace).len(), 1);
        assert_eq!(deleted(&workspace).len(), 1);
    }
}

#[test]
fn claims_and_submissions_follow_a_moved_directory() {
    let fixture = Fixture::new();
    fixture.repository("clone");
    fixture.file("clone/a.rs", "one\n");
    let workspace = fixture.open("clone");
    draft(&workspace, "Why?");
    submit(&workspace).unwrap();
    let workspace = fixture.open("clone");
    let agent = Actor { name: "Codex".to_owned(), agent: true };
    let lease = Some(Duration::from_secs(1800));
    let claim = NextOptions { lease, token: Some("c1".to_owned()), include_claimed: false };
    next(&workspace, &agent, &Filter::default(), &claim).unwrap();
    fixture.file("clone/a.rs", "two\n");
    follow_move(&workspace).unwrap();
    fs::rename(fixture.path("clone"), fixture.path("moved")).unwrap();
    let workspace = fixture.open("moved");
    follow_move(&workspace).unwrap();
    let since = ChangesQuery { since_submit: true, ..ChangesQuery::default() };
    let found = diff(&workspace, &since, &Filter::default()).unwrap();
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.rs"]);
    let other = NextOptions { token: Some("c2".to_owned()), ..claim };
    let found = next(&workspace, &agent, &Filter::default(), &other).unwrap();
    assert!(found.thread.is_none() && found.claimed == 1, "{found:?}");
    // A submission in the new directory replaces the one that was moved.
    submit(&workspace).unwrap();
    let found = diff(&workspace, &since, &Filter::default()).unwrap();
    assert!(found.files.is_empty());
}

#[test]
fn the_first_round_after_an_open_thread_is_kept() {
    let it = Fixture::new();
    it.file("w/a.rs", "one\n");
    it.repository("w");
    let id = draft(&it.open("w"), "Why?");
    let names = |count: usize| -> Vec<String> {
        let workspace = it.open("w");
        for _ in 0..count {
            submit(&workspace).unwrap();
        }
        let rounds = rounds::all(&workspace, &workspace.repo().unwrap()).unwrap();
        rounds.into_iter().map(|round| round.name).collect()
    };
    let first = names(1).pop().unwrap();
    let open = names(21);
    assert_eq!((open.len(), open.first()), (21, Some(&first)));
    delete(&it.open("w"), &found(&it.open("w"), &[id])).unwrap();
    let deleted = names(1);
    assert_eq!((deleted.len(), deleted.contains(&first)), (20, false));
}
