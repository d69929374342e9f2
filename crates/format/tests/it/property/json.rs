//! The JSON reader and its edits, compared with serde_json.

use proptest::prelude::*;
use proptest::sample::select;
use serde::de::IgnoredAny;
use serde_json::Value;
use skein_format::json::{self, Dialect, Reader};
use skein_format::span::Span;

use super::{cases, text};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..5)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(vec!["a", "b", "c"]).prop_map(str::to_owned), 1 => text()]
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), value()), 0..5)
        .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into())
}

/// Writes a value in one of three styles.
fn written(value: &Value, style: u8) -> String {
    match style % 3 {
        0 => value.to_string(),
        1 => serde_json::to_string_pretty(value).unwrap(),
        _ => serde_json::to_string_pretty(value).unwrap().replace('\n', "\r\n"),
    }
}

fn is_json(text: &str) -> bool {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde::Deserialize::deserialize(&mut reader).is_ok_and(|_: IgnoredAny| reader.end().is_ok())
}

fn check(text: &str) {
    let ours = json::validate(text.as_bytes(), Dialect::Json);
    assert_eq!(ours.is_ok(), is_json(text), "{text:?}: {ours:?}");
    let lenient = json::validate(text.as_bytes(), Dialect::Jsonc);
    assert!(ours.is_err() || lenient == ours, "{text:?}");
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn accepts_what_serde_json_accepts(value in value(), style in any::<u8>()) {
        check(&written(&value, style));
    }

    #[test]
    fn accepts_and_rejects_what_serde_json_does(
        value in value(),
        style in any::<u8>(),
        at in any::<prop::sample::Index>(),
        put in select(vec![
            "", "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u12", "0", "-", ".", "e5", "1.",
            "nul", "true", " ", "\t", "\n", "\u{c}", "\u{1}", "//", "/**/", "\u{feff}", "\u{e9}",
        ]),
        drop in 0..2_usize,
    ) {
        let mut chars: Vec<char> = written(&value, style).chars().collect();
        let at = at.index(chars.len() + 1);
        chars.splice(at..(at + drop).min(chars.len()), put.chars());
        check(&chars.into_iter().collect::<String>());
    }

    #[test]
    fn accepts_and_rejects_short_texts_as_serde_json_does(text in "[\\[\\]{}:,\"0-2eE+.a \\-]{0,12}") {
        check(&text);
    }

    #[test]
    fn reads_a_text_as_serde_json_does(text in text()) {
        let written = serde_json::to_string(&text).unwrap();
        let bytes = written.as_bytes();
        let found = Reader::new(bytes, Span::new(0, bytes.len()), Dialect::Json).string().unwrap();
        prop_assert_eq!(&found.to_text(bytes), &text);
        prop_assert_eq!(json::quote(&text), bytes);
    }

    #[test]
    fn sets_what_serde_json_would_set(
        object in object(),
        style in any::<u8>(),
        path in prop::collection::vec(key(), 1..4),
        new in value(),
    ) {
        let mut bytes = written(&object, style).into_bytes();
        let root = Span::new(0, bytes.len());
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        let text = serde_json::to_vec_pretty(&new).unwrap();
        json::set(&mut bytes, root, Dialect::Json, &keys, &text).unwrap();
        let mut expected = object;
        let mut at = &mut expected;
        for key in &keys {
            if !at.is_object() {
                *at = Value::Object(serde_json::Map::new());
            }
            at = at.as_object_mut().unwrap().entry(*key).or_insert(Value::Null);
        }
        *at = new;
        prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected);
    }

    #[test]
    fn appends_what_serde_json_would_append(
        values in prop::collection::vec(value(), 0..4),
        style in any::<u8>(),
        new in value(),
    ) {
        let mut bytes = written(&Value::from(values.clone()), style).into_bytes();
        let span = Span::new(0, bytes.len());
        let text = serde_json::to_vec_pretty(&new).unwrap();
        json::append(&mut bytes, span, Dialect::Json, &text).unwrap();
        let mut expected = values;
        expected.push(new);
        prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), Value::from(expected));
    }

    #[test]
    fn removing_a_member_that_was_set_restores_the_text(
        object in object(),
        style in any::<u8>(),
        new in value(),
    ) {
        let text = written(&object, style);
        prop_assume!(object.get("new").is_none());
        let mut bytes = text.clone().into_bytes();
        let root = |bytes: &[u8]| Span::new(0, bytes.len());
        let value = serde_json::to_vec_pretty(&new).unwrap();
        let all = root(&bytes);
        json::set(&mut bytes, all, Dialect::Json, &["new"], &value).unwrap();
        let all = root(&bytes);
        prop_assert!(json::remove(&mut bytes, all, Dialect::Json, &["new"]).unwrap());
        prop_assert_eq!(String::from_utf8(bytes).unwrap(), text);
    }

    #[test]
    fn removing_an_appended_element_restores_the_text(
        values in prop::collection::vec(value(), 0..4),
        style in any::<u8>(),
        new in value(),
    ) {
        let text = written(&Value::from(values.clone()), style);
        let mut bytes = text.clone().into_bytes();
        let value = serde_json::to_vec_pretty(&new).unwrap();
        let all = Span::new(0, bytes.len());
        json::append(&mut bytes, all, Dialect::Json, &value).unwrap();
        let all = Span::new(0, bytes.len());
        prop_assert!(json::remove_element(&mut bytes, all, Dialect::Json, values.len()).unwrap());
        prop_assert_eq!(String::from_utf8(bytes).unwrap(), text);
    }

    #[test]
    fn removes_what_serde_json_would_remove(
        object in object(),
        style in any::<u8>(),
        name in key(),
    ) {
        let mut bytes = written(&object, style).into_bytes();
        let all = Span::new(0, bytes.len());
        let found = json::remove(&mut bytes, all, Dialect::Json, &[&name]).unwrap();
        let mut expected = object;
        let gone = expected.as_object_mut().and_then(|members| members.shift_remove(&name));
        prop_assert_eq!(found, gone.is_some());
        prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected);
    }

    #[test]
    fn numbers_are_read_by_value(number in any::<f64>(), whole in any::<u32>()) {
        let _ = json::as_u64(number.to_string().as_bytes());
        for spelt in [format!("{whole}"), format!("{whole}.0"), format!("{whole}e0")] {
            prop_assert_eq!(json::as_u32(spelt.as_bytes()), Some(whole));
        }
    }

    #[test]
    fn any_bytes_are_validated_without_panic(bytes in super::noise()) {
        for dialect in [Dialect::Json, Dialect::Jsonc] {
            let line = json::validate(&bytes, dialect).map_err(|error| error.line(&bytes));
            prop_assert!(line.is_ok() || line.is_err_and(|line| line >= 1));
        }
    }
}
