//! What a search looks at in a checkpoint, read in one pass and without copies.

use std::borrow::Cow;

use super::field::Fields;
use super::list::STEP;
use super::other;
use crate::diagnostic::DiagnosticList;
use crate::id::CheckpointId;
use crate::json::{self, Dialect, Kind, Reader, Str, SyntaxError};
use crate::span::Span;
use crate::time::Time;

/// What a text is to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What it is called.
    Title,
    /// What was done.
    Summary,
    /// A word to find it by.
    Tag,
    /// The branch.
    Branch,
    /// The address of the remote.
    Remote,
    /// The commit that was checked out, or the one before.
    Commit,
    /// A commit that was made.
    CommitMade,
    /// The worker, or its skill.
    Worker,
    /// The agent's session.
    Session,
    /// What set off the hook.
    Trigger,
    /// A directory of the work.
    Directory,
    /// What is left to do, and what is noted beside it; steps are counted from 0.
    Step(usize),
    /// A file that was touched.
    File,
    /// Why it was.
    Reason,
    /// What the format does not know: a text.
    Other,
    /// What the format does not know: anything else, as JSON on one line.
    Json,
}

/// The texts of a checkpoint, over bytes that stay with the caller.
#[derive(Debug)]
pub struct CheckpointTexts<'a> {
    bytes: &'a [u8],
    said: Vec<(Role, TextSpan)>,
    updated_at: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
enum TextSpan {
    Text(Str),
    Json(Span),
}

impl<'a> CheckpointTexts<'a> {
    /// Reads a checkpoint whose file is called `stem`; none where it is not JSON, or not an object.
    pub fn parse(bytes: &'a [u8], stem: &str) -> Option<Self> {
        let mut reading = Reading {
            bytes,
            findings: DiagnosticList::default(),
            said: Vec::with_capacity(64),
            steps: 0,
            names: Names::default(),
            times: [None; 3],
        };
        reading.all().ok()?;
        let [updated_at, completed_at, created_at] = reading.times;
        let of_id = || CheckpointId::parse(stem).and_then(|id| id.time());
        Some(Self {
            updated_at: updated_at.or(completed_at).or(created_at).or_else(of_id),
            said: reading.into_said(),
            bytes,
        })
    }

    /// Returns when the checkpoint was last changed.
    pub fn updated_at(&self) -> Option<Time> {
        self.updated_at
    }

    /// Returns every text, secrets included.
    pub fn each(&self) -> impl Iterator<Item = (Role, Cow<'a, str>)> + '_ {
        self.said.iter().map(|(role, said)| match said {
            TextSpan::Text(text) => (*role, text.decode(self.bytes).text),
            TextSpan::Json(span) => (*role, other::line(self.bytes, *span).into()),
        })
    }
}

struct Reading<'a> {
    bytes: &'a [u8],
    /// What is wrong nobody asks.
    findings: DiagnosticList,
    said: Vec<(Role, TextSpan)>,
    steps: usize,
    names: Names,
    /// When it was changed, completed and made.
    times: [Option<Time>; 3],
}

/// What goes by an older name too; that is said by itself only where it is something else.
#[derive(Default)]
struct Names {
    id: [Option<Str>; 2],
    title: [Option<Str>; 2],
    summary: [Option<Str>; 2],
    session: [Option<Str>; 2],
    commit: [Option<Str>; 2],
}

type Read = Result<(), SyntaxError>;

impl<'a> Reading<'a> {
    fn all(&mut self) -> Read {
        let bytes = self.bytes;
        let all = Span::new(json::bom_len(bytes), bytes.len());
        let mut reader = Reader::new(bytes, all, Dialect::Json);
        reader.object(|reader, key| self.member(reader, key.name(bytes).as_ref()))?;
        reader.finish()
    }

    fn member(&mut self, reader: &mut Reader<'a>, key: &[u8]) -> Read {
        let [updated_at, completed_at, created_at] = &mut self.times;
        let mut fields = Fields { findings: &mut self.findings };
        match key {
            b"version" | b"type" => {}
            b"thread_id" => keep(&mut self.names.id[0], reader)?,
            b"task_id" => keep_first(&mut self.names.id[1], reader)?,
            b"created_at" => *created_at = fields.time(reader, "")?,
            b"updated_at" => *updated_at = fields.time(reader, "")?.or(*updated_at),
            b"completed_at" => {
                let mut ahead = Reader::new(self.bytes, rest(reader), Dialect::Json);
                *completed_at = completed_at.or(fields.time(&mut ahead, "")?);
                self.other(reader)?;
            }
            b"workspace_root" | b"cwd" => self.text(reader, Role::Directory)?,
            b"conversation_summary" => keep(&mut self.names.summary[0], reader)?,
            b"summary" => keep_first(&mut self.names.summary[1], reader)?,
            b"title" => keep_first(&mut self.names.title[1], reader)?,
            b"session_id" => keep(&mut self.names.session[0], reader)?,
            b"git" | b"worker" | b"metadata" if reader.peek()? == Kind::Object => {
                let bytes = self.bytes;
                let member = match key {
                    b"git" => Self::git,
                    b"worker" => Self::worker,
                    _ => Self::metadata,
                };
                reader.object(|reader, key| member(self, reader, key.name(bytes).as_ref()))?;
            }
            b"recent_commits" => self.texts(reader, Role::CommitMade)?,
            b"files_touched" => self.list(reader, Self::file)?,
            b"next_steps" => self.list(reader, Self::step)?,
            _ => self.other(reader)?,
        }
        Ok(())
    }

    fn git(&mut self, reader: &mut Reader<'a>, key: &[u8]) -> Read {
        match key {
            b"dirty" => Ok(()),
            b"branch" => self.text(reader, Role::Branch),
            b"remote_url" => self.text(reader, Role::Remote),
            b"initial_commit" => self.text(reader, Role::Commit),
            b"current_commit" => keep(&mut self.names.commit[0], reader),
            b"commit" => keep_first(&mut self.names.commit[1], reader),
            b"commits_made" => self.texts(reader, Role::CommitMade),
            _ => self.other(reader),
        }
    }

    fn worker(&mut self, reader: &mut Reader<'a>, key: &[u8]) -> Read {
        match key {
            b"state" | b"started_at" | b"completed_at" => Ok(()),
            b"id" | b"skill" => self.text(reader, Role::Worker),
            _ => self.other(reader),
        }
    }

    fn metadata(&mut self, reader: &mut Reader<'a>, key: &[u8]) -> Read {
        match key {
            b"title" => keep(&mut self.names.title[0], reader),
            b"session_id" => keep_first(&mut self.names.session[1], reader),
            b"trigger" => self.text(reader, Role::Trigger),
            b"tags" => self.texts(reader, Role::Tag),
            _ => self.other(reader),
        }
    }

    fn push(&mut self, role: Role, text: Str) {
        if !text.raw(self.bytes).is_empty() {
            self.said.push((role, TextSpan::Text(text)));
        }
    }

    /// Takes a text when one comes next.
    fn text(&mut self, reader: &mut Reader<'a>, role: Role) -> Read {
        if let Some(text) = reader.string_or_skip()? {
            self.push(role, text);
        }
        Ok(())
    }

    /// Takes the texts of a list when one comes next.
    fn texts(&mut self, reader: &mut Reader<'a>, role: Role) -> Read {
        self.list(reader, |reading, reader| reading.text(reader, role))
    }

    fn list(
        &mut self,
        reader: &mut Reader<'a>,
        mut each: impl FnMut(&mut Self, &mut Reader<'a>) -> Read,
    ) -> Read {
        if reader.peek()? == Kind::Array {
            reader.array(|reader| each(self, reader))?;
        }
        Ok(())
    }

    fn file(&mut self, reader: &mut Reader<'a>) -> Read {
        if reader.peek()? != Kind::Object {
            return self.text(reader, Role::File);
        }
        let bytes = self.bytes;
        reader.object(|reader, key| match key.name(bytes).as_ref() {
            b"path" => self.text(reader, Role::File),
            b"reason" => self.text(reader, Role::Reason),
            _ => Ok(()),
        })?;
        Ok(())
    }

    fn step(&mut self, reader: &mut Reader<'a>) -> Read {
        let bytes = self.bytes;
        let (mut step, mut note) = (None, None);
        if reader.peek()? == Kind::Object {
            reader.object(|reader, key| match key.name(bytes).as_ref() {
                b"note" => keep(&mut note, reader),
                name if step.is_none() && STEP.iter().any(|key| key.as_bytes() == name) => {
                    keep(&mut step, reader)
                }
                _ => Ok(()),
            })?;
        } else {
            keep(&mut step, reader)?;
        }
        let Some(step) = step.filter(|step| !step.raw(bytes).is_empty()) else { return Ok(()) };
        let role = Role::Step(self.steps);
        self.steps += 1;
        self.push(role, step);
        if let Some(note) = note {
            self.push(role, note);
        }
        Ok(())
    }

    /// Takes what the format does not know.
    fn other(&mut self, reader: &mut Reader<'a>) -> Read {
        match reader.peek()? {
            Kind::Null => {}
            Kind::String => self.text(reader, Role::Other)?,
            Kind::Array => {
                let before = self.said.len();
                let mut only_texts = true;
                let span = reader.array(|reader| {
                    match reader.string_or_skip()? {
                        Some(text) => self.push(Role::Other, text),
                        None => only_texts = false,
                    }
                    Ok(())
                })?;
                if !only_texts {
                    self.said.truncate(before);
                    self.said.push((Role::Json, TextSpan::Json(span)));
                }
            }
            _ => {
                let span = reader.skip()?;
                self.said.push((Role::Json, TextSpan::Json(span)));
            }
        }
        Ok(())
    }

    /// Adds what goes by two names, and returns all of it.
    fn into_said(mut self) -> Vec<(Role, TextSpan)> {
        let Names { id, title, summary, session, commit } = std::mem::take(&mut self.names);
        let named = [
            (Role::Title, title),
            (Role::Summary, summary),
            (Role::Session, session),
            (Role::Commit, commit),
        ];
        for (role, names) in named {
            let [first, older] = names;
            if let Some(text) = first.or(older) {
                self.push(role, text);
            }
            self.push_other(names);
        }
        self.push_other(id);
        self.said
    }

    /// Adds what the older name says if that is something else.
    fn push_other(&mut self, names: [Option<Str>; 2]) {
        if let [Some(first), Some(older)] = names
            && first.raw(self.bytes) != older.raw(self.bytes)
        {
            self.push(Role::Other, older);
        }
    }
}

/// Reads a text when one comes next, and leaves what is there for anything else.
fn keep(place: &mut Option<Str>, reader: &mut Reader<'_>) -> Read {
    *place = reader.string_or_skip()?.or(*place);
    Ok(())
}

/// Reads the text of an older name, of which the first counts as it does in a document.
fn keep_first(place: &mut Option<Str>, reader: &mut Reader<'_>) -> Read {
    if place.is_none() {
        keep(place, reader)?;
    }
    Ok(())
}

/// Returns what a reader has still to read.
fn rest(reader: &Reader<'_>) -> Span {
    Span::new(reader.position(), reader.bytes().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &[(Role, &str)]) {
        let texts = CheckpointTexts::parse(json.as_bytes(), "T-1").unwrap();
        let all: Vec<_> = texts.each().collect();
        let all: Vec<_> = all.iter().map(|(role, text)| (*role, &**text)).collect();
        assert_eq!(all, expected, "{json}");
    }

    #[test]
    fn every_text_has_its_role() {
        check(
            r#"{"thread_id": "T-1", "version": 1, "type": "handoff", "cwd": "src", "workspace_root": "/w",
            "git": {"branch": "b", "remote_url": "r", "initial_commit": "i", "current_commit": "c",
                "commits_made": ["m", 1], "dirty": true, "pr": 12},
            "worker": {"id": "w", "skill": "s", "state": "done", "error": "e"},
            "files_touched": ["f", {"path": "g", "reason": "because"}, 3],
            "next_steps": ["one", {"note": "n", "text": "two"}, "", {"id": "x"}, {"title": "three"}],
            "metadata": {"title": "t", "trigger": "h", "tags": ["x", "y"]},
            "conversation_summary": "\u0073um", "session_id": "ses",
            "decisions": ["d", "e"], "mixed": ["d", {"a": "b"}], "null": null, "empty": ""}"#,
            &[
                (Role::Directory, "src"),
                (Role::Directory, "/w"),
                (Role::Branch, "b"),
                (Role::Remote, "r"),
                (Role::Commit, "i"),
                (Role::CommitMade, "m"),
                (Role::Json, "12"),
                (Role::Worker, "w"),
                (Role::Worker, "s"),
                (Role::Other, "e"),
                (Role::File, "f"),
                (Role::File, "g"),
                (Role::Reason, "because"),
                (Role::Step(0), "one"),
                (Role::Step(1), "two"),
                (Role::Step(1), "n"),
                (Role::Step(2), "three"),
                (Role::Trigger, "h"),
                (Role::Tag, "x"),
                (Role::Tag, "y"),
                (Role::Other, "d"),
                (Role::Other, "e"),
                (Role::Json, r#"["d", {"a": "b"}]"#),
                (Role::Title, "t"),
                (Role::Summary, "sum"),
                (Role::Session, "ses"),
                (Role::Commit, "c"),
            ],
        );
    }

    #[test]
    fn an_older_name_counts_where_the_newer_is_missing_or_says_something_else() {
        let named = [(Role::Title, "t"), (Role::Summary, "s"), (Role::Commit, "c")];
        check(
            r#"{"task_id": "T-1", "summary": "s", "title": "t", "git": {"commit": "c"}}"#,
            &named,
        );
        check(
            r#"{"thread_id": "T-1", "task_id": "X", "summary": "o", "conversation_summary": "s"}"#,
            &[(Role::Summary, "s"), (Role::Other, "o"), (Role::Other, "X")],
        );
        check(
            r#"{"summary": "s", "summary": "z", "git": {"current_commit": "z", "current_commit": "c"}}"#,
            &[(Role::Summary, "s"), (Role::Commit, "c")],
        );
        check(r#"{"git": "main", "worker": 3}"#, &[(Role::Other, "main"), (Role::Json, "3")]);
    }

    #[test]
    fn the_time_is_the_one_that_a_list_shows() {
        use crate::checkpoint::{CheckpointDoc, CheckpointFileKind};
        for json in [
            r#"{"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-02-01T00:00:00Z"}"#,
            r#"{"created_at": "2026-01-01T00:00:00Z", "completed_at": "2026-03-01T00:00:00Z"}"#,
            r#"{"created_at": "2026-01-01T00:00:00Z", "updated_at": 3.5}"#,
            r#"{"created_at": 1767225600000}"#,
            r"{}",
        ] {
            let stem = "T-20260401-120000-x";
            let (doc, _) =
                CheckpointDoc::parse(json.as_bytes().to_vec(), stem, CheckpointFileKind::Thread);
            let texts = CheckpointTexts::parse(json.as_bytes(), stem).unwrap();
            assert_eq!(texts.updated_at(), doc.head().updated_at, "{json}");
        }
    }

    #[test]
    fn what_is_no_checkpoint_has_no_texts() {
        for json in ["", "[]", "3", "{", "{} x", "{\"a\": }"] {
            assert!(CheckpointTexts::parse(json.as_bytes(), "T-1").is_none(), "{json}");
        }
    }
}
