//! Many processes that write at once.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use skein_testkit::size;

use crate::place::{Place, printed};

const THREADS: usize = 8;

/// Returns how often each reply is in a thread file.
fn reply_counts(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("reply ")) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

#[test]
fn no_reply_of_many_processes_is_lost() {
    let (processes, each) = (size(8, 16), size(25, 250));
    let place = Place::with_store();
    place.file("work/a.rs", "one\ntwo\n");
    let ids: Vec<String> = (0..THREADS)
        .map(|_| {
            let added = place.json(&["review", "add", "a.rs:1", "-m", "Why?", "--json"]);
            added["threads"][0]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let (going, reads) = (AtomicBool::new(true), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while going.load(Ordering::Relaxed) {
                let list = place.json(&["review", "list", "--full", "--json"]);
                let threads = list["threads"].as_array().unwrap();
                assert_eq!(threads.len(), THREADS);
                for thread in threads {
                    assert_eq!(thread["usable"], true, "{thread}");
                    assert_eq!(thread["diagnostics"].as_array().unwrap().len(), 0, "{thread}");
                }
                reads.fetch_add(1, Ordering::Relaxed);
            }
        });
        let (place, ids) = (&place, &ids);
        let writers: Vec<_> = (0..processes)
            .map(|who| {
                scope.spawn(move || {
                    for number in 0..each {
                        let text = format!("reply {who}:{number}");
                        let id = &ids[(who + number) % THREADS];
                        place.done(&["review", "reply", id, "-m", &text]);
                    }
                })
            })
            .collect();
        let failed = writers.into_iter().map(|one| usize::from(one.join().is_err())).sum::<usize>();
        going.store(false, Ordering::Relaxed);
        assert_eq!(failed, 0);
    });
    assert!(reads.load(Ordering::Relaxed) > 0);
    let mut found = 0;
    for path in place.threads() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(ids.iter().any(|id| name == format!("{id}.md")), "left behind: {name}");
        let text = fs::read_to_string(&path).unwrap();
        let counts = reply_counts(&text);
        assert!(counts.values().all(|count| *count == 1), "{counts:?}");
        found += counts.len();
    }
    assert_eq!(found, processes * each);
    let index = fs::read(place.path("work/.code-review/index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_slice(&index).unwrap();
    assert_eq!(index["threads"].as_array().unwrap().len(), THREADS);
    let doctor = place.skein(&["doctor"]).output().unwrap();
    assert!(doctor.status.success(), "{}", printed(&doctor));
}
