//! The entry of the MCP server in the settings of an agent.

use std::path::Path;

use serde_json::{Value, json};
use skein_format::json::{self as text, Dialect, JsonKind, bom_len, member};
use skein_format::span::{Span, line_of};
use toml_edit::{Array, DocumentMut, Item, Table, Value as TomlValue, value};

use super::agent::{EntryForm, RootArgument, ServerFormat, Syntax};
use super::error::HooksError;
use super::json_hooks::is_empty;
use super::program::HookProgram;
use super::toml_text::{
    self, append, has_same_values, lines_of, remove_lines, tables_in, with_gap,
};

/// Comments and trailing commas are allowed.
const DIALECT: Dialect = Dialect::Jsonc;

impl ServerFormat {
    /// Adds the entry, or sets the program of an older one. Returns none if the entry is not ours.
    pub(super) fn add(
        &self,
        old: &[u8],
        program: &HookProgram,
        top: &Path,
    ) -> Result<Option<Vec<u8>>, HooksError> {
        match self.syntax {
            Syntax::Json => self.add_json(old, program, top),
            Syntax::Toml => self.add_toml(old, program),
        }
    }

    /// Removes the entry if it is ours, and the objects around it that become empty.
    pub(super) fn remove(&self, old: &[u8]) -> Result<Vec<u8>, HooksError> {
        match self.syntax {
            Syntax::Json => self.remove_json(old),
            Syntax::Toml => self.remove_toml(old),
        }
    }

    fn add_json(
        &self,
        old: &[u8],
        program: &HookProgram,
        top: &Path,
    ) -> Result<Option<Vec<u8>>, HooksError> {
        let mut bytes = old.to_vec();
        if is_empty(&bytes) && !bytes.contains(&b'{') {
            bytes.extend_from_slice(b"{}\n");
        }
        let entry = self.entry(&bytes)?;
        let root = whole(&bytes);
        let Some(entry) = entry else {
            let value = format!("{:#}", self.value(program, top));
            text::set(&mut bytes, root, DIALECT, self.keys, value.as_bytes())
                .map_err(|error| syntax(&bytes, &error))?;
            return Ok(Some(bytes));
        };
        let Some(known) = is_ours(&entry) else { return Ok(None) };
        if known == program.path() {
            return Ok(Some(bytes));
        }
        // Arguments and keys that the user added stay.
        let command = match entry.get("command") {
            Some(Value::Array(words)) => {
                let rest = words.iter().skip(1).cloned();
                Value::from_iter(std::iter::once(Value::from(program.path())).chain(rest))
            }
            _ => Value::from(program.path()),
        };
        let keys: Vec<&str> = self.keys.iter().copied().chain(["command"]).collect();
        text::set(&mut bytes, root, DIALECT, &keys, command.to_string().as_bytes())
            .map_err(|error| syntax(&bytes, &error))?;
        Ok(Some(bytes))
    }

    fn remove_json(&self, old: &[u8]) -> Result<Vec<u8>, HooksError> {
        let mut bytes = old.to_vec();
        if is_empty(&bytes) || self.entry(&bytes)?.as_ref().and_then(is_ours).is_none() {
            return Ok(bytes);
        }
        for depth in (1..=self.keys.len()).rev() {
            let keys = self.keys.get(..depth).unwrap_or_default();
            let is_entry = depth == self.keys.len();
            if !is_entry && !find(&bytes, keys)?.is_some_and(|span| is_empty(span.of(&bytes))) {
                break;
            }
            let root = whole(&bytes);
            text::remove(&mut bytes, root, DIALECT, keys)
                .map_err(|error| syntax(&bytes, &error))?;
        }
        Ok(bytes)
    }

    /// Returns the entry, if there is one.
    fn entry(&self, bytes: &[u8]) -> Result<Option<Value>, HooksError> {
        let Some(span) = find(bytes, self.keys)? else { return Ok(None) };
        // An entry with comments is the user's.
        Ok(Some(serde_json::from_slice(span.of(bytes)).unwrap_or(Value::Null)))
    }

    fn value(&self, program: &HookProgram, top: &Path) -> Value {
        let root = match self.root {
            RootArgument::None => None,
            RootArgument::Variable => Some("${workspaceFolder}".to_owned()),
            RootArgument::Path => Some(top.display().to_string()),
        };
        let dir = root.map(|root| ["-C".to_owned(), root]).into_iter().flatten();
        let arguments: Vec<String> = dir.chain(["mcp".to_owned()]).collect();
        let program = program.path();
        match self.form {
            EntryForm::Plain => json!({ "command": program, "args": arguments }),
            EntryForm::Stdio => json!({ "type": "stdio", "command": program, "args": arguments }),
            EntryForm::List => {
                let command: Vec<String> = std::iter::once(program).chain(arguments).collect();
                json!({ "type": "local", "command": command })
            }
        }
    }

    fn add_toml(&self, old: &[u8], program: &HookProgram) -> Result<Option<Vec<u8>>, HooksError> {
        let mut document = toml(old)?;
        let [servers, name] = self.keys else { return Ok(None) };
        let known = document.get(servers).and_then(|servers| servers.get(name));
        if let Some(known) = known {
            let Some(path) = is_ours_in_toml(known) else { return Ok(None) };
            if path == program.path() {
                return Ok(Some(old.to_vec()));
            }
        }
        if known.is_none() {
            // Tables that are added to a parsed document can end up between others.
            let text = toml_text::text(old)?;
            let command = TomlValue::from(program.path());
            let entry = format!("[{servers}.{name}]\ncommand = {command}\nargs = [\"mcp\"]\n");
            let added = append(text, &entry);
            if toml_text::parse(&added).is_ok() {
                return Ok(Some(added.into_bytes()));
            }
        }
        let servers = document.entry(servers).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let Some(servers) = servers.as_table_like_mut() else {
            let name = self.keys.join(".");
            return Err(HooksError::Shape { name, expected: "a table" });
        };
        if let Some(entry) = servers.get_mut(name).and_then(Item::as_table_like_mut) {
            entry.insert("command", value(program.path()));
        } else {
            let mut entry = Table::new();
            entry.insert("command", value(program.path()));
            entry.insert("args", value(Array::from_iter(["mcp"])));
            servers.insert(name, Item::Table(entry));
        }
        Ok(Some(document.to_string().into_bytes()))
    }

    fn remove_toml(&self, old: &[u8]) -> Result<Vec<u8>, HooksError> {
        let text = toml_text::text(old)?;
        let document = toml_text::parse(text)?;
        let [servers_key, name] = self.keys else { return Ok(old.to_vec()) };
        let Some(entry) = document.get(servers_key).and_then(|servers| servers.get(name)) else {
            return Ok(old.to_vec());
        };
        if is_ours_in_toml(entry).is_none() {
            return Ok(old.to_vec());
        }
        let by_lines = entry.as_table().and_then(|table| without_table(text, table));
        let mut document = document.into_mut();
        if let Some(servers) = document.get_mut(servers_key).and_then(Item::as_table_like_mut) {
            servers.remove(name);
            if servers.is_empty() {
                document.remove(servers_key);
            }
        }
        // Lines keep the comments and the order of all other tables.
        let is_exact = |left: &String| {
            toml_text::parse(left)
                .is_ok_and(|left| has_same_values(left.as_table(), document.as_table()))
        };
        let left = by_lines.filter(is_exact).unwrap_or_else(|| document.to_string());
        Ok(left.into_bytes())
    }
}

/// Removes the lines of a table and of the tables that the user added to it, such as one of variables.
fn without_table(text: &str, table: &Table) -> Option<String> {
    let inner = tables_in(table).into_iter().filter_map(|table| lines_of(text, table));
    let own = with_gap(text, lines_of(text, table)?);
    Some(remove_lines(text, inner.map(|lines| with_gap(text, lines)).chain([own]).collect()))
}

/// Returns the program of an entry that starts our server.
fn is_ours(entry: &Value) -> Option<String> {
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let words = match entry.get("command")? {
        Value::String(program) => {
            let arguments = entry.get("args").map(texts).unwrap_or_default();
            std::iter::once(program.clone()).chain(arguments).collect()
        }
        list => texts(list),
    };
    starts_server(&words)
}

fn is_ours_in_toml(entry: &Item) -> Option<String> {
    let program = entry.get("command")?.as_str()?.to_owned();
    let arguments = entry.get("args").and_then(Item::as_array);
    let arguments = arguments.into_iter().flatten().filter_map(|one| one.as_str());
    let words: Vec<String> = std::iter::once(program).chain(arguments.map(str::to_owned)).collect();
    starts_server(&words)
}

/// Returns the program of a command line that starts our server.
fn starts_server(words: &[String]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let is_named = program.rsplit('/').next() == Some("skein");
    let starts = arguments.iter().any(|argument| argument == "mcp");
    (is_named && starts).then(|| program.clone())
}

/// Returns the span of the value that keys lead to.
fn find(bytes: &[u8], keys: &[&str]) -> Result<Option<Span>, HooksError> {
    let mut span = whole(bytes);
    let mut reader = text::Reader::new(bytes, span, DIALECT);
    let failed = |error| syntax(bytes, &error);
    if reader.peek().map_err(failed)? != JsonKind::Object {
        return Err(HooksError::Shape { name: "the file".to_owned(), expected: "an object" });
    }
    reader.skip().map_err(failed)?;
    reader.finish().map_err(failed)?;
    for (index, key) in keys.iter().enumerate() {
        let Some(found) = member(bytes, span, DIALECT, key).map_err(failed)? else {
            return Ok(None);
        };
        if index + 1 < keys.len() && found.kind != JsonKind::Object {
            let name = (*key).to_owned();
            return Err(HooksError::Shape { name, expected: "an object" });
        }
        span = found.value;
    }
    Ok(Some(span))
}

fn whole(bytes: &[u8]) -> Span {
    Span::new(bom_len(bytes), bytes.len())
}

fn syntax(bytes: &[u8], error: &text::SyntaxError) -> HooksError {
    HooksError::Json { line: line_of(bytes, error.at), expected: error.expected }
}

fn toml(bytes: &[u8]) -> Result<DocumentMut, HooksError> {
    Ok(toml_text::parse(toml_text::text(bytes)?)?.into_mut())
}
