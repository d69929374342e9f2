//! Checks the metadata: reports invalid values and applies defaults.

use super::head::{ContextSpan, Range, ReviewMetadata, Status};
use super::metadata::{Found, Reading};
use crate::diagnostic::{Code, DiagnosticList, brief};
use crate::id::is_file_stem;
use crate::json::{self, Str};
use crate::path::{PathProblem, WorkspacePath};
use crate::span::{Span, line_of};
use crate::time::Time;

impl Reading<'_> {
    /// Checks the metadata and returns its fields.
    pub(super) fn head(
        &self,
        stem: &str,
        store: &str,
        findings: &mut DiagnosticList,
    ) -> ReviewMetadata {
        let bytes = self.bytes;
        let version = self.version.is_some_and(|span| json::is_one(span.of(bytes)));
        if !version {
            let message = "`schemaVersion` is not 1";
            findings.push(Code::ReviewSchemaVersion, self.line(self.version), message);
        }
        let id_is_good = self.check_id(stem, findings);
        let path = self.check_path(store, findings);
        for key in &self.duplicates {
            let message = format!("{} appears twice", String::from_utf8_lossy(key.of(bytes)));
            findings.push(Code::ReviewDuplicateKey, self.line(Some(*key)), message);
        }
        let created_at = self.check_time("createdAt", self.created_at, findings);
        let updated_at = self.check_time("updatedAt", self.updated_at, findings);
        ReviewMetadata {
            usable: version && id_is_good && path.is_some(),
            id: self.id.map(|id| id.to_text(bytes)),
            path_text: self.path.map(|path| path.to_text(bytes)),
            path,
            range: self.check_range(findings),
            status: self.check_status(findings),
            created_at,
            updated_at: updated_at.or(created_at),
            context: self.check_context(findings),
            git: self.git.anchor(bytes),
            has_updated_at: updated_at.is_some(),
        }
    }

    fn line(&self, span: Option<Span>) -> Option<u32> {
        span.map(|span| line_of(self.bytes, span.start))
    }

    fn check_id(&self, stem: &str, findings: &mut DiagnosticList) -> bool {
        if self.id.is_some_and(|id| id.is(self.bytes, stem)) && is_file_stem(stem) {
            return true;
        }
        let id = self.id.map(|id| id.decode(self.bytes).text);
        let line = || self.line(self.id.map(|id| id.span));
        let Some(id) = id.filter(|id| !id.trim().is_empty()) else {
            findings.push(Code::ReviewNoId, line(), "`id` is missing");
            return false;
        };
        if !is_file_stem(&id) {
            let message = format!("the id `{}` cannot name a file", brief(&id));
            findings.push(Code::ReviewUnsafeId, line(), message);
            return false;
        }
        if id != stem {
            let message = format!("the id is `{}`, the file's name `{stem}`", brief(&id));
            findings.push(Code::ReviewIdMismatch, line(), message);
        }
        true
    }

    fn check_path(&self, store: &str, findings: &mut DiagnosticList) -> Option<WorkspacePath> {
        let Some(written) = self.path else {
            findings.push(Code::ReviewNoPath, None, "`target.workspaceRelativePath` is missing");
            return None;
        };
        let text = written.decode(self.bytes).text;
        let path = WorkspacePath::parse(&text, store);
        let path = if text.ends_with('/') { path.and(Err(PathProblem::Directory)) } else { path };
        if let Err(problem) = &path {
            let message = format!("the path `{}` {problem}", brief(&text));
            findings.push(Code::ReviewUnsafePath, self.line(Some(written.span)), message);
        }
        path.ok()
    }

    fn check_status(&self, findings: &mut DiagnosticList) -> Status {
        let is = |word| self.status.is_some_and(|status| status.is(self.bytes, word));
        if is("resolved") {
            return Status::Resolved;
        }
        if !is("open") {
            let line = self.line(self.status.map(|status| status.span));
            findings.push(Code::ReviewBadStatus, line, "`status` is neither `open` nor `resolved`");
        }
        Status::Open
    }

    fn check_time(
        &self,
        name: &str,
        text: Option<Str>,
        findings: &mut DiagnosticList,
    ) -> Option<Time> {
        let time = text.and_then(|text| text.time(self.bytes));
        if time.is_none() {
            let line = self.line(text.map(|text| text.span));
            findings.push(Code::ReviewBadTime, line, format!("`{name}` is missing or not a time"));
        }
        time.map(|parsed| parsed.time)
    }

    fn check_range(&self, findings: &mut DiagnosticList) -> Option<Range> {
        let line = match self.range {
            Found::Good(range) => return Some(range),
            Found::Null => return None,
            Found::Bad(at) => Some(line_of(self.bytes, at)),
            Found::Missing => None,
        };
        findings.push(
            Code::ReviewBadRange,
            line,
            "`target.range` is neither four numbers nor null",
        );
        None
    }

    fn check_context(&self, findings: &mut DiagnosticList) -> Option<ContextSpan> {
        let bad = match self.context {
            Found::Bad(at) => Some(at),
            _ => self.bad_anchor,
        };
        if let Some(at) = bad {
            let line = line_of(self.bytes, at);
            findings.push(
                Code::ReviewBadAnchor,
                Some(line),
                "`target.anchor` has an unknown shape",
            );
        } else if self.path.is_some() && !self.has_anchor_kind {
            // Without a path the target itself is missing, which is reported.
            let missing = if self.has_anchor { "target.anchor.kind" } else { "target.anchor" };
            findings.push(Code::ReviewBadAnchor, None, format!("`{missing}` is missing"));
        }
        match self.context {
            Found::Good(context) => Some(context),
            _ => None,
        }
    }
}
