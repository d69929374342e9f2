//! Abbreviated ids, as the command line prints them.

use axum::response::Redirect;

use crate::encode::encode;
use crate::error::WebError;

/// Returns a redirect to the page of the only id that begins with `start`, unless `start` is an id itself.
pub(crate) fn other_id<'a>(
    start: &str,
    ids: impl Iterator<Item = &'a str>,
    page: &str,
) -> Result<Option<Redirect>, WebError> {
    let found: Vec<&str> = ids.filter(|id| !start.is_empty() && id.starts_with(start)).collect();
    match found[..] {
        [] => Ok(None),
        _ if found.contains(&start) => Ok(None),
        [id] => Ok(Some(Redirect::to(&format!("{page}{}", encode(id))))),
        _ => Err(WebError::ambiguous(start)),
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use hyper::header::LOCATION;

    use super::*;

    fn check(start: &str, expected: &str) {
        let found = match other_id(start, ["a1b2", "a1c3", "a1", "d4"].into_iter(), "/") {
            Ok(None) => "same or none".to_owned(),
            Ok(Some(redirect)) => {
                redirect.into_response().headers()[LOCATION].to_str().unwrap().to_owned()
            }
            Err(_) => "ambiguous".to_owned(),
        };
        assert_eq!(found, expected, "{start}");
    }

    #[test]
    fn an_id_is_found_by_a_unique_prefix() {
        check("a1b", "/a1b2");
        check("a1", "same or none");
        check("a", "ambiguous");
        check("d4", "same or none");
        check("x", "same or none");
        check("", "same or none");
    }
}
