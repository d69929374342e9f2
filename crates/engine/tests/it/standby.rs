//! Searches that follow each other, while files change.

use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_engine::search::{Page, Query, Reach, Searcher, Standby, build};
use skein_engine::{Env, Workspace, workspaces};

use crate::fixture::{Fixture, NOW, Review, at};

const PAGE: Page = Page { offset: 0, limit: 10, width: 60 };

struct Scene {
    fixture: Fixture,
    workspace: Arc<Workspace>,
    env: Env,
    standby: Standby,
}

impl Scene {
    fn new() -> Self {
        let fixture = Fixture::new();
        fixture.repository("repo");
        fixture.review(
            "repo",
            "one",
            &Review { says: &[("Ann", "A lantern.")], ..Review::default() },
        );
        let (workspace, env) = fixture.open("repo");
        Self { fixture, workspace: Arc::new(workspace), env, standby: Standby::default() }
    }

    fn ids(&self, query: &str, reach: Reach) -> String {
        let query = Query::parse(query, at(NOW)).unwrap();
        let hits = self.standby.query(&query, PAGE, (&self.workspace, reach), &self.env);
        let mut ids: Vec<&str> = hits.hits.iter().map(|hit| hit.row.id.as_str()).collect();
        ids.sort_unstable();
        ids.join(" ")
    }

    /// Waits until a query finds this.
    #[track_caller]
    fn until(&self, query: &str, expected: &str) {
        let start = Instant::now();
        while self.ids(query, Reach::Here) != expected {
            assert!(start.elapsed() < Duration::from_secs(4), "{}", self.ids(query, Reach::Here));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn what_changes_is_found_and_what_goes_is_not() {
    let scene = Scene::new();
    let searcher = Searcher::new(vec![scene.workspace.as_ref().clone()], &scene.env, false);
    // Writes so long ago that the index keeps their times.
    std::thread::sleep(Duration::from_millis(2100));
    assert!(build(&searcher, 0, &()).iter().all(Result::is_ok));
    assert_eq!(scene.ids("lantern", Reach::Here), "one");
    let two = scene.fixture.review(
        "repo",
        "two",
        &Review { says: &[("Ann", "A lantern too.")], ..Review::default() },
    );
    scene.until("lantern", "one two");
    scene.fixture.review(
        "repo",
        "one",
        &Review { says: &[("Ann", "A torch.")], ..Review::default() },
    );
    scene.until("lantern", "two");
    std::fs::remove_file(two).unwrap();
    scene.until("lantern", "");
}

#[test]
fn a_store_that_comes_later_is_searched_too() {
    let mut scene = Scene::new();
    assert_eq!(scene.ids("torch", Reach::Here), "");
    scene.fixture.checkpoint("repo", "T-20260123-140000-x", "\"title\": \"A torch\"");
    scene.workspace = Arc::new(scene.fixture.open("repo").0);
    assert_eq!(scene.ids("torch", Reach::Here), "T-20260123-140000-x");
}

#[test]
fn everywhere_is_where_commands_were_used() {
    let scene = Scene::new();
    scene.fixture.repository("other");
    scene.fixture.review(
        "other",
        "far",
        &Review { says: &[("Ann", "A lantern far away.")], ..Review::default() },
    );
    let (other, env) = scene.fixture.open("other");
    assert_eq!(scene.ids("lantern", Reach::Everywhere), "one");
    workspaces::remember(&env, &other);
    std::thread::sleep(Duration::from_millis(550));
    assert_eq!(scene.ids("lantern", Reach::Everywhere), "far one");
    assert_eq!(scene.ids("lantern", Reach::Here), "one");
}
