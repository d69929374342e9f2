//! Where a link may lead.

/// Tells whether a comment may link to an address: to the web, to a mailbox, or to a place on the page.
pub(super) fn is_allowed(address: &str) -> bool {
    if address.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return false;
    }
    if address.starts_with('#') {
        return true;
    }
    let Some((scheme, rest)) = address.split_once(':') else {
        return false;
    };
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    (is_web && rest.starts_with("//")) || scheme.eq_ignore_ascii_case("mailto")
}
