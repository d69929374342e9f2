//! A thread names the branch that its code is on, while another one is checked out.

use skein_live::LiveWorkspace;
use skein_model::view::RowDetail;

use super::{comment, open, until};
use skein_fixtures::{Fixture, git};

/// Formats the state of the code of a thread, and the branch that the thread was started on.
fn shown(live: &LiveWorkspace, id: &str) -> String {
    let threads = live.threads();
    let RowDetail::Review(detail) = &threads.get(id).unwrap().row.detail else {
        panic!("no review")
    };
    let started_on = detail.started_on.as_deref().unwrap_or("unknown");
    let other = detail.other_branch().map_or("", |_| ", which has the code");
    format!(
        "{}, started on {started_on}{other}",
        detail.state.map_or("nowhere", |state| state.as_str())
    )
}

/// Returns a repository with a commit on `main` and one on `feature`, which is checked out.
fn workspace() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "fn one() {}\n");
    fixture.repository("w");
    git(&fixture.path("w"), &["branch", "-M", "main"]);
    git(&fixture.path("w"), &["switch", "-qc", "feature"]);
    fixture.file("w/b.rs", "fn only_here() {}\n");
    fixture.commit("w", "feature");
    fixture
}

const ON_FEATURE: &str = "gone, started on feature, which has the code";

#[test]
fn the_branch_of_a_thread_is_named_while_its_code_is_not_checked_out() {
    let fixture = workspace();
    let dir = fixture.path("w");
    let id = comment(&fixture, "b.rs:1", "why", false);
    git(&dir, &["switch", "-q", "main"]);
    let live = open(&fixture);
    assert_eq!(shown(&live, &id), ON_FEATURE);
    let reported = |before: u64, expected: &str| {
        let is_expected = |_: &skein_live::ChangeEvent| shown(&live, &id) == expected;
        until(&live, before, |event| event.threads == [id.as_str()] && is_expected(event)).number
    };
    let mut before = live.listen();
    git(&dir, &["switch", "-q", "feature"]);
    before = reported(before, "exact, started on feature");
    git(&dir, &["switch", "-q", "main"]);
    before = reported(before, ON_FEATURE);
    git(&dir, &["branch", "-q", "-D", "feature"]);
    reported(before, "gone, started on feature");
}

#[test]
fn a_thread_that_is_started_later_names_its_branch() {
    let fixture = workspace();
    let live = open(&fixture);
    let before = live.listen();
    let [thread, draft] = [false, true].map(|draft| {
        let body = if draft { "later" } else { "why" };
        comment(&fixture, "b.rs:1", body, draft)
    });
    git(&fixture.path("w"), &["switch", "-q", "main"]);
    until(&live, before, |_| {
        let threads = live.threads();
        [&thread, &draft]
            .iter()
            .all(|id| threads.get(id).is_some() && shown(&live, id) == ON_FEATURE)
    });
}
