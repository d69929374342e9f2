//! Problems found in a file, each with a stable code and a message for people.

use std::borrow::Cow;
use std::fmt;

use crate::json::{self, SyntaxError};
use serde::Serialize;

use crate::span::line_of;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Everything is usable; something is unusual.
    Warning,
    /// The thread, entry or file cannot be used; its bytes are kept.
    Error,
}

impl Severity {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident $fixable:literal $meaning:literal $advice:literal)*) => {
        /// The stable code of a kind of diagnostic; `docs/diagnostics.md` lists all of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the code as it appears in JSON and in the documentation.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the severity.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// Returns whether `skein doctor --fix` repairs it.
            pub fn is_fixable(self) -> bool {
                match self { $(Self::$variant => $fixable,)* }
            }

            /// Returns what the code means, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// Returns what to do about it, in one sentence.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice,)* }
            }
        }
    };
}

codes! {
    ReviewNoMetadata "review-no-metadata" Error false
        "The file has no closed metadata block."
        "Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line."
    ReviewBadJson "review-bad-json" Error false
        "The metadata block is not valid JSON."
        "Open the file at the given line and fix the JSON."
    ReviewConflict "review-conflict" Error true
        "The metadata block contains git conflict markers."
        "Run `skein doctor --fix`: it merges both sides and keeps the original in the trash."
    ReviewSchemaVersion "review-schema-version" Error false
        "`schemaVersion` is missing or not 1."
        "Set `schemaVersion` to 1 if the file follows this format."
    ReviewNoId "review-no-id" Error false
        "`id` is missing or not a string."
        "Set `id` to the file's name without `.md`."
    ReviewUnsafeId "review-unsafe-id" Error false
        "`id` cannot be a file name: it is too long, starts with a dot, or contains a separator or a control character."
        "Set `id` to the file's name without `.md`."
    ReviewNoPath "review-no-path" Error false
        "`target.workspaceRelativePath` is missing or not a string."
        "Set it to the path of the file under review, relative to the workspace."
    ReviewUnsafePath "review-unsafe-path" Error false
        "`target.workspaceRelativePath` is not a path that may be reviewed."
        "Set it to a plain relative path inside the workspace."
    ReviewIdMismatch "review-id-mismatch" Warning false
        "`id` and the file's name differ; the file's name is used."
        "Rename the file or change `id`, so that both are the same."
    ReviewBadStatus "review-bad-status" Warning false
        "`status` is neither `open` nor `resolved`; the thread is treated as open."
        "Set `status` to `open` or `resolved`."
    ReviewBadRange "review-bad-range" Warning false
        "`target.range` is not four whole numbers or null; the thread is treated as a thread about the whole file."
        "Set all four numbers, counted from 0, or null."
    ReviewBadAnchor "review-bad-anchor" Warning false
        "`target.anchor` is missing or does not follow the format; the part that does not is ignored."
        "Set `kind` to `lineRange`, and `context`, if there is one, to an object with `before`, `selection` and `after`."
    ReviewConflictText "review-conflict-text" Warning true
        "The comments or the text between them contain git conflict markers."
        "Run `skein doctor --fix`: it merges the comments of both sides; resolve the conflicts in the other text and in the patch yourself."
    ReviewUpdatedAtBehind "review-updated-at-behind" Warning true
        "A comment is later than `updatedAt`."
        "Run `skein doctor --fix`: it sets `updatedAt` to the time of the latest comment."
    ReviewNoFinalNewline "review-no-final-newline" Warning true
        "The last line of the file has no line end, so that text added next would become part of it."
        "Run `skein doctor --fix`: it adds the line end."
    ReviewLegacy "review-legacy" Warning true
        "A thread is in a directory or a format that only older programs use."
        "Run `skein doctor --fix`: it moves the thread into the store, and the old file to the trash."
    ReviewBadTime "review-bad-time" Warning false
        "A time of the thread is missing or cannot be read."
        "Write times as `2026-01-23T14:30:52.000Z`."
    ReviewDuplicateKey "review-duplicate-key" Warning false
        "A key occurs twice in the metadata; the last one is used."
        "Delete the wrong one."
    ReviewInvalidUtf8 "review-invalid-utf8" Warning false
        "The file contains bytes that are not UTF-8; they are kept, and shown as \u{fffd}."
        "Save the file as UTF-8 if the bytes are a mistake."
    ReviewPatchNoFence "review-patch-no-fence" Warning false
        "A patch marker is not followed by a `diff` or `patch` block."
        "Put the patch into a fenced block with the language `diff` below the marker."
    ReviewPatchUnclosed "review-patch-unclosed" Warning false
        "The patch block is not closed; it ends at the first comment or the end of the file."
        "Close the block with a line of backticks."
    ReviewCommentNoId "review-comment-no-id" Warning true
        "A comment has no id; Skein uses its position instead."
        "Run `skein doctor --fix`, or add an `id` that no other comment of the thread has."
    ReviewCommentNoAuthor "review-comment-no-author" Warning false
        "A comment has no author; `unknown` is shown."
        "Add `author=\"…\"` to the marker."
    ReviewCommentNoTime "review-comment-no-time" Warning true
        "A comment has no readable time; the thread's last change is used."
        "Run `skein doctor --fix`, which adds a missing time; correct a time that cannot be read."
    ReviewCommentDuplicateId "review-comment-duplicate-id" Warning true
        "Two comments of the thread have the same id."
        "Run `skein doctor --fix`: it gives the later one a new id."
    ReviewUnknownName "review-unknown-name" Warning false
        "A comment mentions a name with `@` that is neither an agent nor an author in this workspace, so it is not known on whom the thread waits."
        "Write text that is not a name in backticks, and mention an agent with `@agent` or by its name."
    ReviewCommentText "review-comment-text" Warning false
        "There is text after a comment marker on the same line; it is not part of the body."
        "Move the text to the line below the marker."
    SessionBadJson "session-bad-json" Error true
        "The session map is not valid JSON; it is treated as empty."
        "Run `skein session repair` to see what can be saved of it; `skein doctor --fix` does it and keeps the original next to the map."
    SessionBadShape "session-bad-shape" Error true
        "The session map is not an object with an array `mappings`; it is treated as empty."
        "Run `skein session repair` to see what can be saved of it; `skein doctor --fix` does it and keeps the original next to the map."
    SessionVersion "session-version" Error false
        "The session map has a version that Skein does not know; it is not used and never written."
        "Use a newer Skein, or the program that wrote the file."
    SessionLastModified "session-last-modified" Warning false
        "`lastModified` is missing or not a time."
        "Nothing needs to be done: the next write sets it."
    SessionBom "session-bom" Warning true
        "The session map starts with a byte order mark, which other programs refuse."
        "Run `skein doctor --fix` or `skein session repair --yes`, which remove the mark."
    SessionEntry "session-entry" Warning false
        "An entry does not follow the contract; it is ignored and stays in the file."
        "Correct the entry. If a plugin writes such entries, `skein config set session.lenient true` makes Skein use them."
    SessionLenient "session-lenient" Warning false
        "An entry does not follow the contract and is used anyway: its short id is too long, or `session.lenient` is set."
        "Correct the entry if other programs need it."
    SessionDuplicate "session-duplicate" Warning false
        "A session occurs twice in the map; the entry with the later activity is used."
        "Nothing needs to be done: both entries stay in the file."
    SessionRootConflict "session-root-conflict" Warning false
        "Two entries bind one session to different threads; the one with the later activity is used."
        "Check which thread is the right one."
    SessionDuplicateKey "session-duplicate-key" Warning false
        "A key of the format occurs more than once in the map or in an entry; the last one is used."
        "Remove all but the last one; edits change the last one."
    CheckpointBadJson "checkpoint-bad-json" Error false
        "The checkpoint is not valid JSON."
        "Open the file at the given line and fix the JSON."
    CheckpointNotObject "checkpoint-not-object" Error false
        "The checkpoint is not a JSON object."
        "Replace the file with a checkpoint, or move it out of the directory."
    CheckpointUnsafeId "checkpoint-unsafe-id" Warning false
        "`thread_id` cannot be a file name; the file's name is used."
        "Set `thread_id` to the file's name without `.json`."
    CheckpointIdMismatch "checkpoint-id-mismatch" Warning false
        "`thread_id` and the file's name differ; the file's name is used."
        "Rename the file or change `thread_id`, so that both are the same."
    CheckpointVersion "checkpoint-version" Warning false
        "The checkpoint has a version above 1; it is read, and not written."
        "Use a newer Skein to change it."
    CheckpointBadTime "checkpoint-bad-time" Warning false
        "A time of the checkpoint is missing or cannot be read."
        "Write times as `2026-01-23T14:30:52.000Z`."
    CheckpointNaiveTime "checkpoint-naive-time" Warning false
        "A time of the checkpoint has no time zone; UTC is assumed."
        "Add `Z` or the offset."
    CheckpointType "checkpoint-type" Warning false
        "`type` is not `checkpoint`, `auto-checkpoint` or `handoff`; it is shown as it is."
        "Nothing needs to be done."
    CheckpointWorkerState "checkpoint-worker-state" Warning false
        "The worker's state is not a state of the format; it is shown as it is."
        "Nothing needs to be done."
    CheckpointField "checkpoint-field" Warning false
        "A field, or an entry of a list, has a type that cannot be read; it is ignored and kept."
        "Give the field the type that `docs/formats/checkpoint.md` shows."
    CheckpointText "checkpoint-text" Warning false
        "A text contains bytes that are not UTF-8, or half of a character; they are kept, and shown as \u{fffd}."
        "Save the file as UTF-8 if the bytes are a mistake."
    CheckpointName "checkpoint-name" Warning false
        "A file among the checkpoints is not listed, because of its name."
        "Give it a name that starts with `T-`, has no control character, is UTF-8, and ends in `.json`; or move it out of the directory."
    CheckpointIdTime "checkpoint-id-time" Warning false
        "The file's name begins with a date or a time that does not exist."
        "Rename the file and set `thread_id` to the same name; the times in the file count."
    CheckpointFuture "checkpoint-future" Warning false
        "A time of the checkpoint is more than a day in the future; it sorts as if it were now."
        "Correct the time, and the clock of the machine that wrote it."
    CheckpointTimeOrder "checkpoint-time-order" Warning false
        "`updated_at` is before `created_at`."
        "Correct the one that is wrong."
    CheckpointDuplicateKey "checkpoint-duplicate-key" Warning false
        "A key occurs twice in an object of the checkpoint; the last one is used."
        "Delete the wrong one."
    HandoffDangling "handoff-dangling" Warning false
        "`handoff.json` points at a checkpoint that is not there."
        "Nothing needs to be done: the next handoff writes a new pointer."
    TooMany "too-many-findings" Warning false
        "A file has more diagnostics than are listed."
        "Fix those that are listed, and check again."
    FileUnreadable "file-unreadable" Error false
        "The file cannot be read."
        "Check its permissions, and that it is a file."
    FileTemp "file-temp" Warning true
        "A temporary file was left behind by a write that was interrupted."
        "Run `skein doctor --fix`: it moves the file to the trash."
    FileDisplaced "file-displaced" Warning false
        "Another program wrote a file at the same time as Skein, and the two versions could not be merged; that program's version is in the trash."
        "Compare the version in the trash with the file, and copy what is missing."
    StoreForeign "store-foreign" Error false
        "A directory with the store's name belongs to another tool."
        "Set `review.storage_path` to another directory in this repository: `skein config set --repository review.storage_path .skein-review`."
    StoreNotOwned "store-not-owned" Warning false
        "Another user owns a store, so it is neither read nor written."
        "If you trust that user, run `skein config set store.safe_directories DIR` with the directory that the store is in."
    StoreUnused "store-unused" Warning false
        "Threads are in a directory that is not the store, because a setting names another one."
        "Move its thread files to the directory `threads` of the store, or make this directory the store: `skein config set --repository review.storage_path DIR`."
    StoreNoMergeDriver "store-no-merge-driver" Warning false
        "The repository shares its threads, and git does not know how to merge them in this clone."
        "Run `skein init`: it adds the merge driver to the configuration of the clone."
    WorktreeRemoved "worktree-removed" Warning false
        "A linked worktree or the store of a worktree was removed; threads, drafts or checkpoints that only it had are kept."
        "Run the given commands in the checkout that should have them; `skein review restore` and `skein checkpoint restore` list them, and `--dismiss` moves them to the trash instead."
    StoreUnreadable "store-unreadable" Error false
        "A directory of threads cannot be listed."
        "Check its permissions, and that it is a directory."
    IndexStale "index-stale" Warning true
        "`index.json` is out of date."
        "Run `skein doctor --fix`: it rebuilds the index from the thread files."
    TablesStale "tables-stale" Warning true
        "`INDEX.md` or `recent.md` is out of date, for example after a merge."
        "Run `skein doctor --fix`: it rebuilds both from the checkpoints."
    TablesBlocked "tables-blocked" Warning false
        "A table of the checkpoints cannot be written because something that is not a file has its name."
        "Move it away; the next checkpoint writes the tables."
    Secret "secret" Warning false
        "A text looks like it contains a secret."
        "Replace the secret, revoke it, and remove it from the history if the file was shared."
    SettingsBad "settings-bad" Error false
        "A settings file is not valid TOML; it is ignored."
        "Open the file at the given line and fix it."
    SettingsUnknownKey "settings-unknown-key" Warning false
        "A settings file has a key that Skein does not know."
        "Run `skein config list` to see every key."
    SettingsBadValue "settings-bad-value" Error false
        "A setting has an invalid value; the default is used."
        "Run `skein config list` to see the valid values."
    SettingsUnsafe "settings-unsafe" Warning false
        "A repository's settings file sets a key that only the user may set; it is ignored."
        "Set it in your own settings: `skein config set KEY VALUE`."
    GitBroken "git-broken" Warning false
        "The repository cannot be read; Skein works without it."
        "Run `git status` there and fix what it reports."
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A problem found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of problem.
    pub code: Code,
    /// The line, counted from 1, if known.
    pub line: Option<u32>,
    /// The message for people, without the file's name.
    pub message: String,
}

/// Truncates a text from a file for use in a message.
pub(crate) fn brief(text: &str) -> Cow<'_, str> {
    const MAX_CHARS: usize = 80;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}\u{2026}", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// Collects the diagnostics of one file, up to a limit.
///
/// The diagnostics of a hostile file could otherwise be many times larger than the file.
#[derive(Debug, Default)]
pub struct DiagnosticList {
    list: Vec<Diagnostic>,
    dropped: usize,
}

impl DiagnosticList {
    /// Maximum number of diagnostics of one file.
    pub const LIMIT: usize = 50;

    /// Adds a diagnostic, or only counts it if the list is full.
    pub fn push(&mut self, code: Code, line: Option<u32>, message: impl Into<String>) {
        if self.list.len() < Self::LIMIT {
            self.list.push(Diagnostic { code, line, message: message.into() });
        } else {
            self.dropped += 1;
        }
    }

    /// Adds a diagnostic at an offset of the file; the line is only computed if the list is not full.
    pub(crate) fn push_at(
        &mut self,
        code: Code,
        (bytes, at): (&[u8], usize),
        message: impl Into<String>,
    ) {
        let line = (!self.is_full()).then(|| line_of(bytes, at));
        self.push(code, line, message);
    }

    /// Reports that a file is empty or not JSON.
    pub fn push_syntax(&mut self, code: Code, bytes: &[u8], error: SyntaxError) {
        let message = if json::is_blank(bytes) {
            "the file is empty".to_owned()
        } else {
            format!("the file is not JSON: {error}")
        };
        self.push(code, Some(error.line(bytes)), message);
    }

    /// Returns whether further diagnostics are only counted.
    fn is_full(&self) -> bool {
        self.list.len() >= Self::LIMIT
    }

    /// Returns the diagnostics; if some were left out, the last one states their number.
    pub fn into_list(mut self) -> Vec<Diagnostic> {
        if self.dropped > 0 {
            let message = format!("{} more findings are not listed", self.dropped);
            self.list.push(Diagnostic { code: Code::TooMany, line: None, message });
        }
        self.list
    }
}
