//! Adds and removes hooks in a TOML settings file, as a block of lines at the end.

use skein_format::span::line_of;
use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

use super::agent::AgentEvent;
use super::error::HooksError;
use super::program::{HookProgram, is_ours};

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
    let block = block(agent, events, program).replace('\n', eol);
    let new = match find(text, agent) {
        Some((start, end)) if text.get(start..end) == Some(&block) => return Ok(old.to_vec()),
        Some((start, end)) => replace(text, start, end, &block),
        None => {
            let rest = remove_ours(old, agent)?;
            let rest = self::text(&rest)?;
            let gap = match rest {
                "" => "",
                rest if rest.ends_with('\n') => eol,
                _ => &eol.repeat(2),
            };
            format!("{rest}{gap}{block}")
        }
    };
    match parse(&new) {
        Ok(_) => Ok(new.into_bytes()),
        Err(_) => Err(HooksError::Shape { name: "hooks".to_owned(), expected: TABLES }),
    }
}

/// Removes the block. If others wrote into it, removes each of our hooks instead.
pub(super) fn remove_ours(old: &[u8], agent: &str) -> Result<Vec<u8>, HooksError> {
    let text = text(old)?;
    if let Some((start, end)) = find(text, agent) {
        let before = text.get(..start).unwrap_or_default();
        // The empty line before the block belongs to it.
        let gap = ["\r\n", "\n"]
            .into_iter()
            .find(|gap| before.strip_suffix(gap).is_some_and(|rest| rest.ends_with('\n')));
        let start = start - gap.map_or(0, str::len);
        return Ok(replace(text, start, end, "").into_bytes());
    }
    let mut document: DocumentMut = parse(text)?.into_mut();
    let mut changed = false;
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) {
        changed = remove_hooks(hooks, agent);
    }
    if !changed {
        return Ok(old.to_vec());
    }
    let marks = |line: &&str| ![BEGIN, END].contains(&line.trim());
    let left = document.to_string();
    Ok(left.split_inclusive('\n').filter(marks).collect::<String>().into_bytes())
}

/// Removes our hooks, and the events that become empty; returns whether there was one.
fn remove_hooks(hooks: &mut dyn TableLike, agent: &str) -> bool {
    let mut changed = false;
    let mut emptied = Vec::new();
    for (name, event) in hooks.iter_mut() {
        let Some(is_empty) = remove_from_event(event, agent) else { continue };
        changed = true;
        if is_empty {
            emptied.push(name.get().to_owned());
        }
    }
    for name in emptied {
        hooks.remove(&name);
    }
    changed
}

/// Removes our hooks from the groups of an event. If there was one, returns whether no group is left.
fn remove_from_event(event: &mut Item, agent: &str) -> Option<bool> {
    let remove_from = |group: Option<&mut dyn TableLike>| remove_from_group(group?, agent);
    match event {
        Item::ArrayOfTables(groups) => {
            let left: Vec<Option<bool>> =
                groups.iter_mut().map(|group| remove_from(Some(group))).collect();
            let mut is_empty = left.iter().map(|left| *left == Some(true));
            groups.retain(|_| !is_empty.next().unwrap_or(false));
            left.iter().any(Option::is_some).then(|| groups.is_empty())
        }
        Item::Value(Value::Array(groups)) => {
            let table = |group| Value::as_inline_table_mut(group).map(|group| group as _);
            let left: Vec<Option<bool>> =
                groups.iter_mut().map(|group| remove_from(table(group))).collect();
            let mut is_empty = left.iter().map(|left| *left == Some(true));
            groups.retain(|_| !is_empty.next().unwrap_or(false));
            left.iter().any(Option::is_some).then(|| groups.is_empty())
        }
        _ => None,
    }
}

/// Removes our hooks from a group. If there was one, returns whether no hook is left.
fn remove_from_group(group: &mut dyn TableLike, agent: &str) -> Option<bool> {
    let calls_us = |hook: &dyn TableLike| {
        let command = hook.get("command").and_then(Item::as_str);
        command.is_some_and(|command| is_ours(command, agent))
    };
    match group.get_mut("hooks")? {
        Item::ArrayOfTables(hooks) => {
            let before = hooks.len();
            hooks.retain(|hook| !calls_us(hook));
            (hooks.len() < before).then(|| hooks.is_empty())
        }
        Item::Value(Value::Array(hooks)) => {
            let before = hooks.len();
            hooks.retain(|hook| !hook.as_inline_table().is_some_and(|hook| calls_us(hook)));
            (hooks.len() < before).then(|| hooks.is_empty())
        }
        _ => None,
    }
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

fn text(bytes: &[u8]) -> Result<&str, HooksError> {
    str::from_utf8(bytes).map_err(|_| HooksError::NotText)
}

fn parse(text: &str) -> Result<Document<String>, HooksError> {
    Document::parse(text.to_owned()).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text.as_bytes(), span.start));
        HooksError::Toml { line, message: error.message().trim().to_owned() }
    })
}
