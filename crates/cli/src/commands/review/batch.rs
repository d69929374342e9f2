//! Many comments at once, from JSON.

use std::path::Path;

use skein_review::{AddError, CodeLocation, CommentInput, LocationError, NewThread, items};

use super::CommandContext;
use crate::commands::stdin;
use crate::error::{CliError, CliResult};

/// Reads the comments of a file, or of stdin.
pub(super) fn read(context: &mut CommandContext<'_>, from: &Path) -> CliResult<Vec<NewThread>> {
    let text = stdin::read_text(context, from)?;
    let items =
        items(&text).map_err(|error| CliError::from(error).context("cannot parse the comments"))?;
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

fn thread(context: &CommandContext<'_>, item: CommentInput) -> Result<NewThread, AddError> {
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
