//! The keys and types of JSON documents, without their values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// Names of keys in the form of a shape that stand for something else than a key.
const ANY_KEY: &str = "*";
const JSON_TEXT: &str = "(json)";
const ONE_OF: &str = "(one of)";
const ANYTHING: &str = "anything";
/// The items of lists and maps that were always empty.
const UNSEEN: &str = "unseen";

/// What is not derived from a document.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The keys of objects whose own keys are data, for example ids.
    pub maps: &'static [&'static str],
    /// The keys of objects with anything in them.
    pub free: &'static [&'static str],
    /// Whether strings may contain JSON.
    pub has_nested_json: bool,
}

/// All forms that a value was seen to have. In the readable form `key?` is a key that was not always there, `*` any
/// key, and `(json)` a string that contains JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonShape {
    is_free: bool,
    scalars: BTreeSet<&'static str>,
    json: Option<Box<Self>>,
    list: Option<Box<Self>>,
    map: Option<Box<Self>>,
    object: Option<BTreeMap<String, Field>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    is_always_there: bool,
    shape: JsonShape,
}

impl JsonShape {
    /// Derives the shape of a document. `key` is its name, for the rules.
    pub fn derive(key: &str, value: &Value, rules: Rules) -> Self {
        let mut shape = Self::default();
        let nested = value.as_str().filter(|_| rules.has_nested_json).and_then(parse_nested);
        if let Some(inner) = nested {
            shape.json = Some(Box::new(Self::derive("", &inner, rules)));
            return shape;
        }
        match value {
            Value::Object(_) if rules.free.contains(&key) => shape.is_free = true,
            Value::Array(items) => {
                let mut all = Self::default();
                for item in items {
                    all.merge(Self::derive("", item, rules));
                }
                shape.list = Some(Box::new(all));
            }
            Value::Object(object) if rules.maps.contains(&key) => {
                let mut all = Self::default();
                for item in object.values() {
                    all.merge(Self::derive("", item, rules));
                }
                shape.map = Some(Box::new(all));
            }
            Value::Object(object) => {
                let field = |(key, value): (&String, &Value)| {
                    let shape = Self::derive(key, value, rules);
                    (key.clone(), Field { is_always_there: true, shape })
                };
                shape.object = Some(object.iter().map(field).collect());
            }
            _ => shape.scalars = [scalar_name(value)].into(),
        }
        shape
    }

    /// Adds the forms of another document of the same kind.
    pub fn merge(&mut self, other: Self) {
        self.is_free |= other.is_free;
        self.scalars.extend(other.scalars);
        merge_inner(&mut self.json, other.json);
        merge_inner(&mut self.list, other.list);
        merge_inner(&mut self.map, other.map);
        self.object = match (self.object.take(), other.object) {
            (Some(fields), Some(others)) => Some(merge_fields(fields, others)),
            (fields, others) => fields.or(others),
        };
    }

    /// Checks that a document has one of these forms, and adds the keys that are always there and that it lacks. Its
    /// own keys and types must all be known.
    pub fn complete(&self, path: &str, value: &mut Value) -> Result<(), String> {
        if self.is_free {
            return Ok(());
        }
        if !self.allows(value) {
            return Err(format!("{path} must be {}, not {value}", self.to_value()));
        }
        match (value, self) {
            (Value::String(text), Self { json: Some(shape), .. }) => {
                if let Some(mut inner) = parse_nested(text) {
                    shape.complete(path, &mut inner)?;
                    *text = inner.to_string();
                }
            }
            (Value::Array(items), Self { list: Some(shape), .. }) => {
                items.iter_mut().try_for_each(|it| shape.complete(&format!("{path}[]"), it))?;
            }
            (Value::Object(object), Self { object: Some(fields), .. }) => {
                complete_object(fields, path, object)?;
            }
            (Value::Object(object), Self { map: Some(shape), .. }) => {
                let path = format!("{path}.{ANY_KEY}");
                object.values_mut().try_for_each(|it| shape.complete(&path, it))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Says whether a value has a known form, without what is in it.
    fn allows(&self, value: &Value) -> bool {
        match value {
            Value::Array(_) => self.list.is_some(),
            Value::Object(_) => self.object.is_some() || self.map.is_some(),
            Value::String(text) if self.json.is_some() && parse_nested(text).is_some() => true,
            _ => self.scalars.contains(scalar_name(value)),
        }
    }

    /// Returns the emptiest value of one of these forms.
    fn default_value(&self) -> Value {
        let mut object = Map::new();
        match self {
            _ if self.scalars.contains("null") => return Value::Null,
            _ if self.scalars.contains("string") => return json!(""),
            _ if self.scalars.contains("number") => return json!(0),
            _ if self.scalars.contains("boolean") => return json!(false),
            Self { list: Some(_), .. } => return json!([]),
            Self { json: Some(shape), .. } => return shape.default_value().to_string().into(),
            Self { object: Some(fields), .. } => {
                let fields = fields.iter().filter(|(_, field)| field.is_always_there);
                object
                    .extend(fields.map(|(key, field)| (key.clone(), field.shape.default_value())));
            }
            _ => {}
        }
        Value::Object(object)
    }

    /// Returns the readable form.
    pub fn to_value(&self) -> Value {
        if self.is_free {
            return json!(ANYTHING);
        }
        let mut forms = Vec::new();
        if !self.scalars.is_empty() {
            forms.push(json!(self.scalars.iter().copied().collect::<Vec<_>>().join(" or ")));
        }
        forms.extend(self.json.as_ref().map(|shape| json!({ JSON_TEXT: shape.to_value() })));
        forms.extend(self.list.as_ref().map(|shape| match **shape == Self::default() {
            true => json!([]),
            false => json!([shape.to_value()]),
        }));
        forms.extend(self.map.as_ref().map(|shape| json!({ ANY_KEY: shape.to_value() })));
        forms.extend(self.object.as_ref().map(|fields| {
            let field = |(key, field): (&String, &Field)| {
                let mark = if field.is_always_there { "" } else { "?" };
                (format!("{key}{mark}"), field.shape.to_value())
            };
            Value::Object(fields.iter().map(field).collect())
        }));
        match forms.len() {
            1 => forms.remove(0),
            0 => json!(UNSEEN),
            _ => json!({ ONE_OF: forms }),
        }
    }

    /// Reads the readable form.
    pub fn from_value(value: &Value) -> Self {
        let mut shape = Self::default();
        match value {
            Value::String(text) if text == ANYTHING => shape.is_free = true,
            Value::String(text) if text == UNSEEN => {}
            Value::String(text) => shape.scalars = text.split(" or ").map(scalar).collect(),
            Value::Array(items) => {
                shape.list =
                    Some(Box::new(items.first().map(Self::from_value).unwrap_or_default()));
            }
            Value::Object(object) => {
                if let Some(forms) = object.get(ONE_OF) {
                    forms
                        .as_array()
                        .unwrap()
                        .iter()
                        .for_each(|it| shape.merge(Self::from_value(it)));
                } else if let Some(inner) = object.get(JSON_TEXT) {
                    shape.json = Some(Box::new(Self::from_value(inner)));
                } else if let Some(inner) = object.get(ANY_KEY) {
                    shape.map = Some(Box::new(Self::from_value(inner)));
                } else {
                    let field = |(key, value): (&String, &Value)| {
                        let shape = Self::from_value(value);
                        match key.strip_suffix('?') {
                            Some(key) => (key.to_owned(), Field { is_always_there: false, shape }),
                            None => (key.clone(), Field { is_always_there: true, shape }),
                        }
                    };
                    shape.object = Some(object.iter().map(field).collect());
                }
            }
            other => panic!("not a shape: {other}"),
        }
        shape
    }
}

fn merge_inner(shape: &mut Option<Box<JsonShape>>, other: Option<Box<JsonShape>>) {
    match (shape.as_mut(), other) {
        (Some(shape), Some(other)) => shape.merge(*other),
        (None, other) => *shape = other,
        (Some(_), None) => {}
    }
}

fn merge_fields(
    mut fields: BTreeMap<String, Field>,
    mut others: BTreeMap<String, Field>,
) -> BTreeMap<String, Field> {
    for (key, field) in &mut fields {
        match others.remove(key) {
            Some(other) => {
                field.is_always_there &= other.is_always_there;
                field.shape.merge(other.shape);
            }
            None => field.is_always_there = false,
        }
    }
    let others = others.into_iter();
    fields.extend(others.map(|(key, field)| (key, Field { is_always_there: false, ..field })));
    fields
}

fn complete_object(
    fields: &BTreeMap<String, Field>,
    path: &str,
    object: &mut Map<String, Value>,
) -> Result<(), String> {
    for (key, value) in object.iter_mut() {
        let path = format!("{path}.{key}");
        let Some(field) = fields.get(key) else { return Err(format!("{path} is not recorded")) };
        field.shape.complete(&path, value)?;
    }
    for (key, field) in fields.iter().filter(|(_, field)| field.is_always_there) {
        if !object.contains_key(key) {
            object.insert(key.clone(), field.shape.default_value());
        }
    }
    Ok(())
}

/// Returns the JSON in a string. Numbers and words are texts.
fn parse_nested(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|it: &Value| it.is_object() || it.is_array())
}

fn scalar_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        _ => "string",
    }
}

fn scalar(name: &str) -> &'static str {
    let names = ["null", "boolean", "number", "string"];
    names.into_iter().find(|it| *it == name).unwrap_or_else(|| panic!("not a type: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { maps: &["posts"], free: &["props"], has_nested_json: true };

    fn shape(documents: &[Value]) -> JsonShape {
        let mut all: Option<JsonShape> = None;
        for document in documents {
            let shape = JsonShape::derive("", document, RULES);
            match &mut all {
                Some(all) => all.merge(shape),
                None => all = Some(shape),
            }
        }
        all.unwrap()
    }

    #[track_caller]
    fn check(documents: &[Value], expected: &Value) {
        let shape = shape(documents);
        assert_eq!(shape.to_value().to_string(), expected.to_string());
        assert_eq!(JsonShape::from_value(expected), shape);
    }

    #[test]
    fn a_shape_has_keys_and_types_in_order() {
        let document = json!({"b": 1, "a": {"c": [true, null]}, "d": []});
        check(&[document], &json!({"a": {"c": ["boolean or null"]}, "b": "number", "d": []}));
    }

    #[test]
    fn json_in_strings_maps_and_free_values_are_known() {
        let document =
            json!({"post": "{\"id\":\"p\"}", "posts": {"p": {"id": "p"}}, "props": {"x": 1}});
        let expected = json!({
            "post": {"(json)": {"id": "string"}}, "posts": {"*": {"id": "string"}}, "props": "anything",
        });
        check(&[document], &expected);
    }

    #[test]
    fn keys_that_are_not_always_there_are_marked() {
        let documents =
            [json!({"a": 1, "b": 1}), json!({"a": "x", "c": {}}), json!({"a": {}, "b": 2})];
        let expected =
            json!({"a": {"(one of)": ["number or string", {}]}, "b?": "number", "c?": {}});
        check(&documents, &expected);
    }

    #[track_caller]
    fn check_completed(recorded: &[Value], mut sent: Value, expected: Result<Value, &str>) {
        let result = shape(recorded).complete("x", &mut sent);
        assert_eq!(result.map(|()| sent), expected.map_err(str::to_owned));
    }

    #[test]
    fn a_document_gets_what_is_always_there() {
        let recorded = [
            json!({"post": "{\"id\":\"p\",\"n\":1}", "list": [{"a": 1, "b": null}], "is": true}),
            json!({"post": "{\"id\":\"p\",\"n\":1}", "list": [], "is": true, "more": 1}),
        ];
        let sent = json!({"post": "{\"id\":\"q\"}", "list": [{"a": 2}]});
        let expected =
            json!({"post": "{\"id\":\"q\",\"n\":0}", "list": [{"a": 2, "b": null}], "is": false});
        check_completed(&recorded, sent, Ok(expected));
    }

    #[test]
    fn a_wrong_name_type_or_nesting_is_refused() {
        let recorded = [json!({"data": {"post": "{\"id\":\"p\"}"}, "posts": {"p": {"id": "p"}}})];
        let check = |sent, error: &str| check_completed(&recorded, sent, Err(error));
        check(json!({"Data": {}}), "x.Data is not recorded");
        check(json!({"post": "{}"}), "x.post is not recorded");
        let form = r#"x.data.post must be {"(json)":{"id":"string"}}, not"#;
        check(json!({"data": {"post": {"id": "p"}}}), &format!(r#"{form} {{"id":"p"}}"#));
        check(json!({"data": {"post": "text"}}), &format!(r#"{form} "text""#));
        check(json!({"data": {"post": "{\"id\":1}"}}), "x.data.post.id must be \"string\", not 1");
        check(json!({"posts": {"q": {"di": "q"}}}), "x.posts.*.di is not recorded");
        check(json!({"posts": [1]}), r#"x.posts must be {"*":{"id":"string"}}, not [1]"#);
    }

    #[test]
    fn values_that_clients_choose_are_not_checked() {
        let recorded = [json!({"props": {"a": 1}})];
        check_completed(&recorded, json!({"props": "b"}), Ok(json!({"props": "b"})));
    }
}
