//! The states of a worker as a picture.

use askama::Template;
use skein_format::checkpoint::WorkerState;
use skein_model::sanitize::one_line;
use skein_model::view::WorkerSummary;

/// The way of a worker for whom all goes well.
const WAY: [WorkerState; 5] = [
    WorkerState::Idle,
    WorkerState::Loading,
    WorkerState::Executing,
    WorkerState::Verifying,
    WorkerState::Completed,
];

/// A worker with its states, the one that it is in marked.
#[derive(Template)]
#[template(path = "work/machine.html")]
pub(super) struct Machine {
    /// Its name, and what it does.
    pub(super) name: String,
    /// The state that it is in, as written.
    pub(super) state: String,
    states: Vec<Place>,
    error: &'static str,
    /// Whether the state is one that the format does not know.
    odd: bool,
    started: String,
    completed: String,
    small: bool,
}

/// A state in the picture.
struct Place {
    name: String,
    /// `past`, `now`, `next` or `later`.
    when: &'static str,
    x: usize,
}

impl Machine {
    /// Draws a worker; a small one stands in a line.
    pub(super) fn new(worker: &WorkerSummary, small: bool) -> Self {
        let word = worker.state.as_deref().unwrap_or_default();
        let state = WorkerState::parse(word);
        let failed = state == WorkerState::Error;
        // A worker fails while it executes.
        let stands = if failed { &WorkerState::Executing } else { &state };
        let at = WAY.iter().position(|one| one == stands);
        let place = |(index, one): (usize, &WorkerState)| Place {
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
        let time = |at: Option<skein_format::time::Time>| at.map(|at| at.to_string());
        Self {
            name: name.join(" · "),
            state: one_line(word),
            states: WAY.iter().enumerate().map(place).collect(),
            error,
            odd: matches!(state, WorkerState::Other(_)),
            started: time(worker.started_at).unwrap_or_default(),
            completed: time(worker.completed_at).unwrap_or_default(),
            small,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(state: &str, expected: &str) {
        let worker = WorkerSummary { state: Some(state.to_owned()), ..WorkerSummary::default() };
        let machine = Machine::new(&worker, false);
        let states = machine.states.iter().map(|place| place.when);
        let shown: Vec<&str> = states.chain([machine.error]).collect();
        assert_eq!(shown.join(" "), expected, "{state}");
    }

    #[test]
    fn one_state_is_the_present_one() {
        check("idle", "now next later later later later");
        check("executing", "past past now next later next");
        check("completed", "past past past past now later");
        check("error", "past past past later later now");
        check("planning", "later later later later later later");
    }
}
