//! Renders the parts of an answer to Markdown.

use std::borrow::Cow;

use super::super::ids::{MessageId, PartId};
use super::super::input::{PartKind, Tool, ToolState};
use super::super::live::{Live, LivePart};
use super::super::markdown::{code_block, inline_code, quote, shorten, todo_line};
use super::super::slot::Cut;
use super::split::{find_cut, piece};

/// Maximum length of the shown end of an output.
const MAX_TAIL_LINES: usize = 10;
const MAX_TAIL_CHARS: usize = 1_000;
/// Maximum length of the line of a tool.
const MAX_TITLE_CHARS: usize = 200;
/// The part of a message that its error is shown as, after all others.
const ERROR_PART: &str = "~error";

/// A part as it is shown.
#[derive(Debug)]
pub(super) struct Segment<'a> {
    message: MessageId,
    part: PartId,
    text: Cow<'a, str>,
    style: Style,
    /// Whether the text is known from its beginning.
    is_certain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Text,
    Quote,
    /// A short text that is not cut.
    Line,
}

/// Which parts are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) reasoning: bool,
    /// Whether the thread does not have the prompt.
    pub(super) prompt: bool,
}

/// Returns the parts of a turn in order.
pub(super) fn segments<'a>(live: &'a Live, turn: &'a MessageId, shown: Shown) -> Vec<Segment<'a>> {
    let mut result = Vec::new();
    let last_todo = last_todo(live, turn);
    let prompt = live.messages.get(turn).filter(|_| shown.prompt);
    for message in prompt.into_iter().chain(live.answers(turn)) {
        let is_prompt = message.id == *turn;
        for ((_, id), part) in live.parts.range(parts_of(&message.id)) {
            let rendered = match &part.kind {
                _ if !part.is_known => None,
                PartKind::Text { text, .. } if is_prompt => Some((Cow::from(text), Style::Quote)),
                PartKind::Text { text, .. } => Some((Cow::from(text), Style::Text)),
                PartKind::Reasoning { text, .. } => {
                    shown.reasoning.then(|| (Cow::from(text), Style::Quote))
                }
                PartKind::Tool(tool) if tool.todos.is_empty() || last_todo == Some(id) => {
                    Some((Cow::from(tool_text(tool)), Style::Line))
                }
                PartKind::Tool(_) | PartKind::Other => None,
            };
            if let Some((text, style)) = rendered.filter(|(text, _)| !text.trim().is_empty()) {
                let (message, part_id) = (message.id.clone(), id.clone());
                let is_certain = !part.has_gap;
                result.push(Segment { message, part: part_id, text, style, is_certain });
            }
        }
        if let Some(error) = &message.error {
            result.push(error_segment(&message.id, error));
        }
    }
    result.extend(live.errors.get(turn).map(|error| {
        let last = live.answers(turn).next_back().map_or(turn, |message| &message.id);
        error_segment(last, error)
    }));
    result
}

fn error_segment(message: &MessageId, error: &str) -> Segment<'static> {
    let (message, part) = (message.clone(), PartId::from(ERROR_PART));
    let text = Cow::from(format!(":warning: {}", shorten(error, MAX_TAIL_CHARS)));
    Segment { message, part, text, style: Style::Line, is_certain: true }
}

fn parts_of(message: &MessageId) -> std::ops::RangeInclusive<(MessageId, PartId)> {
    let last = PartId::from("\u{10ffff}");
    (message.clone(), PartId::from(""))..=(message.clone(), last)
}

fn last_todo<'a>(live: &'a Live, turn: &'a MessageId) -> Option<&'a PartId> {
    let mut last = None;
    for message in live.answers(turn) {
        for ((_, id), part) in live.parts.range(parts_of(&message.id)) {
            if matches!(&part.kind, PartKind::Tool(tool) if !tool.todos.is_empty()) {
                last = Some(id);
            }
        }
    }
    last
}

/// Returns where the answer starts, once there is something to show.
pub(super) fn first_cut(segments: &[Segment<'_>]) -> Option<Cut> {
    segments.first().filter(|first| first.is_certain).map(|first| first.cut(0))
}

/// Returns the Markdown from `start` to `end`, or `None` if a part of it is not known.
pub(super) fn render(segments: &[Segment<'_>], start: &Cut, end: Option<&Cut>) -> Option<String> {
    let mut result = String::new();
    let mut last = None;
    for segment in segments {
        let Some((from, to)) = segment.range(start, end) else { continue };
        if !segment.is_certain {
            return None;
        }
        segment.append(&mut result, &mut last, (from, to));
    }
    Some(result)
}

/// Returns where the Markdown from `start` has to be cut to be at most `budget` characters long,
/// or `None` if it is not longer.
pub(super) fn overflow(segments: &[Segment<'_>], start: &Cut, budget: usize) -> Option<Cut> {
    let mut result = String::new();
    let mut last = None;
    for segment in segments {
        let Some((from, to)) = segment.range(start, None) else { continue };
        let used = result.chars().count() + 2;
        let is_first = last.is_none();
        segment.append(&mut result, &mut last, (from, to));
        if result.chars().count() <= budget {
            continue;
        }
        let room = budget.saturating_sub(used);
        let cut = match segment.style {
            Style::Line => None,
            // Each line of a quote gets two more characters.
            Style::Quote => find_cut(&segment.text, from, room / 2),
            Style::Text => find_cut(&segment.text, from, room),
        };
        // A short rest at the end of a post is not worth a cut.
        let cut = cut.filter(|cut| is_first || cut - from > budget / 8).unwrap_or(from);
        // A line that does not fit into a post is cut when it is posted; what follows it is not.
        if cut > from || !is_first {
            return Some(segment.cut(cut));
        }
    }
    None
}

impl Segment<'_> {
    fn cut(&self, offset: usize) -> Cut {
        Cut { message: self.message.clone(), part: self.part.clone(), offset }
    }

    /// Returns the part of the text that is between two cuts.
    fn range(&self, start: &Cut, end: Option<&Cut>) -> Option<(usize, usize)> {
        let place = (&self.message, &self.part);
        let from = match place.cmp(&(&start.message, &start.part)) {
            std::cmp::Ordering::Less => return None,
            std::cmp::Ordering::Equal => self.boundary(start.offset),
            std::cmp::Ordering::Greater => 0,
        };
        let to = match end.map(|end| (place.cmp(&(&end.message, &end.part)), end.offset)) {
            Some((std::cmp::Ordering::Greater, _)) => return None,
            Some((std::cmp::Ordering::Equal, offset)) => self.boundary(offset),
            Some((std::cmp::Ordering::Less, _)) | None => self.text.len(),
        };
        (from < to).then_some((from, to))
    }

    /// Returns the offset, or the nearest one before it that is valid: the text can change.
    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    fn append(&self, result: &mut String, last: &mut Option<Style>, (from, to): (usize, usize)) {
        let text = match self.style {
            Style::Line => self.text.to_string(),
            Style::Text => piece(&self.text, from, to),
            Style::Quote => quote(self.text.get(from..to).unwrap_or_default()),
        };
        if text.is_empty() {
            return;
        }
        match last {
            None => {}
            Some(Style::Line) if self.style == Style::Line => result.push('\n'),
            Some(_) => result.push_str("\n\n"),
        }
        result.push_str(&text);
        *last = Some(self.style);
    }
}

fn tool_text(tool: &Tool) -> String {
    let sign = match tool.state {
        ToolState::Pending | ToolState::Running => ":hourglass_flowing_sand:",
        ToolState::Completed => ":white_check_mark:",
        ToolState::Failed => ":x:",
    };
    let title = shorten(tool.title.lines().next().unwrap_or_default(), MAX_TITLE_CHARS);
    let mut line = vec![format!("{sign} **{}**", tool.name)];
    line.extend((!title.is_empty()).then(|| inline_code(&title)));
    line.extend(tool.milliseconds.map(|time| format!("({}.{} s)", time / 1000, time % 1000 / 100)));
    let mut lines = vec![line.join(" ")];
    lines.extend(tool.todos.iter().map(todo_line));
    let output = match tool.state {
        ToolState::Failed => &tool.error,
        _ if is_shell(tool) => &tool.output,
        _ => "",
    };
    lines.extend((!output.trim().is_empty()).then(|| code_block(&tail(output))));
    lines.join("\n")
}

/// Returns the whole output of a shell command, if only its end is shown.
pub(super) fn long_output(part: &LivePart) -> Option<&Tool> {
    let PartKind::Tool(tool) = &part.kind else { return None };
    let is_done = matches!(tool.state, ToolState::Completed | ToolState::Failed);
    (is_done && is_shell(tool) && tail(&tool.output) != tool.output.trim_end()).then_some(tool)
}

fn is_shell(tool: &Tool) -> bool {
    matches!(tool.name.as_str(), "bash" | "shell")
}

fn tail(output: &str) -> String {
    let lines: Vec<_> = output.trim_end().lines().collect();
    let lines = lines.get(lines.len().saturating_sub(MAX_TAIL_LINES)..).unwrap_or_default();
    let text = lines.join("\n");
    let skip = text.chars().count().saturating_sub(MAX_TAIL_CHARS);
    text.chars().skip(skip).collect()
}
