//! The states of a worker as a diagram.

use askama::Template;
use skein_format::checkpoint::WorkerState;
use skein_model::sanitize::one_line;
use skein_model::view::WorkerSummary;

use crate::page::time;

/// The states of a worker except errors, in order.
const STATES: [WorkerState; 5] = [
    WorkerState::Idle,
    WorkerState::Loading,
    WorkerState::Executing,
    WorkerState::Verifying,
    WorkerState::Completed,
];

#[derive(Template)]
#[template(path = "work/worker_diagram.html")]
pub(super) struct WorkerDiagram {
    /// Its id and its skill.
    pub(super) name: String,
    /// The current state, as written.
    pub(super) state: String,
    states: Vec<StateCircle>,
    error: &'static str,
    /// Whether the format does not define the state.
    is_unknown: bool,
    started: String,
    completed: String,
    small: bool,
}

struct StateCircle {
    name: String,
    /// `past`, `now`, `next` or `later`.
    when: &'static str,
    x: usize,
}

impl WorkerDiagram {
    /// Makes the diagram of a worker; a small one is part of a line.
    pub(super) fn new(worker: &WorkerSummary, small: bool) -> Self {
        let word = worker.state.as_deref().unwrap_or_default();
        let state = WorkerState::parse(word);
        let failed = state == WorkerState::Error;
        // A worker can only fail while it executes.
        let current = if failed { &WorkerState::Executing } else { &state };
        let at = STATES.iter().position(|one| one == current);
        let circle = |(index, one): (usize, &WorkerState)| StateCircle {
            name: one.as_str().to_owned(),
            when: match at {
                Some(at) if index < at || (failed && index == at) => "past",
                Some(at) if index == at => "now",
                _ if state.next().contains(one) => "next",
                _ => "later",
            },
            x: 7 + index * 16,
        };
        let error = match failed {
            true => "now",
            false if state.next().contains(&WorkerState::Error) => "next",
            false => "later",
        };
        let name = [&worker.id, &worker.skill].into_iter().flatten();
        let name: Vec<String> = name.map(|text| one_line(text)).collect();
        Self {
            name: name.join(" · "),
            state: one_line(word),
            states: STATES.iter().enumerate().map(circle).collect(),
            error,
            is_unknown: matches!(state, WorkerState::Other(_)),
            started: time(worker.started_at),
            completed: time(worker.completed_at),
            small,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(state: &str, expected: &str) {
        let worker = WorkerSummary { state: Some(state.to_owned()), ..WorkerSummary::default() };
        let diagram = WorkerDiagram::new(&worker, false);
        let states = diagram.states.iter().map(|state| state.when);
        let shown: Vec<&str> = states.chain([diagram.error]).collect();
        assert_eq!(shown.join(" "), expected, "{state}");
    }

    #[test]
    fn states_before_and_after_the_present_one_are_marked() {
        check("idle", "now next later later later later");
        check("executing", "past past now next later next");
        check("completed", "past past past past now later");
        check("error", "past past past later later now");
        check("planning", "later later later later later later");
    }
}
