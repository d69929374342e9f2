//! Pieces of Markdown.

use super::input::{Todo, TodoState};

/// Maximum length of a todo.
const MAX_TODO_CHARS: usize = 200;

pub(crate) fn code_block(text: &str) -> String {
    code_block_in("", text)
}

/// Returns a block of code in a language.
pub(super) fn code_block_in(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

pub(crate) fn inline_code(text: &str) -> String {
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let space = if fence.len() > 1 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

pub(crate) fn shorten(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub(super) fn quote(text: &str) -> String {
    let lines: Vec<_> = text.trim().lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// Returns a line of a list with check marks.
pub(crate) fn todo_line(todo: &Todo) -> String {
    let text = shorten(todo.text.trim(), MAX_TODO_CHARS);
    match todo.state {
        TodoState::Open => format!("- [ ] {text}"),
        TodoState::Active => format!("- [ ] **{text}**"),
        TodoState::Done => format!("- [x] {text}"),
        TodoState::Cancelled => format!("- [x] ~~{text}~~"),
    }
}
