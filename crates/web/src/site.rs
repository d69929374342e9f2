use std::sync::Arc;

use hyper::StatusCode;
use skein_doctor::BackgroundCheck;
use skein_live::LiveWorkspace;
use skein_live::links::{LinkCache, Links};
use skein_search::{Hits, Page, Query, SearchScope, Searcher, TextCache};
use skein_workspace::{Actor, Env, Workspace};

use crate::auth::Credentials;
use crate::budget::Budget;
use crate::error::WebError;
use crate::live::EventBroadcaster;
use crate::page::{DiffVersions, HtmlCache, ThreadIndex, ThreadIndexCache, Viewer};
use crate::server::WorkspaceServers;
use crate::stop::ShutdownHandle;

/// What every request is answered from.
pub(crate) struct AppState {
    /// The machine; its directory is the root of the workspace, so that paths count from there.
    pub(crate) env: Arc<Env>,
    /// What lies open before the reviewer.
    pub(crate) desk: Arc<LiveWorkspace>,
    /// Who signs what is written on the page.
    pub(crate) actor: Actor,
    /// What lets a request in.
    pub(crate) keys: Credentials,
    /// What a page shows to prove that it is one of ours; it stands in a `meta` element.
    pub(crate) page_token: String,
    /// Whether every write is refused.
    pub(crate) read_only: bool,
    /// Tells browsers what changed.
    pub(crate) live: EventBroadcaster,
    /// The texts of threads, for searches.
    texts: TextCache,
    /// What belongs together.
    links: LinkCache,
    /// Servers of other workspaces.
    pub(crate) neighbours: WorkspaceServers,
    /// What the doctor saw.
    pub(crate) rounds: BackgroundCheck,
    /// The threads as pages show them.
    boards: ThreadIndexCache,
    /// What tells changes of files apart.
    pub(crate) marks: DiffVersions,
    /// What was drawn before.
    pub(crate) drawn: HtmlCache,
    /// How much memory large answers may take.
    pub(crate) budget: Budget,
    /// Tells when the server ends.
    pub(crate) stopper: ShutdownHandle,
}

impl AppState {
    /// Opens the live workspace, and finds out who signs.
    pub(crate) fn open(
        env: Arc<Env>,
        keys: Credentials,
        read_only: bool,
        stopper: ShutdownHandle,
    ) -> Self {
        let open = if read_only { LiveWorkspace::open_read_only } else { LiveWorkspace::open };
        let desk = Arc::new(open(Arc::clone(&env)));
        let live = EventBroadcaster::start(Arc::clone(&desk), &env.ids.next(), stopper.clone());
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
            links: LinkCache::default(),
            neighbours: WorkspaceServers::default(),
            rounds: BackgroundCheck::default(),
            boards: ThreadIndexCache::default(),
            marks: DiffVersions::default(),
            drawn: HtmlCache::default(),
            budget: Budget::default(),
            stopper,
        }
    }

    /// Returns the threads as pages show them.
    pub(crate) fn board(&self) -> Arc<ThreadIndex> {
        self.boards.for_reader(self.desk.threads(), &self.actor.name)
    }

    /// Searches threads and drafts, as the command line does.
    pub(crate) fn search(&self, query: &Query, page: Page, reach: SearchScope) -> Hits {
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
        self.desk.refresh_reviews();
        self.rounds.wrote();
    }

    /// Takes in what was just written to checkpoints or sessions, without waiting until it is noticed.
    pub(crate) fn wrote_work(&self) {
        self.desk.refresh_checkpoints();
        self.rounds.wrote();
    }

    /// Returns what belongs together.
    pub(crate) fn links(&self) -> Arc<Links> {
        let desk = &self.desk;
        self.links.connect(desk.threads(), desk.timeline(), &desk.workspace(), &self.env)
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
