use serde::Serialize;

/// A member that the format does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownField {
    /// Its name, after that of the object that it is in: `decisions`, `git.pr`.
    pub name: String,
    /// Its value.
    pub value: UnknownValue,
}

/// The value of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum UnknownValue {
    /// A text, or something else as one.
    Text(String),
    /// Texts.
    List(Vec<String>),
}
