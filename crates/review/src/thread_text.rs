//! Formats one thread for an agent that has tools instead of a command line.

use skein_format::redact::redact;
use skein_model::Turn;
use skein_model::sanitize::escape_control;
use skein_model::view::{CommentView, ExcerptView, ReviewBody, ReviewRow, ThreadView};

use super::prompt::{has_suggestion, line, other_branch, place, write_comment};
use super::quote::inline;

/// Maximum length of a line of code.
const MAX_LINE_CHARS: usize = 300;
/// Maximum number of lines of the current code.
const MAX_CODE_LINES: usize = 40;
/// The lines of context before the commented ones.
const CONTEXT_LINES: u32 = 3;

/// Returns a thread as Markdown of at most `max_chars` characters: its place, the code and the comments.
///
/// Every text from a file is quoted or fenced so that it cannot end its quotation. Texts and comments that do not fit are left out;
/// the first and the last comments stay.
pub fn thread_text(view: &ThreadView, id: &str, state: &str, max_chars: usize) -> String {
    let Some(body) = view.review_body() else { return String::new() };
    let at = body.placement.as_ref().map_or_else(String::new, |placement| placement.at());
    let mut head = format!("## {id} {}\n\n{state}\n\n", inline(&at));
    if let Some(branch) = view.row.review().and_then(ReviewRow::other_branch) {
        other_branch(&mut head, branch);
    }
    let (code, left_out) = shortened_code(body, max_chars / 3);
    place(&mut head, &code);
    if left_out > 0 {
        line(&mut head, &format!("… ({left_out} more lines of code are left out)"));
    }
    let head = escape_control(&head).into_owned();
    let end = if has_suggestion(body) {
        "A block `suggestion` replaces the commented lines; make the change with your own tools.\n\n"
    } else {
        ""
    };
    let used = head.chars().count() + end.chars().count();
    head + &comments(&body.comments, max_chars.saturating_sub(used)) + end
}

/// Returns whose turn it is, if the thread is open.
pub fn turn_text(row: &ReviewRow) -> Option<String> {
    Some(match (row.waiting_on?, &row.waiting_on_name) {
        (_, Some(name)) => format!("waits on {}", inline(name)),
        (Turn::Agent, None) => "waits on an agent".to_owned(),
        (Turn::Reviewer, None) => "waits on the reviewer".to_owned(),
    })
}

/// Returns the body without comments, and with about `max_chars` characters of code; and the number of lines left out.
fn shortened_code(body: &ReviewBody, max_chars: usize) -> (ReviewBody, usize) {
    let block = |text: &String| shorten(text, max_chars / 2);
    let mut short = ReviewBody {
        comments: Vec::new(),
        patch: body.patch.as_ref().map(block),
        selection: body.selection.as_ref().map(block),
        ..body.clone()
    };
    let left_out = short.code.as_mut().map_or(0, |code| {
        let marked = body.placement.as_ref().and_then(|placement| placement.start_line);
        let before = marked.map_or(0, |line| line.saturating_sub(code.start_line));
        shorten_excerpt(code, before.saturating_sub(CONTEXT_LINES), max_chars / 2)
    });
    (short, left_out)
}

/// Keeps the lines after the first `skipped` ones, as far as they fit; returns the number of those left out after them.
fn shorten_excerpt(code: &mut ExcerptView, skipped: u32, max_chars: usize) -> usize {
    let mut left = max_chars;
    let mut all = std::mem::take(&mut code.lines).into_iter().skip(skipped as usize).peekable();
    while let Some(line) = all.peek()
        && code.lines.len() < MAX_CODE_LINES
    {
        let line = shorten_line(&escape_control(line));
        // The number of the line is printed before it.
        let length = line.chars().count() + 10;
        if length > left {
            break;
        }
        left -= length;
        code.lines.push(line);
        all.next();
    }
    code.start_line += skipped;
    all.count()
}

fn shorten_line(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// Returns at most `max_chars` characters of a text, and says how many are left out.
fn shorten(text: &str, max_chars: usize) -> String {
    let text = escape_control(text);
    let short: String = text.chars().take(max_chars).collect();
    match text.chars().count() - short.chars().count() {
        0 => short,
        left_out => format!("{short}\n… ({left_out} characters are left out)"),
    }
}

/// Returns the first comment, and as many of the last as fit.
fn comments(all: &[CommentView], max_chars: usize) -> String {
    let max_comment_chars = max_chars / 3;
    let texts: Vec<String> = all.iter().map(|one| comment(one, max_comment_chars)).collect();
    let length = |text: &String| text.chars().count();
    let Some((first, rest)) = texts.split_first() else { return String::new() };
    let mut left =
        max_chars.saturating_sub(length(first) + "… (1000000 comments are left out)\n\n".len());
    let fits = rest.iter().rev().take_while(|text| {
        let is_fitting = length(text) <= left;
        left = left.saturating_sub(length(text));
        is_fitting
    });
    let (left_out, last) = rest.split_at(rest.len() - fits.count());
    let note = match left_out.len() {
        0 => String::new(),
        1 => "… (1 comment is left out)\n\n".to_owned(),
        many => format!("… ({many} comments are left out)\n\n"),
    };
    first.clone() + &note + &last.concat()
}

/// Returns a comment of at most `max_chars` characters.
fn comment(comment: &CommentView, max_chars: usize) -> String {
    let body = redact(&comment.body);
    let mut kept = max_chars;
    loop {
        let body = shorten(&body, kept);
        let author = escape_control(&comment.author).into_owned();
        let mut out = String::new();
        write_comment(&mut out, &CommentView { body, author, ..comment.clone() });
        // Quotation marks and escapes make a text longer.
        if kept == 0 || out.chars().count() <= max_chars {
            return out;
        }
        kept /= 2;
    }
}
