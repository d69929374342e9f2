//! Adds and removes hooks in a TOML settings file, as a block of lines at the end.

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Table, TableLike, Value};

use super::agent::AgentEvent;
use super::error::HooksError;
use super::program::{HookProgram, is_ours};
use super::toml_text::{append, lines_of, parse, remove_lines, text, with_gap, without_gap};

const BEGIN: &str = "# Written by `skein install`. `skein uninstall codex` removes it.";
const END: &str = "# This is the end of what `skein install` wrote.";

const TABLES: &str = "written in tables such as `[[hooks.Stop]]`";

/// Returns whether the file has hooks of any program.
pub(super) fn has_hooks(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let Ok(document) = Document::parse(text) else { return false };
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    // The agent's own data about hooks in other files is a table, not an array.
    hooks.is_some_and(|hooks| {
        hooks.iter().any(|(_, event)| event.is_array_of_tables() || event.is_array())
    })
}

/// Adds our hooks in place of an older block, or at the end.
pub(super) fn add(
    old: &[u8],
    agent: &str,
    events: &[AgentEvent],
    program: &HookProgram,
) -> Result<Vec<u8>, HooksError> {
    let text = text(old)?;
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = block(agent, events, program);
    let block = lines.replace('\n', eol);
    let new = match find(text, agent) {
        Some((start, end)) if text.get(start..end) == Some(&block) => return Ok(old.to_vec()),
        Some((start, end)) => replace(text, start, end, &block),
        None => {
            let rest = remove_ours(old, agent)?;
            append(self::text(&rest)?, &lines)
        }
    };
    match parse(&new) {
        Ok(_) => Ok(new.into_bytes()),
        Err(_) => Err(HooksError::Shape { name: "hooks".to_owned(), expected: TABLES }),
    }
}

/// Removes the block. If others wrote into it, as Codex does, removes each of our hooks instead.
pub(super) fn remove_ours(old: &[u8], agent: &str) -> Result<Vec<u8>, HooksError> {
    let text = text(old)?;
    if let Some((start, end)) = find(text, agent) {
        return Ok(remove_lines(text, vec![with_gap(text, start..end)]).into_bytes());
    }
    let mut left = remove_lines(text, own_tables(text, &parse(text)?, agent));
    let mut document: DocumentMut = parse(&left)?.into_mut();
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut)
        && remove_inline(hooks, agent)
    {
        left = document.to_string();
    }
    if left == text {
        return Ok(old.to_vec());
    }
    Ok(without_marks(&left).into_bytes())
}

/// Returns the lines of our hooks that are tables, and of groups that have no other hook.
fn own_tables(text: &str, document: &Document<String>, agent: &str) -> Vec<Range<usize>> {
    let mut tables: Vec<&Table> = Vec::new();
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    let events = hooks.into_iter().flat_map(TableLike::iter);
    let groups = events.filter_map(|(_, event)| event.as_array_of_tables());
    for group in groups.flatten() {
        let is_all_ours = match group.get("hooks") {
            Some(Item::ArrayOfTables(hooks)) => {
                let before = tables.len();
                tables.extend(hooks.iter().filter(|hook| calls_us(*hook, agent)));
                tables.len() - before == hooks.len()
            }
            Some(Item::Value(Value::Array(hooks))) => {
                let mut hooks = hooks.iter().map(Value::as_inline_table).peekable();
                hooks.peek().is_some()
                    && hooks.all(|hook| hook.is_some_and(|hook| calls_us(hook, agent)))
            }
            _ => false,
        };
        tables.extend(is_all_ours.then_some(group));
    }
    tables.into_iter().filter_map(|table| lines_of(text, table)).collect()
}

/// Removes our hooks that are values, and the lists that become empty; returns whether there was one.
fn remove_inline(hooks: &mut dyn TableLike, agent: &str) -> bool {
    let mut changed = false;
    let mut emptied = Vec::new();
    for (name, event) in hooks.iter_mut() {
        match event {
            Item::ArrayOfTables(groups) => {
                for group in groups.iter_mut() {
                    changed |= remove_from_group(group, agent).is_some();
                }
            }
            Item::Value(Value::Array(groups)) => {
                let remove = |group| remove_from_group(Value::as_inline_table_mut(group)?, agent);
                let left: Vec<Option<bool>> = groups.iter_mut().map(remove).collect();
                changed |= left.iter().any(Option::is_some);
                let mut is_empty = left.iter().map(|left| *left == Some(true));
                groups.retain(|_| !is_empty.next().unwrap_or(false));
                if groups.is_empty() && left.iter().any(Option::is_some) {
                    emptied.push(name.get().to_owned());
                }
            }
            _ => {}
        }
    }
    for name in emptied {
        hooks.remove(&name);
    }
    changed
}

/// Removes our hooks from the list of a group. If there was one, returns whether no hook is left.
fn remove_from_group(group: &mut dyn TableLike, agent: &str) -> Option<bool> {
    let Item::Value(Value::Array(hooks)) = group.get_mut("hooks")? else { return None };
    let before = hooks.len();
    hooks.retain(|hook| !hook.as_inline_table().is_some_and(|hook| calls_us(hook, agent)));
    (hooks.len() < before).then(|| hooks.is_empty())
}

fn calls_us(hook: &dyn TableLike, agent: &str) -> bool {
    let command = hook.get("command").and_then(Item::as_str);
    command.is_some_and(|command| is_ours(command, agent))
}

/// Removes the first and last line of the block, and the empty line before it.
fn without_marks(text: &str) -> String {
    let mut left = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim() {
            BEGIN => left.truncate(without_gap(&left).len()),
            END => {}
            _ => left.push_str(line),
        }
    }
    left
}

/// Finds the block, if it contains only lines that Skein writes.
fn find(text: &str, agent: &str) -> Option<(usize, usize)> {
    let start = text.find(BEGIN)?;
    let rest = text.get(start..)?;
    let end = start + rest.find(END)? + END.len();
    let after = text.get(end..)?;
    let eol = ["\r\n", "\n"].into_iter().find(|eol| after.starts_with(eol)).map_or(0, str::len);
    let inside = text.get(start + BEGIN.len()..end - END.len())?;
    let is_plain = inside.lines().map(str::trim).all(|line| {
        let plain = ["[[hooks.", "type = ", "timeout = ", "matcher = "];
        line.is_empty()
            || plain.iter().any(|start| line.starts_with(start))
            || (line.starts_with("command = ") && is_our_line(line, agent))
    });
    is_plain.then_some((start, end + eol))
}

fn is_our_line(line: &str, agent: &str) -> bool {
    let line = Document::parse(line).ok();
    let command = line.as_ref().and_then(|line| line.get("command")).and_then(Item::as_str);
    command.is_some_and(|command| is_ours(command, agent))
}

fn block(agent: &str, events: &[AgentEvent], program: &HookProgram) -> String {
    let lines = |event: &AgentEvent| {
        let command = Value::from(program.hook(agent, event.name));
        let AgentEvent { key, timeout, .. } = event;
        let matcher = event.matcher.map(|matcher| format!("matcher = \"{matcher}\"\n"));
        let matcher = matcher.unwrap_or_default();
        format!(
            "[[hooks.{key}]]\n{matcher}[[hooks.{key}.hooks]]\ntype = \"command\"\ncommand = {command}\ntimeout = {timeout}\n"
        )
    };
    let hooks: String = events.iter().map(lines).collect();
    format!("{BEGIN}\n{hooks}{END}\n")
}

fn replace(text: &str, start: usize, end: usize, with: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(start..end, with);
    text
}
