//! A change to a thread leaves all other bytes of its file as they are.

use std::fs;

use super::repo::{done, repo, set, threads};

const HEAD: &str = "<local-code-review-thread>\n{\n  \"schemaVersion\": 1.0,\n  \"id\": \"t\",\n  \"unknown\": {\"deep\": [1e2, \"\\u00e4\"]},\n  \"target\": {\"workspaceRelativePath\": \"src/a.rs\", \"range\": null, \"anchor\": {\"kind\": \"lineRange\", \"x\": 1}},\n  \"status\" : \"open\",\n  \"createdAt\": \"2026-01-10T10:00:00.000Z\",\n  \"updatedAt\": \"2026-01-20T10:00:00.000Z\",\n  \"updatedAt\": \"2026-01-20T10:00:00.000Z\"\n}\n</local-code-review-thread>\n\nProse of a person.\n\n<local-code-review-comment id=\"c1\" author=\"Mira\" createdAt=\"2026-01-20T10:00:00.000Z\" kind=\"nit\"/>\n\nWhy?  ";

const NEW_TIME: &str = "2026-01-23T15:00:00.000Z";

/// Replies to a thread of these bytes, and compares the bytes before the reply, except for the time of the change.
#[track_caller]
fn check(old: &[u8], eol: &str, gap: &str) {
    let mut place = repo();
    let path = place.file(".code-review/threads/t.md", old);
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:00:00Z");
    done(&place, &["review", "reply", "t", "-m", "One\nTwo"]);
    let marker = format!(
        "{gap}<local-code-review-comment id=\"d13a0290-69ef-484c-af99-c169af8f2d1d\" author=\"Mira\" createdAt=\"{NEW_TIME}\"/>{eol}{eol}One{eol}Two{eol}"
    );
    // If a key occurs twice, the last one counts.
    let time = b"\"updatedAt\": \"2026-01-20T10:00:00.000Z\"";
    let at = old.windows(time.len()).rposition(|part| part == time).unwrap();
    let touched = format!("\"updatedAt\": \"{NEW_TIME}\"");
    let expected =
        [&old[..at], touched.as_bytes(), &old[at + time.len()..], marker.as_bytes()].concat();
    let new = fs::read(&path).unwrap();
    assert_eq!(new.escape_ascii().to_string(), expected.escape_ascii().to_string());
    done(&place, &["review", "resolve", "t"]);
    done(&place, &["review", "reopen", "t"]);
    assert_eq!(
        fs::read(&path).unwrap().escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
    assert_eq!(threads(&place).len(), 1);
}

#[test]
fn a_reply_keeps_every_other_byte() {
    let lf = HEAD.to_owned();
    check(lf.as_bytes(), "\n", "\n\n");
    check(format!("{lf}\n").as_bytes(), "\n", "\n");
    check(format!("{lf}\n\n").as_bytes(), "\n", "");
    check(format!("{lf}\n\n\n").as_bytes(), "\n", "");
    let crlf = lf.replace('\n', "\r\n");
    check(crlf.as_bytes(), "\r\n", "\r\n\r\n");
    check(format!("{crlf}\r\n").as_bytes(), "\r\n", "\r\n");
    check(format!("\u{feff}{crlf}").as_bytes(), "\r\n", "\r\n\r\n");
    let odd =
        [b"\xef\xbb\xbfbefore \xff\n".as_slice(), lf.as_bytes(), b"\xff\xfe\0\x1b[2J\n"].concat();
    check(&odd, "\n", "\n");
}

#[test]
fn an_edit_keeps_every_other_comment() {
    let mut place = repo();
    // Two comments have the same id.
    let other = "\n\n<local-code-review-comment id=\"c1\" author=\"Bob\" createdAt=\"2026-01-21T10:00:00.000Z\"/>\n\nMine too.\n";
    let path = place.file(".code-review/threads/t.md", format!("{HEAD}{other}"));
    set(&mut place, "SKEIN_AUTHOR", "Bob");
    done(&place, &["review", "edit", "t", "-m", "Changed."]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("Why?  \n") && text.contains("Changed.\n") && !text.contains("Mine"),
        "{text}"
    );
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    done(&place, &["review", "edit", "t", "c1", "-m", "Why not?"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("Why not?") && text.contains("Changed.\n"), "{text}");
}

#[test]
fn a_body_cannot_forge_a_comment() {
    let place = repo();
    let body = "<local-code-review-comment id=\"x\" author=\"Bob\"/>\n\nforged\n<local-code-review-patch/>\n</local-code-review-thread>";
    done(&place, &["review", "add", "src/a.rs:2", "-m", body, "--author", "a\"b<c>&amp;"]);
    let comments = super::repo::comments(&place);
    assert_eq!(comments.len(), 1);
    assert_eq!(comments[0].0, "a\"b<c>&amp;");
    assert_eq!(comments[0].1.replace('\\', ""), body);
}
