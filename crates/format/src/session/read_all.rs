//! Every entry of a map, judged.

use std::str;

use super::SessionMapDoc;
use super::entry::{Entry, Mode, Whole};
use super::entry_template::EntryTemplate;
use super::mapping::Mapping;
use crate::both::both;
use crate::diagnostic::DiagnosticList;
use crate::json::{Dialect, Reader};
use crate::span::Span;

/// With more entries than this, another thread takes the second half of them.
const THREADS_THRESHOLD: usize = 10_000;

/// A part of the list.
#[derive(Clone, Copy)]
struct Part<'a> {
    doc: &'a SessionMapDoc,
    mode: Mode,
    /// Where its entries stand.
    span: Span,
    /// How many entries stand before them.
    before: usize,
    /// About how many of them there are.
    room: usize,
}

/// Reads every entry of a sound map; several may be of one session.
pub(super) fn read_all<'a>(
    doc: &'a SessionMapDoc,
    mode: Mode,
    findings: &mut DiagnosticList,
) -> Vec<Mapping<'a>> {
    let list = doc.layout.mappings;
    let all = Part {
        doc,
        mode,
        span: Span::new(list.start + 1, list.end - 1),
        before: 0,
        room: doc.places.keyed.len(),
    };
    match all.halves() {
        None => all.read(findings),
        Some((first, second)) => read_both(first, second, findings),
    }
}

fn read_both<'a>(
    first: Part<'a>,
    second: Part<'a>,
    findings: &mut DiagnosticList,
) -> Vec<Mapping<'a>> {
    let rest = || {
        let mut findings = DiagnosticList::default();
        (second.read(&mut findings), findings)
    };
    let (mut mappings, (others, found)) = both(|| first.read(findings), rest);
    mappings.extend(others);
    findings.append(found);
    mappings
}

impl<'a> Part<'a> {
    fn halves(self) -> Option<(Self, Self)> {
        let middle =
            self.doc.places.keyed.get(self.room / 2).filter(|_| self.room > THREADS_THRESHOLD)?;
        let Span { start, end } = self.span;
        // The first half has room for what comes of both.
        let first = Self { span: Span::new(start, middle.span.start), ..self };
        let span = Span::new(middle.span.start, end);
        let room = self.room - self.room / 2;
        Some((first, Self { span, before: middle.before, room, ..self }))
    }

    fn read(self, findings: &mut DiagnosticList) -> Vec<Mapping<'a>> {
        let bytes = &self.doc.bytes;
        let mut mappings = Vec::with_capacity(self.room);
        let mut number = self.before;
        // It is quicker to see once that all of it is text than for each of its texts.
        let whole = str::from_utf8(self.span.of(bytes)).ok();
        let whole = whole.map(|text| Whole { text, start: self.span.start });
        let (mut habit, mut entry) = (EntryTemplate::default(), Entry::default());
        let read = Reader::new(bytes, self.span, Dialect::Json).elements(|reader| {
            number += 1;
            habit.read(reader, &mut entry)?;
            mappings.extend(entry.judge(bytes, whole, number, self.mode, findings));
            Ok(())
        });
        // The whole file was checked when its outline was read.
        debug_assert!(read.is_ok());
        mappings
    }
}
