//! Feeds arbitrary bytes to the JSON span scanner.
#![no_main]

use skein_format::json::{self, Dialect, JsonKind, Reader};
use skein_format::redact;
use skein_format::span::Span;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let strict = json::validate(data, Dialect::Json);
    let lenient = json::validate(data, Dialect::Jsonc);
    if let Ok(span) = strict {
        assert_eq!(lenient, strict);
        assert!(span.end <= data.len());
        assert_eq!(json::validate(span.of(data), Dialect::Json), Ok(Span::new(0, span.len())));
    }
    for dialect in [Dialect::Json, Dialect::Jsonc] {
        match json::validate(data, dialect) {
            Ok(span) => edit(data, span, dialect),
            Err(error) => assert!(error.at <= data.len() && error.line(data) >= 1),
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let once = redact::redact(text).into_owned();
        assert_eq!(redact::redact(&once), once);
        let quoted = json::quote(text);
        let mut reader = Reader::new(&quoted, Span::new(0, quoted.len()), Dialect::Json);
        assert_eq!(reader.string().expect("it was quoted").to_text(&quoted), text);
    }
});

/// Sets a value below an object, or appends one to an array; the rest must stay valid.
fn edit(data: &[u8], span: Span, dialect: Dialect) {
    let mut bytes = data.to_vec();
    let kind = Reader::new(data, span, dialect).peek().expect("it is valid");
    match kind {
        JsonKind::Object => {
            json::set(&mut bytes, span, dialect, &["a", "b\n"], b"[\n  1\n]").expect("it is valid");
            let root = json::validate(&bytes, dialect).expect("the edit kept it valid");
            let outer = json::member(&bytes, root, dialect, "a").expect("it is valid");
            let inner = json::member(&bytes, outer.expect("it was set").value, dialect, "b\n");
            let inner = inner.expect("it is valid").expect("it was set");
            assert_eq!(inner.kind, JsonKind::Array);
        }
        JsonKind::Array => {
            json::append(&mut bytes, span, dialect, b"{\n  \"a\": 1\n}").expect("it is valid");
            json::validate(&bytes, dialect).expect("the edit kept it valid");
        }
        _ => {}
    }
}
