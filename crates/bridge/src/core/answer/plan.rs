//! Decides which posts an answer needs, and what each shows.

use super::super::Core;
use super::super::action::{Content, OutFile};
use super::super::files::embedded_images;
use super::super::ids::{MessageId, PartId, SessionId};
use super::super::input::PartKind;
use super::super::live::Live;
use super::super::markdown::{inline_code, shorten};
use super::super::slot::{Cut, PostLocation, Slot};
use super::render::{Segment, Shown, first_cut, long_output, overflow, render, segments};

/// What a post shows when the text that it had is gone.
const EMPTY: &str = "*(no more text)*";
/// Maximum number of images of an answer that are posted.
const MAX_IMAGES: usize = 5;

impl Core {
    /// Plans the posts that the answers of a session need so far.
    pub(in super::super) fn plan_answers(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let (Some(live), Some(root)) = (self.live.get(session), &thread.root) else { return };
        let (channel, root) = (thread.channel.clone(), Some(root.clone()));
        let mut slots = Vec::new();
        for turn in thread.turns.keys() {
            if !thread.is_muted || live.finished.contains(turn) {
                slots.extend(self.pieces(session, live, turn));
                slots.extend(self.attachments(session, live, turn));
            }
        }
        for slot in slots {
            self.plan(
                slot,
                PostLocation { channel: channel.clone(), root: root.clone(), at: self.now },
            );
        }
    }

    /// Returns the posts that the text of an answer needs in addition to those that are planned.
    fn pieces(&self, session: &SessionId, live: &Live, turn: &MessageId) -> Vec<Slot> {
        let segments = self.segments(session, live, turn);
        let mut slots = Vec::new();
        let planned = (0..).map_while(|index| self.planned_cut(turn, index)).enumerate().last();
        let (mut index, mut start) = match planned {
            Some(last) => last,
            None => {
                let Some(start) = first_cut(&segments) else { return slots };
                slots.push(answer(session, turn, 0, &start));
                (0, start)
            }
        };
        if render(&segments, &start, None).is_none() {
            return slots;
        }
        while let Some(cut) = overflow(&segments, &start, self.settings.max_post_chars) {
            index += 1;
            slots.push(answer(session, turn, index, &cut));
            start = cut;
        }
        slots
    }

    /// Returns the posts with files that an answer needs.
    fn attachments(&self, session: &SessionId, live: &Live, turn: &MessageId) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut images = Vec::new();
        for message in live.answers(turn) {
            for ((_, id), part) in live.parts.iter().filter(|((of, _), _)| *of == message.id) {
                let (session, turn) = (session.clone(), turn.clone());
                if long_output(part).is_some() {
                    slots.push(Slot::Output { session, turn, part: id.clone() });
                } else if let (PartKind::Text { text, .. }, true) =
                    (&part.kind, live.finished.contains(&turn))
                {
                    images.extend(embedded_images(text));
                }
            }
        }
        images.dedup();
        slots.extend(images.into_iter().take(MAX_IMAGES).map(|path| Slot::Image {
            session: session.clone(),
            turn: turn.clone(),
            path,
        }));
        slots
    }

    fn segments<'a>(
        &self,
        session: &SessionId,
        live: &'a Live,
        turn: &'a MessageId,
    ) -> Vec<Segment<'a>> {
        let thread = self.state.threads.get(session);
        let known = thread.and_then(|thread| thread.turns.get(turn));
        let prompt = known.is_some_and(|turn| !turn.is_from_thread);
        let shown = Shown { reasoning: self.settings.reasoning, prompt };
        segments(live, turn, shown)
    }

    fn planned_cut(&self, turn: &MessageId, index: usize) -> Option<Cut> {
        let key = Slot::answer_key(turn, index);
        match &self.state.posts.get(&key)?.slot {
            Slot::Answer { start, .. } => Some(start.clone()),
            _ => None,
        }
    }

    /// Returns the text of a piece of an answer.
    pub(in super::super) fn answer_text(
        &self,
        session: &SessionId,
        turn: &MessageId,
        index: usize,
        start: &Cut,
    ) -> Option<String> {
        let live = self.live.get(session)?;
        let end = self.planned_cut(turn, index + 1);
        let text = render(&self.segments(session, live, turn), start, end.as_ref())?;
        let is_created = |index| {
            let planned = self.state.posts.get(&Slot::answer_key(turn, index));
            planned.is_some_and(|planned| planned.post.is_some())
        };
        match text.trim().is_empty() {
            // The text became shorter when it was finished.
            true => is_created(index).then(|| EMPTY.to_owned()),
            false => Some(text),
        }
    }

    /// Returns the post with the whole output of a tool.
    pub(in super::super) fn output_content(
        &self,
        session: &SessionId,
        part: &PartId,
    ) -> Option<Content> {
        let parts = &self.live.get(session)?.parts;
        let (_, part) = parts.iter().find(|((_, id), _)| id == part)?;
        let tool = long_output(part)?;
        let title = inline_code(&shorten(tool.title.lines().next().unwrap_or_default(), 100));
        let content = tool.output.clone();
        let file = Some(OutFile::Text { name: "output.txt".to_owned(), content });
        Some(Content { text: format!("Output of {title}"), file })
    }

    /// Returns the post with a file of the session's directory.
    pub(in super::super) fn file_content(
        &self,
        session: &SessionId,
        path: &str,
    ) -> Option<Content> {
        let directory = self.state.threads.get(session)?.directory.clone();
        let max_bytes = self.settings.max_file_bytes;
        let file = Some(OutFile::Disk { directory, path: path.to_owned(), max_bytes });
        Some(Content { text: inline_code(path), file })
    }
}

fn answer(session: &SessionId, turn: &MessageId, index: usize, start: &Cut) -> Slot {
    let (session, turn, start) = (session.clone(), turn.clone(), start.clone());
    Slot::Answer { session, turn, index, start }
}
