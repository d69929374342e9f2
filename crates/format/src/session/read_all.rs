//! Reads and checks every entry of a map.

use std::str;

use super::SessionMapDoc;
use super::entry::{Entry, Mode, ValidText};
use super::entry_template::EntryTemplate;
use super::mapping::Mapping;
use crate::diagnostic::DiagnosticList;
use crate::json::{self};

/// Reads every entry of a valid map; a session may have several.
pub(super) fn read_all<'a>(
    doc: &'a SessionMapDoc,
    mode: Mode,
    findings: &mut DiagnosticList,
) -> Vec<Mapping<'a>> {
    let (bytes, list) = (&doc.bytes, doc.layout().mappings);
    let mut mappings = Vec::with_capacity(doc.positions().keyed.len());
    let mut number = 0;
    // Checking once that the whole list is UTF-8 is faster than checking each text.
    let valid = str::from_utf8(list.of(bytes)).ok();
    let valid = valid.map(|text| ValidText { text, start: list.start });
    let (mut template, mut entry) = (EntryTemplate::default(), Entry::default());
    json::for_each_element(bytes, list, |reader| {
        number += 1;
        template.read(reader, &mut entry)?;
        mappings.extend(entry.judge(bytes, valid, number, mode, findings));
        Ok(())
    });
    mappings
}
