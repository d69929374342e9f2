//! Random scripts with repeated, reordered and lost events, failures and kills.

use std::collections::BTreeSet;

use proptest::prelude::*;
use skein_bridge::core::ids::{MessageId, PostId, SessionId};
use skein_bridge::core::input::{AgentEvent, Body, Input, PartKind};
use skein_bridge::core::state::PromptState;

use crate::world::World;

/// Number of scripts that each test plays.
const CASES: u32 = 100;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A post starts a session.
    Start,
    /// A reply in one of the threads.
    Reply(usize),
    /// A session is created in the terminal.
    Terminal,
    /// A prompt in the terminal.
    Type(usize),
    /// The agent writes into one of the sessions.
    Write(usize, usize),
    Finish(usize),
    Wait(u64),
    Kill,
    KillAfter(usize),
    /// The chat is not reachable, or is again.
    ChatDown,
    ChatUp,
    /// The events of OpenCode are lost, and its requests fail.
    AgentDown,
    AgentUp,
    LoseAnswer,
    LoseRequest,
    /// OpenCode dies and is started again.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Start),
        6 => any::<usize>().prop_map(Step::Reply),
        1 => Just(Step::Terminal),
        2 => any::<usize>().prop_map(Step::Type),
        10 => (any::<usize>(), 1..400_usize).prop_map(|(session, words)| Step::Write(session, words)),
        6 => any::<usize>().prop_map(Step::Finish),
        6 => (1..20_000_u64).prop_map(Step::Wait),
        2 => Just(Step::Kill),
        3 => (0..12_usize).prop_map(Step::KillAfter),
        1 => Just(Step::ChatDown),
        2 => Just(Step::ChatUp),
        1 => Just(Step::AgentDown),
        2 => Just(Step::AgentUp),
        1 => Just(Step::LoseAnswer),
        1 => Just(Step::LoseRequest),
    ]
}

/// A step of a script in which OpenCode dies as well.
fn step_with_restarts() -> impl Strategy<Value = Step> {
    prop_oneof![10 => step(), 1 => Just(Step::Restart)]
}

struct Script {
    world: World,
    /// The text of each prompt in the chat.
    prompts: BTreeSet<String>,
    number: usize,
}

impl Script {
    fn text(&mut self, what: &str) -> String {
        self.number += 1;
        format!("{what} {}", self.number)
    }

    fn prompt(&mut self) -> String {
        let text = self.text("prompt");
        self.prompts.insert(text.clone());
        text
    }

    fn sessions(&self) -> Vec<SessionId> {
        self.world.agent.sessions.keys().cloned().collect()
    }

    fn session(&self, index: usize) -> Option<SessionId> {
        let sessions = self.sessions();
        sessions.get(index.checked_rem(sessions.len())?).cloned()
    }

    /// Returns the session if its agent works.
    fn busy_session(&mut self, index: usize) -> Option<SessionId> {
        let session = self.session(index)?;
        self.world.agent.session(&session).is_busy.then_some(session)
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Start => {
                let text = self.prompt();
                self.world.owner(&text);
            }
            Step::Reply(index) => self.reply(index),
            Step::Terminal => {
                let title = self.text("terminal");
                self.world.agent.create("/src/web", &title, self.world.now);
                self.world.run();
            }
            Step::Type(index) => {
                if let Some(session) = self.session(index) {
                    self.world.now += 1;
                    let text = self.text("typed");
                    let id = self.world.agent.message_id(self.world.now);
                    self.world.agent.prompt(&session, &id, &text, self.world.now);
                    self.world.run();
                }
            }
            Step::Write(index, words) => {
                if let Some(session) = self.busy_session(index) {
                    let text = self.text("word").repeat(words);
                    self.world.write(&session, &text);
                }
            }
            Step::Finish(index) => {
                if let Some(session) = self.busy_session(index) {
                    self.world.finish(&session);
                }
            }
            Step::Wait(time) => self.world.wait(time),
            Step::Kill => self.world.kill(),
            Step::KillAfter(steps) => self.world.steps_to_kill = Some(steps),
            Step::ChatDown => self.world.chat.is_down = true,
            Step::ChatUp => self.world.connect_chat(),
            Step::AgentDown => {
                self.world.agent.is_down = true;
                self.world.agent.events.clear();
                self.world.feed(Input::Agent(AgentEvent::Disconnected));
            }
            Step::AgentUp => self.world.connect_agent(),
            Step::LoseAnswer => self.world.agent.loses_answer = true,
            Step::LoseRequest => self.world.agent.loses_request = true,
            Step::Restart => self.world.restart_agent(),
        }
    }

    fn reply(&mut self, index: usize) {
        let roots: Vec<_> = self.world.core.state().roots.keys().cloned().collect();
        let Some(root) = index.checked_rem(roots.len()).and_then(|index| roots.get(index)) else {
            return;
        };
        let text = self.prompt();
        self.world.reply(&root.clone(), &text);
    }

    /// Ends all failures and lets the agent answer everything.
    fn settle(&mut self) {
        self.world.steps_to_kill = None;
        self.world.agent.loses_answer = false;
        self.world.agent.loses_request = false;
        self.world.connect();
        for _ in 0..60 {
            self.world.wait(70_000);
            for session in self.sessions() {
                while self.world.agent.session(&session).is_busy {
                    let text = self.text("last");
                    self.world.answer(&session, &text);
                }
            }
        }
        self.world.wait(1_000_000);
    }

    /// Everything arrived, and once.
    fn check(&mut self) {
        let sent: BTreeSet<_> = self.world.prompt_texts().into_iter().collect();
        assert_eq!(sent, self.prompts, "each prompt reached the agent");
        assert!(self.world.core.state().prompts.is_empty());
        self.check_once();
        for session in self.sessions() {
            self.check_session(&session, true);
        }
    }

    /// Nothing arrived twice, and what did not arrive is shown as doubtful.
    fn check_with_restarts(&mut self) {
        let sent: BTreeSet<_> = self.world.prompt_texts().into_iter().collect();
        let state = self.world.core.state();
        for prompt in state.prompts.values() {
            assert_eq!(prompt.state, PromptState::Doubtful);
        }
        let texts = state.prompts.values().map(|prompt| match &prompt.body {
            Body::Text(text) => text.clone(),
            Body::Command { .. } => panic!("no script has a command"),
        });
        let known: BTreeSet<_> = sent.into_iter().chain(texts).collect();
        assert_eq!(known, self.prompts, "each prompt was sent or is doubtful");
        self.check_once();
        for session in self.sessions() {
            self.check_session(&session, false);
        }
    }

    fn check_once(&self) {
        let sent = self.world.prompt_texts();
        let unique: BTreeSet<_> = sent.iter().cloned().collect();
        assert_eq!(unique.len(), sent.len(), "no prompt was sent twice: {sent:?}");
        let posts = self.world.chat.posts.iter();
        let keys: Vec<_> = posts.filter_map(|post| post.key.clone()).collect();
        let unique: BTreeSet<_> = keys.iter().collect();
        assert_eq!(unique.len(), keys.len(), "no post is doubled: {keys:?}");
        let state = self.world.core.state();
        let is_session = |key: &str| key.starts_with("session:");
        assert!(state.posts.keys().all(|key| is_session(key.as_str())), "{:?}", state.posts);
        assert_eq!(self.world.core.next_wakeup(), None);
    }

    /// The thread has all answers of a session, or at least those that were finished.
    fn check_session(&mut self, session: &SessionId, is_exact: bool) {
        let thread = self.world.core.state().threads.get(session).cloned();
        let thread = thread.unwrap_or_else(|| panic!("{session} has no thread"));
        assert!(thread.turns.is_empty(), "a turn of {session} is open");
        let root = thread.root.unwrap();
        assert_eq!(self.world.map[session].0.as_ref().unwrap().root, root);
        let messages = self.world.agent.session(session).messages.clone();
        for (turn, parts) in messages.iter().filter(|(info, _)| info.parent.is_none()) {
            let is_ours = self.world.agent.prompts.iter().any(|(id, _)| *id == turn.id);
            let prompt = parts.iter().filter(|_| !is_ours);
            let prompt = prompt.map(|part| format!("> {}", text(&part.kind)));
            let answers =
                messages.iter().filter(|(info, _)| info.parent.as_ref() == Some(&turn.id));
            let answers = answers.filter(|(info, _)| is_exact || info.is_complete);
            let answers = answers.flat_map(|(_, parts)| parts);
            let answers = answers.map(|part| text(&part.kind).to_owned());
            let shown = bare(&self.shown(&root, &turn.id));
            if is_exact {
                let expected: Vec<_> = prompt.chain(answers).collect();
                assert_eq!(shown, bare(&expected.concat()), "{}", turn.id);
            } else {
                let is_shown = |text: String| shown.contains(&bare(&text));
                assert!(prompt.chain(answers).all(is_shown), "{}: {shown}", turn.id);
            }
        }
    }

    fn shown(&self, root: &PostId, turn: &MessageId) -> String {
        let start = format!("answer:{turn}:");
        let posts = self.world.chat.thread(root);
        let pieces = posts
            .iter()
            .filter(|post| post.key.as_ref().is_some_and(|key| key.as_str().starts_with(&start)));
        pieces.map(|post| post.text.replace("*(no more text)*", "")).collect()
    }
}

fn text(kind: &PartKind) -> &str {
    match kind {
        PartKind::Text { text, .. } => text,
        _ => "",
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn play(steps: Vec<Step>, faults: Vec<u8>) -> Script {
    let mut settings = crate::world::settings();
    settings.max_prompts_per_minute = 1_000;
    settings.max_post_chars = 1_500;
    let mut world = World::with(settings);
    world.faults = faults.into();
    let mut script = Script { world, prompts: BTreeSet::new(), number: 0 };
    for step in steps {
        script.play(step);
    }
    script.settle();
    script
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(CASES)
    })]

    #[test]
    fn nothing_is_lost_and_nothing_doubled(
        steps in prop::collection::vec(step(), 1..60),
        faults in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        play(steps, faults).check();
    }

    #[test]
    fn nothing_is_doubled_when_opencode_dies(
        steps in prop::collection::vec(step_with_restarts(), 1..60),
        faults in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        play(steps, faults).check_with_restarts();
    }
}
