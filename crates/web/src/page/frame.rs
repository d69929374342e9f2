//! The parts that all pages have in common.

use super::view_options::ViewOptions;
use crate::app_state::AppState;
use crate::assets;
use crate::escape::shown_name;
use crate::thread_index::ThreadFilter;

pub(crate) struct PageFrame {
    pub(crate) title: String,
    /// The entry of the navigation that is current.
    pub(crate) at: &'static str,
    pub(crate) name: String,
    pub(crate) root: String,
    pub(crate) branch: Option<String>,
    /// The id of the last event that the page includes.
    pub(crate) event: String,
    pub(crate) assets: &'static str,
    pub(crate) theme: Option<&'static str>,
    pub(crate) read_only: bool,
    pub(crate) drafts: usize,
    pub(crate) waiting: usize,
    pub(crate) waiting_agent: usize,
    /// The directory that the first comment creates, if there is no store yet.
    pub(crate) new_store: Option<String>,
}

impl PageFrame {
    pub(crate) fn new(app: &AppState, view: &ViewOptions, at: &'static str, title: &str) -> Self {
        let workspace = app.live.workspace();
        let index = app.thread_index();
        let reviews = &workspace.reviews;
        let name = reviews.root.file_name().unwrap_or(reviews.root.as_os_str());
        Self {
            title: title.to_owned(),
            at,
            name: shown_name(&name.to_string_lossy()),
            root: reviews.root.display().to_string(),
            branch: workspace.git.as_ref().map(|git| shown_name(&git.head().label())),
            event: app.events.event_id(view.event),
            assets: assets::version(),
            theme: view.theme,
            read_only: app.read_only,
            drafts: index.count(ThreadFilter::Drafts),
            waiting: index.count(ThreadFilter::WaitingOnReader),
            waiting_agent: index.count(ThreadFilter::WaitingOnAgent),
            new_store: (!reviews.exists).then(|| format!("{}/", reviews.store_path)),
        }
    }
}
