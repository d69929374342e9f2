//! Reads values of a document of unknown structure.

use serde_json::Value;

/// Returns the text at a JSON pointer.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

/// Returns the number at a JSON pointer, if it can be a line or a column.
pub(super) fn number(value: &Value, pointer: &str) -> Option<u32> {
    value.pointer(pointer)?.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Returns the list at a JSON pointer; empty for any other value.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the element of a list whose index is at a JSON pointer.
pub(super) fn at<'a>(list: &'a [Value], value: &Value, pointer: &str) -> Option<&'a Value> {
    let index = value.pointer(pointer)?.as_u64()?;
    list.get(usize::try_from(index).ok()?)
}
