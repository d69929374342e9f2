//! Looks into a document that may hold anything.

use serde_json::Value;

/// Returns the text at a JSON pointer.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

/// Returns the number at a JSON pointer, where it is one that counts lines or columns.
pub(super) fn number(value: &Value, pointer: &str) -> Option<u32> {
    value.pointer(pointer)?.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Returns the list at a JSON pointer; what is no list is an empty one.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the element of a list whose number is at a JSON pointer.
pub(super) fn at<'a>(list: &'a [Value], value: &Value, pointer: &str) -> Option<&'a Value> {
    let index = value.pointer(pointer)?.as_u64()?;
    list.get(usize::try_from(index).ok()?)
}
