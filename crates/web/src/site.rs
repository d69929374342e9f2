use std::sync::Arc;

use hyper::StatusCode;
use skein_doctor::Rounds;
use skein_live::Desk;
use skein_live::links::{LastLinks, Links};
use skein_search::{Hits, Page, Query, Reach, Searcher, TextCache};
use skein_workspace::{Actor, Env, Workspace};

use crate::budget::Budget;
use crate::error::WebError;
use crate::guard::Keys;
use crate::live::Live;
use crate::page::{Board, Drawn, LastBoard, Marks, Viewer};
use crate::server::Neighbours;
use crate::stop::Stopper;

/// What every request is answered from.
pub(crate) struct Site {
    /// The machine; its directory is the root of the workspace, so that paths count from there.
    pub(crate) env: Arc<Env>,
    /// What lies open before the reviewer.
    pub(crate) desk: Arc<Desk>,
    /// Who signs what is written on the page.
    pub(crate) actor: Actor,
    /// What lets a request in.
    pub(crate) keys: Keys,
    /// What a page shows to prove that it is one of ours; it stands in a `meta` element.
    pub(crate) page_token: String,
    /// Whether every write is refused.
    pub(crate) read_only: bool,
    /// Tells browsers what changed.
    pub(crate) live: Live,
    /// The texts of threads, for searches.
    texts: TextCache,
    /// What belongs together.
    links: LastLinks,
    /// Servers of other workspaces.
    pub(crate) neighbours: Neighbours,
    /// What the doctor saw.
    pub(crate) rounds: Rounds,
    /// The threads as pages show them.
    boards: LastBoard,
    /// What tells changes of files apart.
    pub(crate) marks: Marks,
    /// What was drawn before.
    pub(crate) drawn: Drawn,
    /// How much memory large answers may take.
    pub(crate) budget: Budget,
    /// Tells when the server ends.
    pub(crate) stopper: Stopper,
}

impl Site {
    /// Opens the desk, and finds out who signs.
    pub(crate) fn open(env: Arc<Env>, keys: Keys, read_only: bool, stopper: Stopper) -> Self {
        let open = if read_only { Desk::open_read_only } else { Desk::open };
        let desk = Arc::new(open(Arc::clone(&env)));
        let live = Live::start(Arc::clone(&desk), &env.ids.next(), stopper.clone());
        // Whoever asks for them first need not wait.
        let warmed = desk.clone();
        std::thread::spawn(move || drop(warmed.timeline()));
        let actor = Actor::find(&desk.workspace(), &env, None);
        Self {
            env,
            desk,
            actor,
            page_token: keys.page.clone(),
            keys,
            read_only,
            live,
            texts: TextCache::default(),
            links: LastLinks::default(),
            neighbours: Neighbours::default(),
            rounds: Rounds::default(),
            boards: LastBoard::default(),
            marks: Marks::default(),
            drawn: Drawn::default(),
            budget: Budget::default(),
            stopper,
        }
    }

    /// Returns the threads as pages show them.
    pub(crate) fn board(&self) -> Arc<Board> {
        self.boards.of(self.desk.threads(), &self.actor.name)
    }

    /// Searches threads and drafts, as the command line does.
    pub(crate) fn search(&self, query: &Query, page: Page, reach: Reach) -> Hits {
        let workspace = Workspace::clone(&self.desk.workspace());
        let searcher = Searcher::new(workspace, reach, &self.env, false);
        let searcher = searcher.with_drafts(&self.env, false);
        searcher.query_cached(query, page, &self.env, &self.texts)
    }

    /// Returns whether a thread here has a status or a type that the formats do not name.
    pub(crate) fn occurs(&self, key: &str, value: &str) -> bool {
        skein_catalog::occurs(&self.desk.workspace(), &self.env, key, value)
    }

    /// Takes in what was just written, without waiting until it is noticed.
    pub(crate) fn wrote(&self) {
        self.desk.wrote();
        self.rounds.wrote();
    }

    /// Takes in what was just written to checkpoints or sessions, without waiting until it is noticed.
    pub(crate) fn wrote_work(&self) {
        self.desk.wrote_work();
        self.rounds.wrote();
    }

    /// Returns what belongs together.
    pub(crate) fn links(&self) -> Arc<Links> {
        let desk = &self.desk;
        self.links.of(desk.threads(), desk.timeline(), &desk.workspace(), &self.env)
    }

    /// Returns who looks at the pages.
    pub(crate) fn viewer(&self) -> Viewer<'_> {
        let clock = self.env.clock.local();
        Viewer { actor: &self.actor, read_only: self.read_only, clock }
    }

    /// Refuses to show or write anything where the directory was removed: what is in memory is not so any more.
    fn is_there(&self) -> Result<(), WebError> {
        let root = &self.desk.workspace().reviews.root;
        if root.is_dir() {
            return Ok(());
        }
        let message = format!("the workspace is not there any more: {}", root.display());
        Err(WebError::new(StatusCode::GONE, message)
            .hint("`skein review restore` in another checkout of the repository lists the threads that it left"))
    }

    /// Runs work that may block, away from the threads that answer requests.
    pub(crate) async fn run<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, WebError> + Send + 'static,
    ) -> Result<T, WebError> {
        let done =
            tokio::task::spawn_blocking(move || self.is_there().and_then(|()| work(&self))).await;
        done.unwrap_or_else(|_| Err(WebError::broken()))
    }
}
