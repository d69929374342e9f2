//! The question.

/// What is known of the code as it was commented on.
#[derive(Clone, Copy, Debug)]
pub enum OldCode<'a> {
    /// The whole file as it was, and the commented lines in it.
    Whole {
        /// The text of the file.
        text: &'a [u8],
        /// The first commented line, counted from 0.
        start: u32,
        /// The last commented line.
        end: u32,
    },
    /// The excerpt that a thread stores.
    Excerpt {
        /// The lines before the selection.
        before: &'a [String],
        /// The selected text, its lines joined with LF.
        selection: &'a str,
        /// The lines after the selection.
        after: &'a [String],
        /// The line where the selection began, counted from 0.
        start: u32,
    },
}
