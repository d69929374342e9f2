//! How a page is looked at: what cookies, headers and address say.

use std::ops::Range;

use axum::http::header::COOKIE;
use axum::http::request::Parts;

use crate::code::Layout;
use crate::request::QueryParams;
use crate::site::AppState;

/// The header of a request for what changed on a page that is open.
const LIVE: &str = "x-skein-live";

/// How and when a page is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewOptions {
    pub(crate) theme: Option<&'static str>,
    pub(crate) layout: Layout,
    /// Whether the page is open already and only wants to know what changed: code that it has is left out.
    pub(crate) live: bool,
    /// The last event before anything was read.
    pub(crate) moment: u64,
}

impl ViewOptions {
    /// Reads the cookies that the page itself sets, and what its script says.
    pub(crate) fn from_request(site: &AppState, parts: &Parts) -> Self {
        let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs: Vec<(&str, &str)> = cookies
            .flat_map(|all| all.split(';'))
            .filter_map(|one| one.trim().split_once('='))
            .collect();
        let is = |name: &str, value: &str| pairs.contains(&(name, value));
        let theme = ["light", "dark"].into_iter().find(|theme| is("skein-theme", theme));
        let layout = if is("skein-layout", "split") { Layout::Split } else { Layout::Unified };
        let live = parts.headers.contains_key(LIVE);
        Self { theme, layout, live, moment: site.desk.last_event_number() }
    }
}

/// Returns the lines to unfold, `12-40` counted from 1, as ranges counted from 0.
pub(crate) fn open(pairs: &QueryParams) -> Vec<Range<u32>> {
    let range = |text: &str| {
        let (from, to) = text.split_once('-')?;
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        Some(from.checked_sub(1)?..to)
    };
    pairs.all("open").take(1_000).filter_map(range).collect()
}
