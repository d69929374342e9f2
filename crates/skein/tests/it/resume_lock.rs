//! Many processes that lock the same work.

use std::thread;

use skein_testkit::size;

use crate::place::Place;

#[test]
fn one_of_many_processes_takes_the_work() {
    let place = Place::new();
    place.file("work/workspace/threads/T-20260122-100000-x.json", "{\"type\": \"checkpoint\"}");
    let codes: Vec<Option<i32>> = thread::scope(|scope| {
        let place = &place;
        let handles: Vec<_> = (0..size(12, 50))
            .map(|who| {
                scope.spawn(move || {
                    let session = format!("s{who}");
                    let args = ["resume", "--take", "--session", &session];
                    place.skein(&args).output().unwrap().status.code()
                })
            })
            .collect();
        handles.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
}
