//! Many comments at once, from JSON.

use std::path::Path;

use skein_review::{AddError, CodeLocation, CommentInput, LocationError, NewThread, items};

use crate::commands::Context;
use crate::commands::stdin::{self, is_stdin};
use crate::error::CliError;

/// Reads the comments of a file, or of stdin.
pub(super) fn read(context: &mut Context<'_>, from: &Path) -> Result<Vec<NewThread>, CliError> {
    let text = text_of(context, from)?;
    let items = items(&text)?;
    let mut threads = Vec::new();
    let mut errors = Vec::new();
    let all = items.len();
    for (number, item) in items.into_iter().enumerate() {
        match thread(context, item) {
            Ok(thread) => threads.push(thread),
            Err(error) => errors.push((number + 1, error)),
        }
    }
    if errors.is_empty() { Ok(threads) } else { Err(AddError::Many { errors, all }.into()) }
}

fn thread(context: &Context<'_>, item: CommentInput) -> Result<NewThread, AddError> {
    if let Some(name) = item.stray() {
        return Err(AddError::Field { name: name.to_owned() });
    }
    if let (None, Some(last)) = (item.line, item.end_line) {
        return Err(LocationError::Lines { text: format!("{}:?-{last}", item.file) }.into());
    }
    let place = CodeLocation::new(&context.workspace, &context.env, &item.file, item.lines())?;
    let CommentInput { body, suggestion, expect, .. } = item;
    Ok(NewThread { place, body, suggestion, expect })
}

/// Reads a file, or stdin for `-`.
pub(super) fn text_of(context: &mut Context<'_>, from: &Path) -> Result<String, CliError> {
    if is_stdin(from) {
        return stdin::text(context);
    }
    let path = context.env.dir.join(from);
    std::fs::read_to_string(&path).map_err(|source| CliError::Input { path, source })
}
