//! Adds and removes hooks in a JSON settings file; the rest of the file stays unchanged.

use serde_json::{Value, json};
use skein_format::json::{
    self as text, Dialect, JsonKind, Reader, SyntaxError, bom_len, member, remove, remove_element,
};
use skein_format::span::{Span, line_of};

use super::agent::{AgentEvent, HookFormat};
use super::error::HooksError;
use super::program::{HookProgram, is_ours};

/// Comments and trailing commas are allowed.
const DIALECT: Dialect = Dialect::Jsonc;
/// The version of a file whose events have lists of hooks.
const VERSION: &str = "version";

/// The name of an agent, and what its hooks look like.
type HookOwner<'a> = (&'a str, HookFormat);

/// A hook of ours in a settings file.
struct OwnHook {
    event: String,
    /// The span of the list of the event; without groups, each hook in it counts as its own group.
    groups: Span,
    index: usize,
    group: Span,
    hooks: Span,
    /// The index of the hook in its group, and the size of the group.
    position: (usize, usize),
    hook: Span,
}

/// Adds our hooks; existing ones are updated in place.
pub(super) fn add(
    old: &[u8],
    owner: HookOwner<'_>,
    events: &[AgentEvent],
    program: &HookProgram,
) -> Result<Vec<u8>, HooksError> {
    let mut bytes = old.to_vec();
    if is_blank(&bytes) {
        bytes.extend_from_slice(b"{}\n");
    }
    while let Some(extra) = extra(&bytes, owner, events)? {
        cut(&mut bytes, &extra).map_err(|error| syntax(&bytes, &error))?;
    }
    if owner.1 == HookFormat::List {
        let root = root(&bytes)?;
        let version = member(&bytes, root, DIALECT, VERSION);
        if version.map_err(|error| syntax(&bytes, &error))?.is_none() {
            text::set(&mut bytes, root, DIALECT, &[VERSION], b"1")
                .map_err(|error| syntax(&bytes, &error))?;
        }
    }
    for event in events {
        add_event(&mut bytes, owner, event, program)?;
    }
    Ok(bytes)
}

/// Returns a hook of ours for an unknown event, or a second one for an event.
fn extra(
    bytes: &[u8],
    owner: HookOwner<'_>,
    events: &[AgentEvent],
) -> Result<Option<OwnHook>, HooksError> {
    let mut seen: Vec<String> = Vec::new();
    for found in ours(bytes, owner)? {
        let is_wanted = events.iter().any(|event| event.key == found.event);
        if !is_wanted || seen.contains(&found.event) {
            return Ok(Some(found));
        }
        seen.push(found.event);
    }
    Ok(None)
}

/// Removes our hooks, and the groups and lists that become empty.
pub(super) fn remove_ours(old: &[u8], owner: HookOwner<'_>) -> Result<Vec<u8>, HooksError> {
    let mut bytes = old.to_vec();
    if is_blank(&bytes) {
        return Ok(bytes);
    }
    while let Some(found) = ours(&bytes, owner)?.into_iter().next_back() {
        cut(&mut bytes, &found).map_err(|error| syntax(&bytes, &error))?;
    }
    if owner.1 == HookFormat::List && bytes != old {
        remove_lone_version(&mut bytes).map_err(|error| syntax(&bytes, &error))?;
    }
    Ok(bytes)
}

/// Returns whether a settings file has no settings.
pub(super) fn is_empty(bytes: &[u8]) -> bool {
    let body = bytes.get(bom_len(bytes)..).unwrap_or_default().trim_ascii();
    let inside = body.strip_prefix(b"{").and_then(|body| body.strip_suffix(b"}"));
    body.is_empty() || inside.is_some_and(|inside| inside.trim_ascii().is_empty())
}

/// Returns whether the file is JSON without comments and trailing commas.
pub(super) fn is_strict(bytes: &[u8]) -> bool {
    let body = bytes.get(bom_len(bytes)..).unwrap_or_default();
    text::validate(body, Dialect::Json).is_ok()
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.get(bom_len(bytes)..).is_none_or(|rest| rest.trim_ascii().is_empty())
}

fn add_event(
    bytes: &mut Vec<u8>,
    owner: HookOwner<'_>,
    event: &AgentEvent,
    program: &HookProgram,
) -> Result<(), HooksError> {
    let command = program.hook(owner.0, event.name);
    let existing =
        |bytes: &[u8]| Ok(ours(bytes, owner)?.into_iter().find(|found| found.event == event.key));
    if existing(bytes)?.is_some() {
        while let Some(found) = existing(bytes)? {
            if !refresh(bytes, &found, event, &command)? {
                break;
            }
        }
        return Ok(());
    }
    let group = match owner.1 {
        HookFormat::List => json!({ "command": command, "timeout": event.timeout }),
        _ => group(event, &command),
    };
    let root = root(bytes)?;
    let is_line = !root.of(bytes).contains(&b'\n') && !is_empty(bytes);
    let write = |value: &Value| match is_line {
        true => value.to_string(),
        false => format!("{value:#}"),
    };
    let hooks = object(bytes, root, "hooks")?;
    let groups = hooks.map(|hooks| array(bytes, hooks, event.key)).transpose()?.flatten();
    let done = match (hooks, groups) {
        (_, Some(groups)) => text::append(bytes, groups, DIALECT, write(&group).as_bytes()),
        (Some(hooks), None) => {
            let groups = write(&Value::from(vec![group]));
            text::set(bytes, hooks, DIALECT, &[event.key], groups.as_bytes())
        }
        (None, None) => {
            let hooks = write(&json!({ event.key: [group] }));
            text::set(bytes, root, DIALECT, &["hooks"], hooks.as_bytes())
        }
    };
    done.map_err(|error| syntax(bytes, &error))
}

fn group(event: &AgentEvent, command: &str) -> Value {
    let hook = json!({ "type": "command", "command": command, "timeout": event.timeout });
    match event.matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}

/// Updates one value of an outdated hook, and returns whether there was one. Keys that others added are kept.
fn refresh(
    bytes: &mut Vec<u8>,
    found: &OwnHook,
    event: &AgentEvent,
    command: &str,
) -> Result<bool, HooksError> {
    let is_alone = found.position.1 == 1;
    let wanted = [
        (found.hook, "command", Some(Value::from(command))),
        (found.hook, "timeout", Some(Value::from(event.timeout))),
        (found.group, "matcher", event.matcher.filter(|_| is_alone).map(Value::from)),
    ];
    for (span, name, value) in wanted {
        let Some(value) = value else { continue };
        let there = member(bytes, span, DIALECT, name).map_err(|error| syntax(bytes, &error))?;
        let there = there.map(|there| serde_json::from_slice::<Value>(there.value.of(bytes)));
        if there.and_then(Result::ok).as_ref() == Some(&value) {
            continue;
        }
        let done = text::set(bytes, span, DIALECT, &[name], value.to_string().as_bytes());
        done.map_err(|error| syntax(bytes, &error))?;
        return Ok(true);
    }
    Ok(false)
}

fn cut(bytes: &mut Vec<u8>, found: &OwnHook) -> Result<(), SyntaxError> {
    let (position, among) = found.position;
    if among > 1 {
        return remove_element(bytes, found.hooks, DIALECT, position).map(drop);
    }
    remove_element(bytes, found.groups, DIALECT, found.index)?;
    let all = Span::new(bom_len(bytes), bytes.len());
    if is_empty_at(bytes, all, &["hooks", &found.event])? {
        remove(bytes, all, DIALECT, &["hooks", &found.event])?;
    }
    let all = Span::new(bom_len(bytes), bytes.len());
    if is_empty_at(bytes, all, &["hooks"])? {
        remove(bytes, all, DIALECT, &["hooks"])?;
    }
    Ok(())
}

/// Removes the version from a file that has nothing else.
fn remove_lone_version(bytes: &mut Vec<u8>) -> Result<(), SyntaxError> {
    let all = Span::new(bom_len(bytes), bytes.len());
    let mut keys = Vec::new();
    Reader::new(bytes, all, DIALECT).object(|_, key| {
        keys.push(key.to_text(bytes));
        Ok(())
    })?;
    if keys == [VERSION] { remove(bytes, all, DIALECT, &[VERSION]).map(drop) } else { Ok(()) }
}

fn is_empty_at(bytes: &[u8], root: Span, path: &[&str]) -> Result<bool, SyntaxError> {
    let mut span = root;
    for name in path {
        match member(bytes, span, DIALECT, name)? {
            Some(found) => span = found.value,
            None => return Ok(false),
        }
    }
    Ok(matches!(span.of(bytes), b"[]" | b"{}"))
}

/// Finds every hook of ours, in the order of the file.
fn ours(bytes: &[u8], (agent, format): HookOwner<'_>) -> Result<Vec<OwnHook>, HooksError> {
    let mut found = Vec::new();
    if is_blank(bytes) {
        return Ok(found);
    }
    let root = root(bytes)?;
    let Some(hooks) = object(bytes, root, "hooks")? else { return Ok(found) };
    let failed = |error: SyntaxError| syntax(bytes, &error);
    let mut events = Vec::new();
    let mut reader = Reader::new(bytes, hooks, DIALECT);
    let read = reader.object(|reader, key| {
        let kind = reader.peek()?;
        let value = reader.skip()?;
        if kind == JsonKind::Array {
            events.push((key.to_text(bytes), value));
        }
        Ok(())
    });
    read.map_err(failed)?;
    for (event, groups) in events {
        for (index, group) in elements(bytes, groups).map_err(failed)?.into_iter().enumerate() {
            let (hooks, all) = if format == HookFormat::List {
                (group, vec![group])
            } else {
                let hooks = member(bytes, group, DIALECT, "hooks").map_err(failed)?;
                let Some(hooks) = hooks.filter(|hooks| hooks.kind == JsonKind::Array) else {
                    continue;
                };
                (hooks.value, elements(bytes, hooks.value).map_err(failed)?)
            };
            for (position, hook) in all.iter().enumerate() {
                if !calls_us(bytes, *hook, agent).map_err(failed)? {
                    continue;
                }
                found.push(OwnHook {
                    event: event.clone(),
                    groups,
                    index,
                    group,
                    hooks,
                    position: (position, all.len()),
                    hook: *hook,
                });
            }
        }
    }
    Ok(found)
}

fn calls_us(bytes: &[u8], hook: Span, agent: &str) -> Result<bool, SyntaxError> {
    let command = member(bytes, hook, DIALECT, "command")?;
    let Some(command) = command.filter(|command| command.kind == JsonKind::String) else {
        return Ok(false);
    };
    let command = Reader::new(bytes, command.value, DIALECT).string()?.to_text(bytes);
    Ok(is_ours(&command, agent))
}

fn elements(bytes: &[u8], array: Span) -> Result<Vec<Span>, SyntaxError> {
    let mut all = Vec::new();
    Reader::new(bytes, array, DIALECT).array(|reader| {
        all.push(reader.skip()?);
        Ok(())
    })?;
    Ok(all)
}

/// Returns the span of the outermost object.
fn root(bytes: &[u8]) -> Result<Span, HooksError> {
    let mut reader = Reader::new(bytes, Span::new(bom_len(bytes), bytes.len()), DIALECT);
    let failed = |error: SyntaxError| syntax(bytes, &error);
    let kind = reader.peek().map_err(failed)?;
    let span = reader.skip().map_err(failed)?;
    reader.finish().map_err(failed)?;
    match kind {
        JsonKind::Object => Ok(span),
        _ => Err(HooksError::Shape { name: "the file".to_owned(), expected: "an object" }),
    }
}

fn object(bytes: &[u8], span: Span, name: &str) -> Result<Option<Span>, HooksError> {
    typed(bytes, span, name, JsonKind::Object, "an object")
}

fn array(bytes: &[u8], span: Span, name: &str) -> Result<Option<Span>, HooksError> {
    typed(bytes, span, name, JsonKind::Array, "a list")
}

fn typed(
    bytes: &[u8],
    span: Span,
    name: &str,
    kind: JsonKind,
    expected: &'static str,
) -> Result<Option<Span>, HooksError> {
    let found = member(bytes, span, DIALECT, name).map_err(|error| syntax(bytes, &error))?;
    match found {
        Some(found) if found.kind == kind => Ok(Some(found.value)),
        Some(_) => Err(HooksError::Shape { name: name.to_owned(), expected }),
        None => Ok(None),
    }
}

fn syntax(bytes: &[u8], error: &SyntaxError) -> HooksError {
    HooksError::Json { line: line_of(bytes, error.at), expected: error.expected }
}
