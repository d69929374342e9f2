//! Answers requests about the lines of an open file.
//!
//! Editors send them after each keystroke, so the marks of other files are not looked at.

use std::sync::Arc;

use serde_json::{Value, json};
use skein_model::view::ThreadView;

use crate::actions::{actions, is_wanted};
use crate::document::Document;
use crate::folder::LoadedFolder;
use crate::hover::hover;
use crate::lenses::lenses;
use crate::protocol::{Position, Range, member, text};
use crate::server::Server;
use crate::thread_line;

/// The open file of a request, with its threads at their lines in the text.
struct OpenFile<'a> {
    folder: &'a LoadedFolder,
    document: &'a Document,
    views: Vec<Arc<ThreadView>>,
}

impl Server {
    pub(crate) fn hover(&mut self, params: &Value) -> Option<Value> {
        let position: Position = member(params, "/position")?;
        let OpenFile { folder, views, .. } = self.open_file(params)?;
        let is_there = |view: &&Arc<ThreadView>| {
            let (first, last) = thread_line::lines(view);
            thread_line::is_open(view) && (first..=last).contains(&position.line)
        };
        let views: Vec<_> = views.iter().filter(is_there).collect();
        let text = (!views.is_empty()).then(|| hover(folder, &views))?;
        Some(json!({ "contents": { "kind": "markdown", "value": text } }))
    }

    pub(crate) fn code_actions(&mut self, params: &Value) -> Option<Value> {
        let range: Range = member(params, "/range")?;
        let only: Vec<String> = member(params, "/context/only").unwrap_or_default();
        let client = self.client;
        let OpenFile { folder, document, views } = self.open_file(params)?;
        // A selection of whole lines ends at the start of the next one.
        let is_after = range.end.character == 0 && range.end.line > range.start.line;
        let end = document.buffer.line_count().saturating_sub(1);
        let last = (range.end.line - u32::from(is_after)).min(end);
        let first = range.start.line.min(last);
        let mut found = actions(folder, client, (document, &views), (first, last));
        found.retain(|action| is_wanted(action.kind, &only));
        Some(json!(found))
    }

    pub(crate) fn code_lenses(&mut self, params: &Value) -> Option<Value> {
        let OpenFile { folder, views, .. } = self.open_file(params)?;
        Some(json!(lenses(folder, &views)))
    }

    fn open_file(&mut self, params: &Value) -> Option<OpenFile<'_>> {
        let address = text(params, "/textDocument/uri")?;
        if self.documents.get(address)?.is_replaced {
            self.place_in(address);
        }
        let document = self.documents.get(address)?;
        let (folder, relative) = self.folder_of(&document.file)?;
        let folder = folder.loaded.as_ref()?;
        let views = folder.shown.get(&relative).into_iter().flatten();
        let views = views.map(|view| document.current(view)).collect();
        Some(OpenFile { folder, document, views })
    }
}
