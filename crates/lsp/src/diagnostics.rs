//! Threads as marks in files.

use std::sync::Arc;

use skein_model::truncate::truncate_line;
use skein_model::view::ThreadView;

use crate::client::Client;
use crate::folder::{Folder, LoadedFolder};
use crate::protocol::{
    Diagnostic, INFORMATION, Location, Position, Range, RelatedInformation, WARNING,
};
use crate::thread_line;
use crate::uri;

/// The name under which editors show the marks.
const SOURCE: &str = "skein";
/// Maximum length of a message.
const MAX_MESSAGE_CHARS: usize = 240;
/// Maximum number of comments that are listed with a mark.
const MAX_RELATED: usize = 10;

/// Returns the marks of the open threads of a file.
pub(crate) fn of_threads(
    folder: &LoadedFolder,
    client: Client,
    views: &[Arc<ThreadView>],
) -> Vec<Diagnostic> {
    let open = views.iter().filter(|view| thread_line::is_open(view));
    open.map(|view| of_thread(folder, client, view)).collect()
}

fn of_thread(folder: &LoadedFolder, client: Client, view: &ThreadView) -> Diagnostic {
    let comments = view.review_body().map(|body| body.comments.as_slice()).unwrap_or_default();
    let location = Location { uri: uri::from_path(&view.row.file), range: Range::default() };
    let related = comments.iter().take(MAX_RELATED).map(|comment| RelatedInformation {
        location: location.clone(),
        message: thread_line::comment(comment),
    });
    Diagnostic {
        range: thread_line::range(view, client.encoding),
        severity: INFORMATION,
        // Vim takes a code such as `6e59` for a number.
        code: format!("#{}", folder.short_id(view)),
        source: SOURCE,
        message: truncate_line(&thread_line::summary(folder, view), MAX_MESSAGE_CHARS),
        related_information: if client.shows_related { related.collect() } else { Vec::new() },
        data: Some(view.row.file.clone()),
    }
}

/// Returns the marks of files that are no usable threads, each with its address.
pub(crate) fn of_unusable(folder: &Folder, loaded: &LoadedFolder) -> Vec<(String, Diagnostic)> {
    let snapshot = loaded.live.threads();
    let views = snapshot.views.iter().filter(|view| !view.row.usable);
    let views = views
        .flat_map(|view| view.row.diagnostics.iter().map(|found| (view.row.file.as_path(), found)));
    views
        .map(|(file, found)| {
            let line = found.line.unwrap_or(1).saturating_sub(1);
            let at = Position { line, character: 0 };
            let diagnostic = Diagnostic {
                range: Range { start: at, end: at },
                severity: WARNING,
                code: found.code.to_owned(),
                source: SOURCE,
                message: truncate_line(&found.message, MAX_MESSAGE_CHARS),
                related_information: Vec::new(),
                data: None,
            };
            (folder.uri(file), diagnostic)
        })
        .collect()
}
