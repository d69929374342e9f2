//! The page on which a checkpoint or a handoff is written.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;

use crate::ask::Pairs;
use crate::error::WebError;
use crate::page::frame::Frame;
use crate::page::visit::Visit;
use crate::site::Site;

#[derive(Template)]
#[template(path = "work/new.html")]
struct NewPage {
    frame: Frame,
    is_handoff: bool,
    left: usize,
}

/// Shows the form.
pub(super) async fn page(
    State(site): State<Arc<Site>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    let (parts, _) = request.into_parts();
    let (visit, pairs) = (Visit::of(&site, &parts), Pairs::of(&parts.uri));
    site.run(move |site| {
        pairs.only(&["kind"])?;
        let is_handoff = pairs.get("kind") != Some("checkpoint");
        let title = if is_handoff { "Hand over" } else { "New checkpoint" };
        let left = site.desk.timeline().entries.iter().map(|entry| entry.open_steps()).sum();
        crate::page::render(&NewPage {
            frame: Frame::new(site, &visit, "work", title),
            is_handoff,
            left,
        })
    })
    .await
}
