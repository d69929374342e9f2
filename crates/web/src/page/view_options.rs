//! How a page is displayed, from cookies and headers.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use hyper::header::COOKIE;
use hyper::http::request::Parts;

use crate::app_state::AppState;
use crate::code::CodeLayout;

/// The header of a request of an open page that fetches changes.
const LIVE: &str = "x-skein-live";

#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewOptions {
    pub(crate) theme: Option<&'static str>,
    pub(crate) layout: CodeLayout,
    /// Whether the page is already open and only fetches changes: code is left out.
    pub(crate) live: bool,
    /// The number of the last event before the workspace was read.
    pub(crate) event: u64,
}

impl FromRequestParts<Arc<AppState>> for ViewOptions {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<AppState>,
    ) -> Result<Self, Infallible> {
        let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies: Vec<(&str, &str)> = cookies
            .flat_map(|all| all.split(';'))
            .filter_map(|one| one.trim().split_once('='))
            .collect();
        let is = |name: &str, value: &str| cookies.contains(&(name, value));
        let theme = ["light", "dark"].into_iter().find(|theme| is("skein-theme", theme));
        let split = is("skein-layout", "split");
        let layout = if split { CodeLayout::Split } else { CodeLayout::Unified };
        let live = parts.headers.contains_key(LIVE);
        Ok(Self { theme, layout, live, event: app.live.last_event_number() })
    }
}
