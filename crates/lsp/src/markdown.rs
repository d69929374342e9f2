//! Comments as Markdown that an editor can show.

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use skein_review::quote::fenced;

/// Returns a comment as Markdown. If an editor would load an image, run a command or show HTML, it is shown as source instead.
pub(crate) fn safe(body: &str) -> String {
    if is_safe(body) { body.to_owned() } else { fenced("markdown", body) }
}

/// Returns whether an editor can show a text without loading, running or interpreting anything.
pub(crate) fn is_safe(body: &str) -> bool {
    let arena = Arena::new();
    let document = parse_document(&arena, body, &Options::default());
    document.descendants().all(|node| match &node.data.borrow().value {
        NodeValue::Image(_) | NodeValue::HtmlBlock(_) | NodeValue::HtmlInline(_) => false,
        NodeValue::Link(link) => is_web(&link.url),
        _ => true,
    })
}

/// Returns whether a link leads to a page, or to a place next to the text.
fn is_web(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    // A colon after a slash is in a path.
    scheme
        .is_none_or(|scheme| matches!(scheme, "http" | "https" | "mailto") || scheme.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_would_load_or_run_is_shown_as_source() {
        for plain in ["Use `vec![1]`, *not* 2 < 3.", "[a](https://example.org)", "[b](src/a.rs:3)"]
        {
            assert_eq!(safe(plain), plain);
        }
        for unsafe_text in [
            "![x](https://example.org/x.png)",
            "![x][1]\n\n[1]: https://example.org/x.png",
            "[run](command:workbench.action.quit)",
            "a <img src=x> b",
            "<script>x</script>",
        ] {
            assert_eq!(safe(unsafe_text), format!("```markdown\n{unsafe_text}\n```\n"));
        }
    }
}
