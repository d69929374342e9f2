use std::sync::Arc;

use axum::extract::{FromRequest, State};
use axum::handler::Handler;
use axum::response::IntoResponse;
use hyper::StatusCode;
use skein_doctor::BackgroundCheck;
use skein_live::LiveWorkspace;
use skein_live::links::{LinkCache, Links};
use skein_search::{Hits, Page, Query, SearchCache, SearchScope, Searcher};
use skein_workspace::{Actor, Clock, Env, Workspace};

use crate::budget::Budget;
use crate::credentials::{Credentials, ServerMode};
use crate::error::WebError;
use crate::event_broadcaster::EventBroadcaster;
use crate::html_cache::HtmlCache;
use crate::stop::ShutdownHandle;
use crate::thread_index::{ThreadIndex, ThreadIndexCache};
use crate::viewer::PageViewer;

/// Finds or starts the server of another workspace, and returns the one-time link to one of its pages.
pub(crate) type OpenWorkspace = dyn Fn(Env, &str) -> Result<String, WebError> + Send + Sync;

/// The state that all requests share.
pub(crate) struct AppState {
    /// The current directory of its environment is the root of the workspace, so paths are relative to that.
    pub(crate) live: Arc<LiveWorkspace>,
    /// The author of everything that is written on a page.
    pub(crate) actor: Actor,
    pub(crate) keys: Credentials,
    pub(crate) read_only: bool,
    /// Returns the address of the chat server.
    chat_server: fn(&Env) -> Option<String>,
    pub(crate) events: EventBroadcaster,
    search_cache: SearchCache,
    links: LinkCache,
    pub(crate) open_workspace: Box<OpenWorkspace>,
    pub(crate) background_check: BackgroundCheck,
    index: ThreadIndexCache,
    pub(crate) html_cache: HtmlCache,
    pub(crate) budget: Budget,
    pub(crate) shutdown: ShutdownHandle,
}

impl AppState {
    pub(crate) fn open(
        env: &Env,
        (keys, read_only): (Credentials, bool),
        chat_server: fn(&Env) -> Option<String>,
        shutdown: ShutdownHandle,
        open_workspace: Box<OpenWorkspace>,
    ) -> Self {
        let open = if read_only { LiveWorkspace::open_read_only } else { LiveWorkspace::open };
        let live = Arc::new(open(env));
        let events = EventBroadcaster::start(Arc::clone(&live), &env.ids.next(), shutdown.clone());
        // Loads the checkpoints before the first request for them.
        let warmed = live.clone();
        std::thread::spawn(move || drop(warmed.timeline()));
        Self {
            actor: Actor::find(&live.workspace(), None),
            live,
            keys,
            read_only,
            chat_server,
            events,
            search_cache: SearchCache::default(),
            links: LinkCache::default(),
            open_workspace,
            background_check: BackgroundCheck::default(),
            index: ThreadIndexCache::default(),
            html_cache: HtmlCache::default(),
            budget: Budget::default(),
            shutdown,
        }
    }

    /// Returns by what other processes recognise this server.
    pub(crate) fn mode(&self) -> ServerMode {
        let is_of_agent = Actor::is_in_agent(&self.live.workspace().env);
        ServerMode { read_only: self.read_only, is_of_agent }
    }

    /// Returns the address of the chat server, if there is one.
    pub(crate) fn chat_server(&self) -> Option<String> {
        (self.chat_server)(&self.live.workspace().env)
    }

    pub(crate) fn clock(&self) -> Clock {
        self.live.workspace().env.clock.clone()
    }

    pub(crate) fn thread_index(&self) -> Arc<ThreadIndex> {
        self.index.for_reader(self.live.threads(), &self.actor.name)
    }

    /// Searches threads and drafts, as the command line does.
    pub(crate) fn search(&self, query: &Query, page: Page, scope: SearchScope) -> Hits {
        let workspace = Workspace::clone(&self.live.workspace());
        let searcher = Searcher::new(workspace, scope, false);
        let searcher = searcher.with_drafts(false);
        searcher.query_cached(query, page, &self.search_cache, &|dir| self.live.dir_version(dir))
    }

    /// Returns whether a thread of this workspace has a status or a type that the formats do not define.
    pub(crate) fn occurs(&self, key: &str, value: &str) -> bool {
        self.live.occurs(key, value)
    }

    /// Reads new changes to review threads, without waiting for the watcher.
    pub(crate) fn reviews_changed(&self) {
        self.live.refresh_reviews();
        self.background_check.wrote();
    }

    /// Reads new changes to checkpoints or sessions, without waiting for the watcher.
    pub(crate) fn checkpoints_changed(&self) {
        self.live.refresh_checkpoints();
        self.background_check.wrote();
    }

    pub(crate) fn links(&self) -> Arc<Links> {
        let live = &self.live;
        self.links.connect(live.threads(), live.timeline(), &live.workspace())
    }

    pub(crate) fn viewer(&self) -> PageViewer<'_> {
        let clock = self.clock().local();
        PageViewer { actor: &self.actor, read_only: self.read_only, clock }
    }

    /// Refuses every request after the directory was removed, because the state in memory is out of date.
    fn check_root(&self) -> Result<(), WebError> {
        let root = &self.live.workspace().reviews.root;
        if root.is_dir() {
            return Ok(());
        }
        let message = format!("the workspace was removed: {}", root.display());
        Err(WebError::new(StatusCode::GONE, message)
            .hint("`skein review restore` in another checkout of the repository lists the threads that it left"))
    }

    /// Runs blocking work outside of the threads that answer requests.
    async fn run<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, WebError> + Send + 'static,
    ) -> Result<T, WebError> {
        let done =
            tokio::task::spawn_blocking(move || self.check_root().and_then(|()| work(&self)));
        done.await.unwrap_or_else(|_| Err(WebError::broken()))
    }
}

/// Turns a function that may block into a handler.
pub(crate) fn blocking<In, Out, M>(
    answer: fn(&AppState, In) -> Result<Out, WebError>,
) -> impl Handler<(M, State<Arc<AppState>>, In), Arc<AppState>>
where
    In: FromRequest<Arc<AppState>, M> + Send + 'static,
    Out: IntoResponse + Send + 'static,
    M: 'static,
{
    move |State(app): State<Arc<AppState>>, input: In| app.run(move |app| answer(app, input))
}
