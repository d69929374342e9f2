//! Replies that are sent again.

use skein_catalog::{ThreadRef, find_review_by_id};
use skein_format::review::Status;
use skein_review::{ReplyOptions, is_repeated, reply, set_status};
use skein_workspace::{Actor, Workspace};

use skein_fixtures::{Fixture, Review};

fn codex() -> Actor {
    Actor { name: "Codex".to_owned(), agent: true }
}

fn with_reply(options: ReplyOptions) -> (Fixture, Workspace, ThreadRef) {
    let fixture = Fixture::new();
    fixture.review("w", "one", &Review::default());
    let workspace = fixture.open("w");
    let thread = find_review_by_id(&workspace, "one").unwrap();
    let is_repeated = is_repeated(&workspace.env, &codex(), &thread, "Done.", None).unwrap();
    assert!(!is_repeated);
    reply(&workspace, &codex(), &thread, "Done.", options).unwrap();
    (fixture, workspace, thread)
}

#[test]
fn the_same_reply_of_the_same_author_is_repeated() {
    let (_fixture, workspace, thread) = with_reply(ReplyOptions::default());
    let check = |actor: &Actor, body: &str, status| {
        is_repeated(&workspace.env, actor, &thread, body, status).unwrap()
    };
    assert!(check(&codex(), "Done.\n", None));
    assert!(!check(&codex(), "Done!", None));
    assert!(!check(&codex(), "Done.", Some(Status::Resolved)));
    let mira = Actor { name: "Mira".to_owned(), agent: false };
    assert!(!check(&mira, "Done.", None));
    reply(&workspace, &mira, &thread, "Thanks.", ReplyOptions::default()).unwrap();
    assert!(!check(&codex(), "Done.", None));
}

#[test]
fn a_proposal_and_a_change_of_the_status_are_repeated_as_well() {
    let resolve = ReplyOptions { resolve: true, ..ReplyOptions::default() };
    let (_fixture, workspace, thread) = with_reply(resolve);
    let check = |status| is_repeated(&workspace.env, &codex(), &thread, "Done.", status).unwrap();
    assert!(check(Some(Status::Resolved)));
    assert!(!check(None));
    set_status(&workspace, &codex(), &thread, Some("Done."), Status::Open).unwrap();
    assert!(check(Some(Status::Open)));
    assert!(!check(Some(Status::Resolved)));
}
