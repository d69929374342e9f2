//! Files to open, by a part of their paths.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use crate::encode::encode;
use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;

/// How many files are offered.
const MAX_SUGGESTIONS: usize = 12;

#[derive(Template)]
#[template(path = "paths.html")]
struct Paths {
    files: Vec<Path>,
}

struct Path {
    href: String,
    path: String,
}

/// Offers files whose paths have all the words that were typed.
pub(super) async fn fragment(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Html<String>, WebError> {
    site.run(move |site| {
        let files = near(site.desk.paths(), pairs.get("q").unwrap_or_default());
        let file = |path: String| Path { href: format!("/file/{}", encode(&path)), path };
        super::render(&Paths { files: files.into_iter().map(file).collect() })
    })
    .await
}

/// Adds the files that may be meant to the refusal of a path.
pub(super) fn suggest(error: WebError, site: &AppState, path: &str) -> WebError {
    let near = near(site.desk.paths(), path);
    let links = near.into_iter().map(|path| (format!("/file/{}", encode(&path)), path));
    error.links(links.collect())
}

/// Returns the paths that have all words of a query, the likeliest first.
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
    let worth = |path: &String| {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or_default();
        let is_exact = lower == query;
        let starts = words.first().is_some_and(|word| name.starts_with(word));
        let named = words.iter().all(|word| name.contains(word));
        (!is_exact, !starts, !named, path.len(), path.clone())
    };
    paths.sort_by_cached_key(worth);
    paths.truncate(MAX_SUGGESTIONS);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_file_comes_first() {
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
