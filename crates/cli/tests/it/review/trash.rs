//! Deleted threads can be restored.

use std::fs;

use super::repo::{comments, done, files, json, refused, repo, set, state, thread, threads};

#[test]
fn deleted_threads_are_restored_byte_for_byte() {
    let place = repo();
    let odd = b"\xef\xbb\xbfprose\r\n<local-code-review-thread>\r\n{\"schemaVersion\":1,\"id\":\"t\",\"x\":1e2,\"target\":{\"workspaceRelativePath\":\"src/a.rs\",\"range\":null,\"anchor\":{\"kind\":\"lineRange\"}},\"status\":\"open\"}\r\n</local-code-review-thread>\r\n\xff\xfe";
    let path = place.file(".code-review/threads/t.md", odd);
    let broken = place.file(".code-review/threads/broken.md", b"\0\xff no thread");
    done(&place, &["review", "delete", "t", "broken"]);
    assert!(!path.exists() && !broken.exists());
    done(&place, &["review", "restore", "--last"]);
    assert_eq!(fs::read(&path).unwrap(), odd);
    assert_eq!(fs::read(&broken).unwrap(), b"\0\xff no thread");
    assert!(state(&place, "trash/reviews").is_empty());
}

#[test]
fn the_last_deleted_thread_of_an_id_is_restored_first() {
    let mut place = repo();
    for (hour, text) in [("15", "One"), ("16", "Two")] {
        set(&mut place, "SKEIN_NOW", &format!("2026-01-23T{hour}:00:00Z"));
        done(&place, &["review", "add", "src/a.rs:2", "-m", text]);
        done(&place, &["review", "delete", "src/a.rs:2"]);
    }
    place.check(
        "review restore",
        "
7030916e  20260123-160000  src/a.rs:2  Two
7030916e  20260123-150000  src/a.rs:2  One
-- exit 0
",
    );
    place.check(
        "review restore 7030",
        "
Restored src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(comments(&place)[0].1, "Two");
    // Another thread has the id.
    refused(
        &place,
        "review restore 7030",
        "Error: a thread with this id already exists: 7030916e-7f09-440d-985c-cf1fe0d9dc85\nHint: `skein review show 7030916e-7f09-440d-985c-cf1fe0d9dc85` shows it\n",
    );
}

#[test]
fn an_interrupted_restore_is_finished_by_the_next_one() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "One"]);
    let file = threads(&place).remove(0);
    let bytes = fs::read(&file).unwrap();
    done(&place, &["review", "delete", "7030"]);
    // As after a crash between writing the thread and removing it from the trash.
    fs::write(&file, &bytes).unwrap();
    done(&place, &["review", "restore", "7030"]);
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert!(state(&place, "trash/reviews").is_empty());
}

#[test]
fn an_interrupted_delete_can_be_repeated_and_restored() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "One"]);
    let file = threads(&place).remove(0);
    let bytes = fs::read(&file).unwrap();
    done(&place, &["review", "delete", "7030"]);
    fs::write(&file, &bytes).unwrap();
    done(&place, &["review", "delete", "7030"]);
    assert_eq!(state(&place, "trash/reviews").len(), 2);
    done(&place, &["review", "restore", "--last"]);
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn a_deleted_draft_is_restored_as_a_draft() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "--draft", "-m", "Not yet"]);
    place.check(
        "review delete 7030",
        "
Deleted src/a.rs:2  7030916e
-- stderr
`skein review restore 7030916e` restores what was deleted
-- exit 0
",
    );
    place.check(
        "review restore",
        "
7030916e  20260123-143000  draft  src/a.rs:2  Not yet
-- exit 0
",
    );
    place.check(
        "review restore --last",
        "
Restored src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(threads(&place).len(), 0);
    assert_eq!(state(&place, "drafts").len(), 1);
}

#[test]
fn clear_deletes_all_threads_and_keeps_other_files() {
    let place = repo();
    for text in ["One", "Two", "Three"] {
        done(&place, &["review", "add", "src/a.rs:2", "-m", text]);
    }
    place.file(".code-review/threads/notes.txt", "mine");
    place.file(".code-review/threads/.hidden.md", "mine");
    fs::create_dir(place.machine.dir.join(".code-review/threads/folder.md")).unwrap();
    place.check("review clear --yes --json", r#"
{"threads":[{"kind":"review","id":"7030916e-7f09-440d-985c-cf1fe0d9dc85","file":"ROOT/here/.code-review/threads/7030916e-7f09-440d-985c-cf1fe0d9dc85.md","at":"src/a.rs:2","action":"deleted","status":"open","comment":null,"diagnostics":[]},{"kind":"review","id":"8be23e91-f66f-4392-8ef6-92b3f2174c2c","file":"ROOT/here/.code-review/threads/8be23e91-f66f-4392-8ef6-92b3f2174c2c.md","at":"src/a.rs:2","action":"deleted","status":"open","comment":null,"diagnostics":[]},{"kind":"review","id":"d0fdbf31-6503-48bc-bf6f-83b2675879a3","file":"ROOT/here/.code-review/threads/d0fdbf31-6503-48bc-bf6f-83b2675879a3.md","at":"src/a.rs:2","action":"deleted","status":"open","comment":null,"diagnostics":[]}]}
-- exit 0
"#);
    let left: Vec<_> = files(&place.machine.dir.join(".code-review/threads"));
    assert_eq!(left.len(), 3, "{left:?}");
    assert_eq!(
        json(&place, &["review", "restore", "--json"])["deleted"].as_array().unwrap().len(),
        3
    );
    place.check(
        "review restore --last",
        "
Restored src/a.rs:2  7030916e
Restored src/a.rs:2  8be23e91
Restored src/a.rs:2  d0fdbf31
-- exit 0
",
    );
    let index = place.machine.dir.join(".code-review/index.json");
    let index: serde_json::Value = serde_json::from_slice(&fs::read(index).unwrap()).unwrap();
    assert_eq!(index["threads"].as_array().unwrap().len(), 3);
}

#[test]
fn a_thread_can_be_named_by_its_file() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "One"]);
    let before = thread(&place);
    let file = threads(&place).remove(0);
    done(&place, &["review", "delete", file.to_str().unwrap()]);
    done(&place, &["review", "restore", "7030916e-7f09-440d-985c-cf1fe0d9dc85"]);
    assert_eq!(thread(&place), before);
}
