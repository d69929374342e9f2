use serde::Serialize;

/// A field that the format does not define.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownField {
    /// Its name, prefixed by that of the enclosing object: `decisions`, `git.pr`.
    pub name: String,
    /// Its value.
    pub value: UnknownValue,
}

/// The value of an unknown field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum UnknownValue {
    /// A text, or another value converted to text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}
