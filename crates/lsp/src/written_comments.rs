//! Opens files for comments, and sends the texts that the user writes there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;
use skein_model::truncate::truncate_line;
use skein_model::view::CommentView;
use skein_review::edit;

use crate::commands::check_body;
use crate::comment_file::{CommentFile, Purpose, SentComment};
use crate::failure::Failure;
use crate::pending_request::PendingRequest;
use crate::server::Server;
use crate::uri;

/// Maximum length of the shown start of a text.
const MAX_SHOWN_CHARS: usize = 80;

/// The choices for a text that was not sent.
const SEND_TITLE: &str = "Send";
const OPEN_TITLE: &str = "Open";
const DISCARD_TITLE: &str = "Discard";

impl Server {
    /// Opens a file in which the user writes a comment.
    pub(crate) fn write_comment_file(
        &mut self,
        root: &Path,
        purpose: Purpose,
        texts: (&str, &str),
    ) -> Result<(), Failure> {
        let needs_send = self.client.needs_send_line;
        let file = CommentFile::create(&self.env, root, purpose, texts, needs_send)?;
        let path = file.path().to_owned();
        self.comment_files.push(file);
        self.show_document(&uri::from_path(&path), 0);
        Ok(())
    }

    /// Takes over the files of servers that have ended, and asks what to do with texts that they could not send.
    pub(crate) fn take_over_comment_files(&mut self) {
        let loaded = self.folders.iter().filter_map(|folder| folder.loaded.as_ref());
        let roots: BTreeSet<PathBuf> = loaded.map(|loaded| loaded.root.clone()).collect();
        let files = roots.iter().flat_map(|root| CommentFile::take_over(&self.env, root));
        let files: Vec<CommentFile> = files.collect();
        for file in files {
            if file.is_abandoned(self.env.clock.now()) {
                // A file that stays is tried again at the next look.
                drop(file.discard());
                continue;
            }
            if !file.text().is_empty() {
                if self.is_sent(&file) {
                    // A file that stays has a text that is in the thread.
                    drop(file.discard());
                    continue;
                }
                self.offer_unsent(&file);
            }
            // The user may still be writing in it.
            self.comment_files.push(file);
        }
    }

    fn offer_unsent(&mut self, file: &CommentFile) {
        let start = truncate_line(file.text(), MAX_SHOWN_CHARS);
        let message = format!("A comment that you saved was not sent: {start}");
        let titles = [SEND_TITLE, OPEN_TITLE, DISCARD_TITLE];
        let actions = titles.map(|title| json!({ "title": title }));
        let params = json!({ "type": 3, "message": message, "actions": actions });
        let pending = PendingRequest::Unsent(file.path().to_owned());
        self.request("window/showMessageRequest", params, pending);
    }

    /// Returns whether a text is in its thread already.
    fn is_sent(&self, file: &CommentFile) -> bool {
        let text = file.text();
        let is_there =
            |comments: &[CommentView]| comments.iter().any(|one| one.body.trim() == text);
        let loaded = self.folders.iter().filter_map(|folder| folder.loaded.as_ref());
        let mut views = loaded.flat_map(|loaded| {
            // Another server may just have written it.
            loaded.live.refresh_reviews();
            let snapshot = loaded.live.threads();
            snapshot.views.iter().chain(&snapshot.drafts).cloned().collect::<Vec<_>>()
        });
        views.any(|view| {
            let comments =
                view.review_body().map(|body| body.comments.as_slice()).unwrap_or_default();
            match &file.purpose {
                Purpose::Reply { thread } => {
                    view.row.file == Path::new(thread) && is_there(comments)
                }
                Purpose::Comment { .. } => is_there(comments.get(..1).unwrap_or_default()),
            }
        })
    }

    /// Does what the user chose for a text that was not sent; without a choice it is kept, and sent when it is saved again.
    pub(crate) fn decide_unsent(&mut self, path: &Path, choice: &str) {
        if !matches!(choice, SEND_TITLE | OPEN_TITLE | DISCARD_TITLE) {
            return;
        }
        let mut files = self.comment_files.iter();
        // The user may have saved it again, which sends it.
        let index = files.position(|file| file.path() == path && file.sent.is_none());
        let Some(index) = index else { return };
        let file = self.comment_files.swap_remove(index);
        let done = match choice {
            _ if !file.exists() => Ok(()),
            SEND_TITLE if !self.is_sent(&file) => {
                let text = file.text().to_owned();
                match self.send_comment_file(&file, &text) {
                    Ok(_) => file.discard().map_err(Failure::from),
                    Err(failure) => {
                        self.comment_files.push(file);
                        Err(failure)
                    }
                }
            }
            OPEN_TITLE => self.open_again(file),
            _ => file.discard().map_err(Failure::from),
        };
        if let Err(Failure(message)) = done {
            self.show_error(&message);
        }
    }

    /// Opens a new file with a text that was not sent; it belongs to this server.
    fn open_again(&mut self, file: CommentFile) -> Result<(), Failure> {
        let (text, about) = (file.text().to_owned(), file.about());
        let root = self.folders.iter().filter_map(|folder| folder.loaded.as_ref());
        let root = root.map(|loaded| loaded.root.clone()).find(|root| file.is_for(root));
        let purpose = file.purpose.clone();
        self.write_comment_file(&root.unwrap_or_default(), purpose, (&text, &about))?;
        Ok(file.discard()?)
    }

    /// Sends the texts that the user has saved.
    pub(crate) fn send_comment_files(&mut self, is_end: bool) {
        let mut comment_files = std::mem::take(&mut self.comment_files);
        for file in &mut comment_files {
            let Some(text) = file.poll(is_end) else { continue };
            if file.is_taken_over && file.sent.is_none() && text.is_ok() && self.is_sent(file) {
                file.record(None);
                self.show_message("The thread has this comment already.");
                continue;
            }
            let text = text.map_err(|reason| Failure(reason.to_owned()));
            match text.and_then(|text| self.send_comment_file(file, &text)) {
                Ok(sent) => file.record(Some(sent)),
                Err(Failure(message)) => {
                    let path = file.path().display();
                    self.show_error(&format!("{message}. Your text is kept in {path}"));
                }
            }
        }
        comment_files.append(&mut self.comment_files);
        self.comment_files = comment_files;
    }

    fn send_comment_file(
        &mut self,
        file: &CommentFile,
        text: &str,
    ) -> Result<SentComment, Failure> {
        if let Some(SentComment { thread, comment }) = &file.sent {
            check_body(text)?;
            // A draft that was submitted has another file.
            let file = thread.path.to_string_lossy();
            let found = self.find(&file).or_else(|_| self.find(&thread.id()))?;
            let written = edit(&found.workspace, &found.actor, &found.thread, comment, text)?;
            return Ok(self.finish_write(&found.workspace, &written));
        }
        match &file.purpose {
            Purpose::Reply { thread } => {
                let found = self.find(thread)?;
                self.send_reply(&found, text)
            }
            Purpose::Comment { uri, lines, is_draft } => self.add(uri, lines, text, *is_draft),
        }
    }
}
