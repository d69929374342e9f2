//! Reads entries faster if they have the layout of a previous entry.

use super::entry::{Entry, FIELDS, Slot};
use crate::json::{Reader, Str, SyntaxError, plain_until};
use crate::span::Span;

/// The text before each value and after the last one, in entries that contain only fields in the
/// order of the contract.
///
/// Programs write all entries with the same layout. If the bytes between the values are the same as in a
/// previous entry, they are not parsed again, which takes a third of the time.
#[derive(Default)]
pub(super) struct EntryTemplate<'a> {
    /// From the previous value, or from the start of the entry, to the quote that opens the value.
    leads: [&'a [u8]; FIELDS.len()],
    tail: &'a [u8],
}

impl<'a> EntryTemplate<'a> {
    /// Reads the next entry into `entry`.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'a>,
        entry: &mut Entry,
    ) -> Result<(), SyntaxError> {
        reader.peek()?;
        if self.recognise(reader, entry).is_some() {
            return Ok(());
        }
        let mut plain = true;
        *entry = Entry::read(reader, |_, _| plain = false)?;
        if plain {
            self.learn(reader.bytes(), entry);
        }
        Ok(())
    }

    fn recognise(&self, reader: &mut Reader<'a>, entry: &mut Entry) -> Option<()> {
        let (bytes, start) = (reader.bytes(), reader.position());
        let mut at = start;
        for (slot, lead) in entry.clear().iter_mut().zip(self.leads) {
            // The field may be missing; if there is other text instead, nothing after it will match. The text
            // that starts an entry does not match inside of one.
            let within = at > start && lead.first() == Some(&b'{');
            if lead.is_empty() || within || !bytes.get(at..)?.starts_with(lead) {
                continue;
            }
            let open = at + lead.len();
            let end = plain_until(bytes, open);
            if bytes.get(end) != Some(&b'"') {
                return None;
            }
            at = end + 1;
            *slot = Slot::Text(Str { span: Span::new(open - 1, at), escaped: false });
        }
        if at == start || !bytes.get(at..)?.starts_with(self.tail) {
            return None;
        }
        entry.span = Span::new(start, at + self.tail.len());
        reader.pass_to(entry.span.end);
        Some(())
    }

    fn learn(&mut self, bytes: &'a [u8], entry: &Entry) {
        let mut leads = self.leads;
        let mut at = entry.span.start;
        for (n, lead) in leads.iter_mut().enumerate() {
            let text = match entry.slot(n) {
                Slot::Text(text) if text.span.start >= at => text.span,
                Slot::Missing => continue,
                _ => return,
            };
            *lead = Span::new(at, text.start + 1).of(bytes);
            at = text.end;
        }
        if at > entry.span.start && !entry.is_doubled() {
            (self.leads, self.tail) = (leads, Span::new(at, entry.span.end).of(bytes));
        }
    }
}
