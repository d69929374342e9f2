//! Threads of older programs.

use skein_format::review::legacy;
use skein_format::time;

/// Converts a legacy thread; the result must have no diagnostics.
#[track_caller]
fn check(json: &str, expected: &str) {
    let now = time::parse("2031-05-06T07:08:09Z").unwrap().time;
    let text = match legacy::read(json.as_bytes(), "t1", ".code-review", now) {
        Ok(doc) => {
            let bytes = doc.into_bytes();
            let (_, findings) =
                skein_format::review::ReviewDoc::parse(bytes.clone(), "t1", ".code-review");
            assert_eq!(findings, []);
            String::from_utf8(bytes).unwrap()
        }
        Err(findings) => findings.iter().map(|one| format!("{} ", one.code)).collect(),
    };
    assert_eq!(text, expected);
}

#[test]
fn a_json_thread_is_converted_to_markdown() {
    check(
        r#"{"schemaVersion": 1, "id": "t1",
  "target": {"workspaceRelativePath": "src/a.ts",
    "range": {"startLine": 2, "startCharacter": 0, "endLine": 3, "endCharacter": 7},
    "anchor": {"kind": "lineRange", "context": {"before": ["b"], "selection": "s", "after": []},
      "git": {"baseRef": "main", "hunkPatch": "@@ -1 +1 @@\n-a\n+b\n"}}},
  "state": "resolved", "createdAt": "2025-02-03T04:05:06.000Z", "updatedAt": "2025-02-04T04:05:06.000Z",
  "comments": [
    {"id": "c0001", "author": "You", "bodyMarkdown": "Why?\r\n\r\n```\n<x>\n```\n", "createdAt": "2025-02-03T04:05:07.000Z"},
    {"id": "t1:1", "body": "So."},
    {"id": "c0001", "author": "A & \"B\"", "body": "Hm.", "createdAt": "2025-02-05T00:00:00Z"}
  ]}"#,
        r#"<local-code-review-thread>
{
  "schemaVersion": 1,
  "id": "t1",
  "target": {
    "workspaceRelativePath": "src/a.ts",
    "range": {
      "startLine": 2,
      "startCharacter": 0,
      "endLine": 3,
      "endCharacter": 7
    },
    "anchor": {
      "kind": "lineRange",
      "context": {
        "before": [
          "b"
        ],
        "selection": "s",
        "after": []
      },
      "git": {
        "baseRef": "main"
      }
    }
  },
  "status": "resolved",
  "createdAt": "2025-02-03T04:05:06.000Z",
  "updatedAt": "2025-02-05T00:00:00.000Z"
}
</local-code-review-thread>

# src/a.ts:L3-L4 · resolved

## Patch
<local-code-review-patch lang="diff"/>

```diff
@@ -1 +1 @@
-a
+b
```

## Comments

<local-code-review-comment id="c0001" author="You" createdAt="2025-02-03T04:05:07.000Z"/>

Why?

```
<x>
```

<local-code-review-comment id="c2" author="unknown" createdAt="2025-02-03T04:05:07.000Z"/>

So.

<local-code-review-comment id="c0001-2" author="A &amp; &quot;B&quot;" createdAt="2025-02-05T00:00:00.000Z"/>

Hm.
"#,
    );
}

#[test]
fn a_thread_in_the_earliest_format_is_converted_to_markdown() {
    check(
        r#"{"schemaVersion": 1, "id": "t1", "file": "a.ts", "state": "open",
  "range": {"start": {"line": 4, "character": 1}, "end": {"line": 4, "character": 9}},
  "comments": [{"id": "c1", "author": "You", "body": "Why?", "createdAt": "2025-02-03T04:05:07.000Z"}]}"#,
        r#"<local-code-review-thread>
{
  "schemaVersion": 1,
  "id": "t1",
  "target": {
    "workspaceRelativePath": "a.ts",
    "range": {
      "startLine": 4,
      "startCharacter": 1,
      "endLine": 4,
      "endCharacter": 9
    },
    "anchor": {
      "kind": "lineRange"
    }
  },
  "status": "open",
  "createdAt": "2025-02-03T04:05:07.000Z",
  "updatedAt": "2025-02-03T04:05:07.000Z"
}
</local-code-review-thread>

# a.ts:L5 · open

## Comments

<local-code-review-comment id="c1" author="You" createdAt="2025-02-03T04:05:07.000Z"/>

Why?
"#,
    );
}

#[test]
fn an_invalid_thread_is_refused_with_the_reason() {
    check("", "review-bad-json ");
    check("{\"schemaVersion\": 1,}", "review-bad-json ");
    check("[]", "review-bad-json ");
    check("{}", "review-schema-version review-no-id review-no-path ");
    check(
        r#"{"schemaVersion": 1, "id": "../x", "target": {"workspaceRelativePath": "../../etc"}}"#,
        "review-no-id review-unsafe-path ",
    );
    check(r#"{"schemaVersion": 2, "id": "t1", "file": "a"}"#, "review-schema-version ");
}
