//! Suggests files by a part of their path.

use askama::Template;

use super::PageResult;
use crate::app_state::AppState;
use crate::encode::encode;
use crate::error::WebError;
use crate::escape::shown_name;
use crate::request::ParamsRequest;

const MAX_SUGGESTIONS: usize = 12;

#[derive(Template)]
#[template(path = "paths.html")]
struct PathList {
    /// Addresses, and paths as they are shown.
    files: Vec<(String, String)>,
}

/// Suggests files whose paths contain all words of the query.
pub(super) fn fragment(app: &AppState, (params,): ParamsRequest) -> PageResult {
    super::render(&PathList { files: links(app, params.get("q").unwrap_or_default()) })
}

/// Adds suggestions to the error for a missing file.
pub(super) fn suggest(error: WebError, app: &AppState, path: &str) -> WebError {
    error.links(links(app, path))
}

fn links(app: &AppState, query: &str) -> Vec<(String, String)> {
    let near = near(app.live.paths(), query).into_iter();
    near.map(|path| (format!("/file/{}", encode(&path)), shown_name(&path))).collect()
}

/// Returns the paths that contain all words of a query, the best match first.
fn near(mut paths: Vec<String>, query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    paths.retain(|path| {
        let path = path.to_lowercase();
        words.iter().all(|word| path.contains(word))
    });
    let rank = |path: &String| {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or_default();
        let is_exact = lower == query;
        let starts = words.first().is_some_and(|word| name.starts_with(word));
        let named = words.iter().all(|word| name.contains(word));
        (!is_exact, !starts, !named, path.len(), path.clone())
    };
    paths.sort_by_cached_key(rank);
    paths.truncate(MAX_SUGGESTIONS);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_match_comes_first() {
        let paths = ["docs/README.md", "README.md", "src/reader.rs", "src/main.rs"];
        let check = |query: &str, expected: &[&str]| {
            assert_eq!(near(paths.map(str::to_owned).to_vec(), query), expected, "{query}");
        };
        check("READ", &["README.md", "src/reader.rs", "docs/README.md"]);
        check("src read", &["src/reader.rs"]);
        check("none", &[]);
        check("  ", &[]);
    }
}
