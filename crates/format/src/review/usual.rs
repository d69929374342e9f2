//! The metadata block as programs write it: every key in its place, indented by two spaces.
//!
//! Nearly every block stands so, and is read in a fraction of the time that any JSON takes. What
//! stands otherwise is left to the reader of any JSON, which finds the same in what stands so.

use super::head::ContextSpan;
use super::metadata::{Found, Reading, range_of};
use crate::json::{self, Dialect, Kind, Reader, Str};
use crate::span::Span;

/// Reads the block; none where it stands in any other way.
pub(super) fn read(bytes: &[u8], inside: Span) -> Option<(Reading<'_>, Span)> {
    let mut reading = Reading::new(bytes);
    let mut reader = Reader::new(bytes, inside, Dialect::Json);
    reader.eat_text(b"{\n  \"schemaVersion\": ")?;
    reading.version = Some(reader.skip().ok()?);
    reading.id = Some(text(&mut reader, b",\n  \"id\": ")?);
    reader.eat_text(b",\n  \"target\": {\n")?;
    target(&mut reader, &mut reading)?;
    reading.status = Some(text(&mut reader, b"\n  },\n  \"status\": ")?);
    reading.created_at = Some(text(&mut reader, b",\n  \"createdAt\": ")?);
    reading.updated_at = Some(text(&mut reader, b",\n  \"updatedAt\": ")?);
    reader.eat_text(b"\n}")?;
    let root = Span::new(inside.start, reader.position());
    reader.finish().ok()?;
    Some((reading, root))
}

fn target<'a>(reader: &mut Reader<'a>, reading: &mut Reading<'a>) -> Option<()> {
    reading.path = Some(text(reader, b"    \"workspaceRelativePath\": ")?);
    reader.eat_text(b",\n    \"range\": {\n")?;
    let four = [
        number(reader, b"      \"startLine\": ")?,
        number(reader, b",\n      \"startCharacter\": ")?,
        number(reader, b",\n      \"endLine\": ")?,
        number(reader, b",\n      \"endCharacter\": ")?,
    ];
    reading.range = Found::Good(range_of(four)?);
    reader.eat_text(b"\n    },\n    \"anchor\": {\n      \"kind\": \"lineRange\"")?;
    if reader.eat_text(b",\n      \"context\": {\n").is_some() {
        reading.context = Found::Good(ContextSpan {
            before: array(reader, b"        \"before\": ")?,
            selection: text(reader, b",\n        \"selection\": ")?,
            after: array(reader, b",\n        \"after\": ")?,
        });
        reader.eat_text(b"\n      }")?;
    }
    if reader.eat_text(b",\n      \"git\": ").is_some() {
        reading.git(reader).ok()?;
    }
    reader.eat_text(b"\n    }")
}

fn text(reader: &mut Reader<'_>, lead: &[u8]) -> Option<Str> {
    reader.eat_text(lead)?;
    reader.string().ok()
}

fn number(reader: &mut Reader<'_>, lead: &[u8]) -> Option<Option<u32>> {
    reader.eat_text(lead)?;
    let bytes = reader.bytes();
    Some(json::as_u32(reader.skip().ok()?.of(bytes)))
}

fn array(reader: &mut Reader<'_>, lead: &[u8]) -> Option<Span> {
    reader.eat_text(lead)?;
    reader.peek().ok().filter(|kind| *kind == Kind::Array)?;
    reader.skip().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = r#"{
  "schemaVersion": 1,
  "id": "t0001",
  "target": {
    "workspaceRelativePath": "example.ts",
    "range": {
      "startLine": 0,
      "startCharacter": 0,
      "endLine": 2,
      "endCharacter": 6
    },
    "anchor": {
      "kind": "lineRange",
      "context": {
        "before": [],
        "selection": "export",
        "after": [
          "  return \"a\" + b;",
          "}"
        ]
      },
      "git": {
        "baseRef": "main",
        "hunkHeader": "@@ -1,3 +1,3 @@"
      }
    }
  },
  "status": "open",
  "createdAt": "2000-01-01T00:00:00.000Z",
  "updatedAt": "2000-01-01T00:00:01.000Z"
}
"#;

    /// Checks that what is found at all is what the reader of any JSON finds.
    #[track_caller]
    fn check(block: &[u8]) -> bool {
        let inside = Span::new(0, block.len());
        let Some((usual, root)) = read(block, inside) else {
            return false;
        };
        let mut any = Reading::new(block);
        let shown = String::from_utf8_lossy(block);
        assert_eq!(any.any(inside), Ok(root), "{shown}");
        assert_eq!(format!("{any:?}"), format!("{usual:?}"), "{shown}");
        true
    }

    #[test]
    fn finds_what_the_reader_of_any_json_finds() {
        assert!(check(BLOCK.as_bytes()));
        let (before, rest) = BLOCK.split_once(",\n      \"git\"").unwrap();
        let (_, behind) = rest.split_once("\n    }\n  },").unwrap();
        assert!(check(format!("{before}\n    }}\n  }},{behind}").as_bytes()));
        assert!(!check(BLOCK.replace("  \"", "\t\"").as_bytes()));
    }

    #[test]
    fn never_takes_a_changed_block_for_another() {
        for at in 0..BLOCK.len() {
            let mut less = BLOCK.as_bytes().to_vec();
            less.remove(at);
            check(&less);
            for byte in *b"\"\\{}[],:0-e \n\x00\xff" {
                let mut changed = BLOCK.as_bytes().to_vec();
                changed[at] = byte;
                check(&changed);
                let mut more = BLOCK.as_bytes().to_vec();
                more.insert(at, byte);
                check(&more);
            }
        }
    }
}
