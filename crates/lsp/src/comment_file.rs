//! Files in which the user writes comments: the protocol has no way to ask for a text.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use skein_catalog::ThreadRef;
use skein_format::time::Time;
use skein_review::EditableComment;
use skein_workspace::{EditorFile, Env, FileError, scissors};

use crate::file_claim::FileClaim;

/// Time without a change after which a saved text is sent.
const SEND_DEBOUNCE: Duration = Duration::from_secs(1);
/// Time between two looks at the files.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Time between two looks for files that other servers have left.
pub(crate) const TAKE_OVER_INTERVAL: Duration = Duration::from_secs(3);
/// Time after which a file without a text is not open in an editor any more.
const MAX_EMPTY_AGE: Duration = Duration::from_hours(7 * 24);
/// The line that sends a text in editors that save on their own.
const SEND: &str = "send";

/// The start of the names of the files.
const NAME: &str = "comment";
/// The start and the end of the last line of a file, which says what it is for.
const FOOTER: (&str, &str) = ("<!-- skein: ", " -->");

/// What a text is for.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) enum Purpose {
    /// A reply to the thread in this file.
    Reply { thread: String },
    /// A new thread.
    Comment { uri: String, lines: CommentedLines, is_draft: bool },
}

/// Lines of a text in the editor.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CommentedLines {
    /// The first and the last line, counted from 1.
    pub(crate) range: (u32, u32),
    pub(crate) code: Vec<String>,
    /// The whole text, by which the lines are found in the file. It is not kept after the end of the server.
    #[serde(skip)]
    pub(crate) text: Option<String>,
}

/// What a file is for, and who waits for it.
#[derive(Debug, Deserialize, Serialize)]
struct Footer {
    /// The root of the reviews.
    root: PathBuf,
    /// The server that sends it.
    process: u32,
    needs_send: bool,
    purpose: Purpose,
}

/// A comment that was sent. A file that is saved again changes it.
#[derive(Clone, Debug)]
pub(crate) struct SentComment {
    pub(crate) thread: ThreadRef,
    pub(crate) comment: EditableComment,
}

/// A file in which the user writes a comment.
#[derive(Debug)]
pub(crate) struct CommentFile {
    file: EditorFile,
    /// None if the lock cannot be taken; then the process in the footer tells other servers that it is in use.
    claim: Option<FileClaim>,
    pub(crate) purpose: Purpose,
    pub(crate) sent: Option<SentComment>,
    /// Whether another server created it, which may have sent its text.
    pub(crate) is_taken_over: bool,
    needs_send: bool,
    /// The text that was last seen, and since when.
    seen: (SavedText, Instant),
    /// The text that was last sent or refused.
    handled: SavedText,
    /// The text that was last sent.
    used: String,
}

/// A text above the line, and when it was saved; none if there is no line.
#[derive(Clone, Debug, Default, PartialEq)]
struct SavedText {
    text: Option<String>,
    saved_at: Option<SystemTime>,
}

impl SavedText {
    fn as_str(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

impl CommentFile {
    /// Creates a file with the start of a comment, which names what it is about.
    pub(crate) fn create(
        env: &Env,
        root: &Path,
        purpose: Purpose,
        (start, about): (&str, &str),
        needs_send: bool,
    ) -> Result<Self, FileError> {
        let note = match needs_send {
            true => {
                "Write the comment above this line. To send it, write the word send in the first line, and save the file."
            }
            false => {
                "Write the comment above this line, and save the file: that sends it. Saving it again changes the comment."
            }
        };
        let process = std::process::id();
        let footer = Footer { root: root.to_owned(), process, needs_send, purpose };
        // A path that is not UTF-8 cannot be written; then the file is not found after a crash.
        let line = serde_json::to_string(&footer).unwrap_or_default();
        // Editors take settings from the last lines of a file, so these are not those of a comment.
        let below = format!("{about}\n\n{}{line}{}\n\n\n\n\n", FOOTER.0, FOOTER.1);
        let file = EditorFile::create(env, NAME, ".md", scissors::join(start, note, &below))?;
        let claim = FileClaim::take(&file.path);
        Ok(Self::new(file, claim, footer))
    }

    fn new(file: EditorFile, claim: Option<FileClaim>, footer: Footer) -> Self {
        let mut file = Self {
            file,
            claim,
            purpose: footer.purpose,
            sent: None,
            is_taken_over: false,
            needs_send: footer.needs_send,
            seen: (SavedText::default(), Instant::now()),
            handled: SavedText::default(),
            used: String::new(),
        };
        file.look();
        // What is there already is sent when it is saved.
        file.handled = file.seen.0.clone();
        file
    }

    /// Takes over the files of servers of a workspace that have ended, for example because the editor killed them.
    ///
    /// A file that another server has taken over is not among them, as long as that server runs: both would send it.
    pub(crate) fn take_over(env: &Env, root: &Path) -> Vec<Self> {
        let files = EditorFile::kept(env, NAME).into_iter();
        let left = files.filter_map(|file| {
            let footer = Footer::parse(&file.read().ok()?)?;
            // The editor saves the footer again, so it always names the server that created the file.
            if footer.root != root || is_other_process(footer.process) {
                return None;
            }
            let claim = FileClaim::take(&file.path)?;
            Some(Self { is_taken_over: true, ..Self::new(file, Some(claim), footer) })
        });
        left.collect()
    }

    /// Returns whether the file belongs to a workspace.
    pub(crate) fn is_for(&self, root: &Path) -> bool {
        let footer = self.file.read().ok().as_deref().and_then(Footer::parse);
        footer.is_some_and(|footer| footer.root == root)
    }

    /// Returns the text without the line that sends it.
    pub(crate) fn text(&self) -> &str {
        let text = self.seen.0.as_str();
        let sent =
            text.split_once('\n').filter(|(first, _)| first.trim().eq_ignore_ascii_case(SEND));
        sent.filter(|_| self.needs_send).map_or(text, |(_, rest)| rest.trim())
    }

    /// Returns what the comment is about.
    pub(crate) fn about(&self) -> String {
        let text = self.file.read().unwrap_or_default();
        let below = scissors::split(&text).1.trim();
        let lines: Vec<&str> = below.lines().skip(2).collect();
        let about = lines.iter().take_while(|line| !line.starts_with(FOOTER.0));
        about.copied().collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    /// Reads the text that is above the line.
    fn look(&mut self) {
        let Ok(text) = self.file.read() else { return };
        let saved_at = std::fs::metadata(&self.file.path).and_then(|meta| meta.modified()).ok();
        let above = scissors::find(&text).map(|(above, _)| above);
        let above = above.or_else(|| text.trim().is_empty().then_some(""));
        let text = above.map(|text| text.trim().replace("\r\n", "\n"));
        let seen = SavedText { text, saved_at };
        if seen != self.seen.0 {
            self.seen = (seen, Instant::now());
        }
    }

    /// Removes the file with its text.
    pub(crate) fn discard(self) -> Result<(), FileError> {
        let path = self.file.path.clone();
        let discarded = self.file.discard();
        if let Some(claim) = self.claim.filter(|_| !path.exists()) {
            claim.remove();
        }
        discarded
    }

    /// Returns whether the file is still there.
    pub(crate) fn exists(&self) -> bool {
        self.file.path.exists()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.file.path
    }

    /// Returns a text that was saved and is to be sent; at the end without waiting for further changes. The error is a reason why
    /// it cannot be sent.
    pub(crate) fn poll(&mut self, is_end: bool) -> Option<Result<String, &'static str>> {
        self.look();
        let (seen, since) = &self.seen;
        let is_quiet = is_end || since.elapsed() >= SEND_DEBOUNCE;
        if !is_quiet || *seen == self.handled {
            return None;
        }
        self.handled = seen.clone();
        let Some(text) = &seen.text else {
            return Some(Err(
                "the line with >8 is missing, so it is not known where your text ends",
            ));
        };
        if text.is_empty() || *text == self.used {
            return None;
        }
        let sent = self.text();
        let is_sent = !self.needs_send || sent.len() < text.len();
        (is_sent && !sent.is_empty()).then(|| Ok(sent.to_owned()))
    }

    /// Records that the text of the last poll is in the thread, and as which comment if this server sent it.
    pub(crate) fn record(&mut self, sent: Option<SentComment>) {
        self.sent = sent;
        self.handled.as_str().clone_into(&mut self.used);
    }

    /// Removes the file if its text was sent.
    ///
    /// One without a text can be open in the editor, which saves it when another server runs.
    pub(crate) fn finish(self) {
        let text = self.seen.0.as_str();
        if !self.exists() || !text.is_empty() && *text == self.used {
            // The text of a file that is left is in the thread.
            drop(self.discard());
        }
    }

    /// Returns whether the file has had no text for days.
    pub(crate) fn is_abandoned(&self, now: Time) -> bool {
        let SavedText { text, saved_at } = &self.seen.0;
        let saved_at = saved_at.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let now = u64::try_from(now.as_millis()).ok().map(Duration::from_millis);
        let age = now.zip(saved_at).and_then(|(now, saved_at)| now.checked_sub(saved_at));
        text.as_deref() == Some("") && age.is_some_and(|age| age > MAX_EMPTY_AGE)
    }
}

/// Returns whether a process runs that is not this one. A file of this process without a lock is one that an earlier process with the
/// same number has left.
fn is_other_process(process: u32) -> bool {
    process != std::process::id() && skein_delivery::is_alive(process)
}

impl Footer {
    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        let json = line.trim().strip_prefix(FOOTER.0)?.strip_suffix(FOOTER.1)?;
        serde_json::from_str(json).ok()
    }
}
