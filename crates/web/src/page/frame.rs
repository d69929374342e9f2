//! What stands around every page.

use super::visit::ViewOptions;
use super::which::Which;
use crate::assets;
use crate::site::AppState;

/// What stands around every page.
pub(crate) struct PageFrame {
    pub(crate) title: String,
    pub(crate) at: &'static str,
    pub(crate) name: String,
    pub(crate) root: String,
    pub(crate) branch: Option<String>,
    pub(crate) page_token: String,
    /// With which the page goes on after the server was started again.
    pub(crate) resume_key: String,
    /// The moment that the page shows, from which news are wanted.
    pub(crate) moment: String,
    pub(crate) assets: &'static str,
    pub(crate) theme: Option<&'static str>,
    pub(crate) read_only: bool,
    pub(crate) drafts: usize,
    pub(crate) waiting: usize,
    pub(crate) waiting_agent: usize,
    /// The folder that the first comment creates, where there is no store yet.
    pub(crate) new_store: Option<String>,
}

impl PageFrame {
    /// Gathers it; `at` names the page among those of the heading.
    pub(crate) fn new(site: &AppState, visit: &ViewOptions, at: &'static str, title: &str) -> Self {
        let workspace = site.desk.workspace();
        let board = site.board();
        let root = &workspace.reviews.root;
        let name = root.file_name().unwrap_or(root.as_os_str());
        Self {
            title: title.to_owned(),
            at,
            name: name.to_string_lossy().into_owned(),
            root: root.display().to_string(),
            branch: workspace.git.as_ref().map(|git| git.head().label()),
            page_token: site.page_token.clone(),
            resume_key: site.keys.resume_key(site.env.clock.now()),
            moment: site.live.moment(visit.moment),
            assets: assets::version(),
            theme: visit.theme,
            read_only: site.read_only,
            drafts: Which::Drafts.count(&board),
            waiting: Which::Reviewer.count(&board),
            waiting_agent: Which::Agent.count(&board),
            new_store: (!workspace.reviews.exists)
                .then(|| format!("{}/", workspace.reviews.store_path)),
        }
    }
}
