//! Handing threads to a session, once.

use std::path::{Path, PathBuf};

use skein_delivery::{Deliverer, DeliveryState, Obstacle, StartedDelivery, deliveries, plan};
use skein_fixtures::git;
use skein_review::ReplyOptions;
use skein_workspace::{Actor, Workspace};

use crate::plan::{allow, worked};
use crate::setup::{Session, thread, worktree};

fn reply(workspace: &Workspace, name: &str, is_agent: bool) {
    let thread = skein_review::find(workspace, "t").unwrap();
    let actor = Actor { name: name.to_owned(), agent: is_agent };
    let options = ReplyOptions { resolve: false, keep_resolved: false };
    skein_review::reply(workspace, &actor, &thread, "Done.", options).unwrap();
}

/// Begins the only delivery of a workspace.
fn begin(workspace: &Workspace) -> (Deliverer, StartedDelivery) {
    allow(workspace);
    let deliverer = Deliverer::new(workspace).unwrap().unwrap();
    let planned = plan(workspace, false).deliveries.remove(0);
    let started = deliverer.begin(workspace, &planned).unwrap().unwrap();
    (deliverer, started)
}

fn states(workspace: &Workspace) -> Vec<DeliveryState> {
    deliveries(workspace).into_iter().map(|delivery| delivery.state).collect()
}

#[test]
fn a_delivery_claims_its_threads_and_releases_those_without_an_answer() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    allow(&workspace);
    let deliverer = Deliverer::new(&workspace).unwrap().unwrap();
    assert!(Deliverer::new(&workspace).unwrap().is_none(), "only one process delivers");
    let planned = plan(&workspace, false).deliveries.remove(0);
    let started = deliverer.begin(&workspace, &planned).unwrap().unwrap();
    assert_eq!(states(&workspace), [DeliveryState::Started]);
    assert!(
        started.prompt.as_str().contains("Why?")
            && started.prompt.as_str().contains("skein review reply ID")
    );
    let during = plan(&workspace, true);
    assert_eq!((during.deliveries.len(), during.claimed), (0, 1));
    assert!(deliverer.begin(&workspace, &planned).unwrap().is_none(), "the threads are claimed");
    assert_eq!(deliverer.end(&workspace, &started, None).unwrap(), 0);
    assert_eq!(states(&workspace), [DeliveryState::Done]);
    // It is not delivered again by itself.
    let after = plan(&workspace, false);
    assert_eq!(after.deliveries[0].action, Err(Obstacle::Unanswered));
    assert!(plan(&workspace, true).deliveries[0].action.is_ok());
    // A new comment of the reviewer is new, when it is submitted.
    reply(&workspace, "Mira", false);
    assert_eq!(plan(&workspace, false).deliveries.len(), 0);
    skein_delivery::submit(&workspace).unwrap();
    assert!(plan(&workspace, false).deliveries[0].action.is_ok());
}

#[test]
fn an_answer_counts_and_ends_the_delivery() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    reply(&workspace, "Claude Code", true);
    assert_eq!(deliverer.end(&workspace, &started, None).unwrap(), 1);
    assert_eq!(plan(&workspace, false).deliveries.len(), 0);
}

#[test]
fn an_interrupted_delivery_is_released_when_its_agent_is_gone_and_is_not_repeated_by_itself() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    deliverer.started(&workspace, &started, std::process::id()).unwrap();
    // The process is killed, and its agent still works.
    drop((deliverer, started));
    let recover = || {
        let next = Deliverer::new(&workspace).unwrap().unwrap();
        next.recover(&workspace, &|_| false).unwrap();
    };
    recover();
    assert_eq!(states(&workspace), [DeliveryState::Started]);
    assert_eq!(plan(&workspace, true).claimed, 1);
    let known = fixture.path("home/state");
    let file = find_file(&known, "deliveries.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let own = format!("\"process\":{}", std::process::id());
    let name = file.strip_prefix(fixture.path("")).unwrap().to_str().unwrap();
    fixture.file(name, text.replace(&own, "\"process\":4000000"));
    recover();
    assert_eq!(states(&workspace), [DeliveryState::Interrupted]);
    assert_eq!(plan(&workspace, false).deliveries[0].action, Err(Obstacle::Interrupted));
    assert!(plan(&workspace, true).deliveries[0].action.is_ok());
}

fn find_file(dir: &Path, name: &str) -> PathBuf {
    let dirs = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path().join(name));
    dirs.into_iter().find(|path| path.exists()).unwrap()
}

#[test]
fn a_delivery_that_failed_says_why() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    deliverer.end(&workspace, &started, Some("exit status: 1")).unwrap();
    let expected = Err(Obstacle::Failed("exit status: 1".to_owned()));
    assert_eq!(plan(&workspace, false).deliveries[0].action, expected);
}

#[test]
fn the_prompt_names_the_directory_of_the_threads_if_the_session_works_elsewhere() {
    let fixture = worked();
    worktree(&fixture, "wt-a");
    Session::work(&fixture, "s2", "wt-a", "b.txt", "x\n");
    git(&fixture.path("repo"), &["merge", "--quiet", "wt-a"]);
    thread(&fixture, "repo", "u", "b.txt", (0, 0));
    let workspace = fixture.open("repo");
    skein_delivery::submit(&workspace).unwrap();
    allow(&workspace);
    let planned = plan(&workspace, false).deliveries;
    let planned = planned.into_iter().find(|one| one.origin.session == "s2").unwrap();
    let deliverer = Deliverer::new(&workspace).unwrap().unwrap();
    let prompt = deliverer.begin(&workspace, &planned).unwrap().unwrap().prompt;
    let root = workspace.reviews.root.display();
    assert!(
        prompt.as_str().contains(&format!("-m \"what you did, or why not\" -C {root}\n")),
        "{prompt}"
    );
}

#[test]
fn a_thread_file_has_no_word_of_its_delivery() {
    let fixture = worked();
    let before = fixture.read("repo/.code-review/threads/t.md");
    let workspace = fixture.open("repo");
    skein_delivery::submit(&workspace).unwrap();
    let (deliverer, started) = begin(&workspace);
    deliverer.end(&workspace, &started, None).unwrap();
    assert_eq!(fixture.read("repo/.code-review/threads/t.md"), before);
}

/// Returns the ends of the claims in minutes from now.
fn claims(workspace: &Workspace) -> Vec<i64> {
    let now = workspace.env.clock.now().as_millis();
    let claims = skein_catalog::leases::Claims::read(workspace);
    let rows = skein_catalog::list(
        workspace,
        &skein_model::Filter::default(),
        skein_catalog::WorktreeScope::ThisWorktree,
    );
    let leases = rows.threads.iter().filter_map(|row| claims.lease(row));
    leases.map(|lease| (skein_fixtures::at(&lease.until).as_millis() - now) / 60_000).collect()
}

#[test]
fn a_delivery_of_which_nothing_was_sent_is_forgotten() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    assert_eq!(claims(&workspace), [15]);
    deliverer.cancel(&workspace, &started).unwrap();
    assert_eq!((claims(&workspace).len(), states(&workspace).len()), (0, 0));
    assert!(plan(&workspace, false).deliveries[0].action.is_ok());
}

#[test]
fn an_agent_of_which_nothing_is_known_keeps_its_threads() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    assert_eq!(deliverer.lose(&workspace, &started, "lost").unwrap(), 0);
    assert_eq!(claims(&workspace), [120]);
    assert_eq!(states(&workspace), [DeliveryState::Failed]);
    deliverer.renew(&workspace, &started).unwrap();
    assert_eq!(claims(&workspace), [15]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_in_a_server_works_until_its_hooks_say_otherwise() {
    let fixture = worked();
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    let session = Session::begin(&fixture, "s1", "repo");
    let process = std::process::id();
    session.call("session-start", serde_json::json!({ "pid": process }), 10);
    session.call("user-prompt-submit", serde_json::json!({ "prompt": "go on" }), 11);
    deliverer.started(&workspace, &started, process).unwrap();
    deliverer.recover(&workspace, &|_| false).unwrap();
    assert_eq!((states(&workspace), claims(&workspace).len()), (vec![DeliveryState::Started], 1));
    session.call("stop", serde_json::json!({}), 12);
    deliverer.recover(&workspace, &|_| false).unwrap();
    assert_eq!(
        (states(&workspace), claims(&workspace).len()),
        (vec![DeliveryState::Interrupted], 0)
    );
}

#[test]
fn a_state_that_is_lost_or_restored_from_a_backup_starts_no_agent() {
    let fixture = worked();
    let state = fixture.path("home/state");
    let backup = fixture.path("backup");
    copy_dir(&state, &backup);
    let workspace = fixture.open("repo");
    let (deliverer, started) = begin(&workspace);
    reply(&workspace, "Claude Code", true);
    deliverer.end(&workspace, &started, None).unwrap();
    drop(deliverer);
    reply(&workspace, "Mira", false);
    skein_delivery::submit(&workspace).unwrap();
    assert!(plan(&workspace, false).deliveries[0].action.is_ok());

    std::fs::remove_dir_all(&state).unwrap();
    assert_eq!(plan(&fixture.open("repo"), true).deliveries.len(), 0);
    copy_dir(&backup, &state);
    let restored = fixture.open("repo");
    assert_eq!(plan(&restored, true).deliveries.len(), 0);
    // The reply that is not in the backup needs another word of the reviewer.
    skein_delivery::submit(&restored).unwrap();
    assert_eq!(plan(&restored, true).deliveries.len(), 0);
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
