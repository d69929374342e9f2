//! Many comments at once, from JSON.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use skein_engine::review::{AddError, NewThread, Place};

use super::message::stdin;
use crate::commands::Context;
use crate::error::{CliError, ReviewError};

/// A comment in a list; the names that other tools use are known too.
#[derive(Debug, Deserialize)]
struct Item {
    #[serde(alias = "path")]
    file: String,
    #[serde(alias = "start_line", alias = "startLine")]
    line: Option<u32>,
    #[serde(alias = "endLine")]
    end_line: Option<u32>,
    #[serde(alias = "message", alias = "text", alias = "comment", default)]
    body: String,
    #[serde(alias = "suggest")]
    suggestion: Option<String>,
    expect: Option<String>,
}

/// Reads the comments of a file, or of stdin.
pub(super) fn read(context: &mut Context<'_>, from: &Path) -> Result<Vec<NewThread>, CliError> {
    let text = if from.as_os_str() == "-" {
        stdin(context)?
    } else {
        let path = context.env.dir.join(from);
        std::fs::read_to_string(&path).map_err(|source| CliError::Input { path, source })?
    };
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

/// Reads a list, or an object that has one under `comments`.
fn items(text: &str) -> Result<Vec<Item>, ReviewError> {
    let bad = |why: String| ReviewError::BadJson { why };
    let mut document: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    if let Some(list) = document.get_mut("comments") {
        document = list.take();
    }
    let Value::Array(list) = document else {
        return Err(bad("it is neither a list nor an object with a list `comments`".to_owned()));
    };
    let read = |(number, item): (usize, Value)| {
        serde_json::from_value(item).map_err(|why| bad(format!("comment {}: {why}", number + 1)))
    };
    list.into_iter().enumerate().map(read).collect()
}

fn thread(context: &Context<'_>, item: Item) -> Result<NewThread, AddError> {
    let lines = item.line.map(|line| (line, item.end_line.unwrap_or(line)));
    let place = Place::new(&context.workspace, &context.env, &item.file, lines)?;
    let Item { body, suggestion, expect, .. } = item;
    Ok(NewThread { place, body, suggestion, expect })
}
