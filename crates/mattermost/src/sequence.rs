//! Follows the numbers of events, to notice what was missed.

use crate::MattermostEvent;
use crate::frame::{Content, Frame};

/// Which connection it is and which event comes next. It outlives the WebSocket, so that the next one can resume.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    connection_id: Option<String>,
    next: u64,
    /// Whether this WebSocket continues an earlier connection.
    is_resumed: bool,
    /// Whether `MattermostEvent::Connected` was reported for this WebSocket.
    is_reported: bool,
}

impl Sequence {
    /// Returns what the next WebSocket has to ask for, to continue where the last one ended.
    pub(crate) fn resume(&self) -> Option<(&str, u64)> {
        // The server takes 0 for a new connection but keeps silent about it.
        self.connection_id.as_deref().filter(|_| self.next > 0).map(|id| (id, self.next))
    }

    /// Prepares for the messages of a WebSocket that was opened with [`Self::resume`].
    pub(crate) fn start(&mut self) {
        self.is_resumed = self.resume().is_some();
        self.is_reported = false;
        if !self.is_resumed {
            *self = Self::default();
        }
    }

    pub(crate) fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// Returns the events that a message means.
    pub(crate) fn accept(&mut self, frame: Frame) -> Vec<MattermostEvent> {
        let mut events = Vec::new();
        match frame {
            Frame::Event { seq, content } => self.accept_event(seq, content, &mut events),
            // The server sends what was missed before it answers, and a hello if it cannot.
            Frame::Answer { .. } if !self.is_reported => self.report(self.is_resumed, &mut events),
            Frame::Answer { .. } => {}
            Frame::Unknown => self.report(false, &mut events),
        }
        events
    }

    fn accept_event(&mut self, seq: u64, content: Content, events: &mut Vec<MattermostEvent>) {
        let is_next = seq == self.next;
        self.next = seq + 1;
        if let Content::Hello { connection_id } = &content {
            self.connection_id = Some(connection_id.clone());
            self.is_resumed = false;
        }
        if !is_next || !self.is_reported {
            self.report(is_next && self.is_resumed, events);
        }
        match content {
            Content::Known(event) => events.push(*event),
            Content::Broken => self.report(false, events),
            Content::Hello { .. } | Content::Other => {}
        }
    }

    fn report(&mut self, complete: bool, events: &mut Vec<MattermostEvent>) {
        self.is_reported = true;
        events.push(MattermostEvent::Connected { complete });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MattermostPost;

    fn hello(seq: u64, id: &str) -> Frame {
        Frame::Event { seq, content: Content::Hello { connection_id: id.into() } }
    }

    fn edited(seq: u64) -> Frame {
        Frame::Event {
            seq,
            content: Content::Known(Box::new(MattermostEvent::Edited(MattermostPost::default()))),
        }
    }

    fn other(seq: u64) -> Frame {
        Frame::Event { seq, content: Content::Other }
    }

    const PONG: Frame = Frame::Answer { error: None };

    /// Returns the events in short: `+` connected without loss, `-` with loss, `e` an edit.
    fn run(sequence: &mut Sequence, frames: Vec<Frame>) -> String {
        sequence.start();
        let events = frames.into_iter().flat_map(|frame| sequence.accept(frame));
        let short = events.map(|event| match event {
            MattermostEvent::Connected { complete: true } => '+',
            MattermostEvent::Connected { complete: false } => '-',
            MattermostEvent::Edited(_) => 'e',
            _ => '?',
        });
        short.collect()
    }

    /// Returns the state after a first connection whose next event is number 3.
    fn connected() -> Sequence {
        let mut sequence = Sequence::default();
        assert_eq!(sequence.resume(), None);
        assert_eq!(run(&mut sequence, vec![hello(0, "a"), other(1), edited(2), PONG]), "-e");
        assert_eq!(sequence.resume(), Some(("a", 3)));
        sequence
    }

    #[test]
    fn the_first_connection_is_never_complete() {
        connected();
        assert_eq!(run(&mut Sequence::default(), vec![other(0), hello(1, "a"), edited(2)]), "-e");
        assert_eq!(run(&mut Sequence::default(), vec![PONG]), "-");
    }

    #[test]
    fn a_resume_in_time_is_complete() {
        let mut sequence = connected();
        assert_eq!(run(&mut sequence, vec![edited(3), other(4), PONG]), "+e");
        assert_eq!(run(&mut sequence, vec![PONG, edited(5)]), "+e");
        assert_eq!(sequence.resume(), Some(("a", 6)));
    }

    #[test]
    fn a_resume_that_is_too_late_is_not_complete() {
        let mut sequence = connected();
        assert_eq!(run(&mut sequence, vec![hello(0, "b"), edited(1)]), "-e");
        assert_eq!(sequence.resume(), Some(("b", 2)));
        // Without a hello.
        assert_eq!(run(&mut sequence, vec![edited(0), edited(1)]), "-ee");
        assert_eq!(sequence.resume(), Some(("b", 2)));
    }

    #[test]
    fn a_new_connection_with_the_expected_number_is_not_complete() {
        let mut sequence = connected();
        assert_eq!(run(&mut sequence, vec![hello(3, "b")]), "-");
    }

    #[test]
    fn a_gap_within_a_connection_is_reported() {
        let mut sequence = connected();
        assert_eq!(run(&mut sequence, vec![edited(3), edited(5), edited(6)]), "+e-ee");
    }

    #[test]
    fn messages_that_cannot_be_read_are_gaps() {
        let mut sequence = connected();
        let broken = Frame::Event { seq: 4, content: Content::Broken };
        assert_eq!(run(&mut sequence, vec![edited(3), broken, edited(5)]), "+e-e");
        assert_eq!(run(&mut sequence, vec![Frame::Unknown, edited(6)]), "-e");
    }

    #[test]
    fn an_answer_with_an_error_is_an_answer() {
        let mut sequence = connected();
        assert_eq!(run(&mut sequence, vec![Frame::Answer { error: Some(500) }]), "+");
    }
}
