//! Shortens a brief to a limit, and counts the omitted parts.

use serde::Serialize;

use super::Brief;

/// The number of parts that were left out because of the limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Files.
    pub files: usize,
    /// Open steps.
    pub open_steps: usize,
    /// Commits.
    pub commits: usize,
    /// Review threads.
    pub reviews: usize,
    /// Notes.
    pub learned: usize,
    /// Characters of texts.
    pub characters: usize,
}

impl Omitted {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Minimum length of a text that is shortened.
const SHORT: usize = 400;

impl Brief {
    /// Returns a brief whose JSON has at most `limit` characters, if possible; notes are shortened first, then the longest part.
    #[must_use]
    pub fn fitted(mut self, limit: usize) -> Self {
        self.left_out.files = self.file_count.saturating_sub(self.files.len());
        self.shorten_lines();
        // Each round removes a third of one part, so few rounds are needed.
        for _ in 0..200 {
            if length(&self) <= limit || !self.shorten() {
                break;
            }
        }
        self
    }

    /// Truncates values that are much longer than a line.
    fn shorten_lines(&mut self) {
        let mut gone = cut_line(&mut self.title, 300) + cut_line(&mut self.kind, 100);
        gone += self.cwd.as_mut().map_or(0, |cwd| cut_line(cwd, 500));
        gone += self.tags.iter_mut().map(|tag| cut_line(tag, 100)).sum::<usize>();
        gone +=
            self.open_steps.iter_mut().map(|step| cut_line(&mut step.step, 1000)).sum::<usize>();
        for file in &mut self.files {
            gone += cut_line(&mut file.path, 500);
            gone += file.reason.as_mut().map_or(0, |reason| cut_line(reason, 300));
        }
        for review in &mut self.reviews {
            gone += cut_line(&mut review.title, 300);
        }
        for text in self.learned.iter_mut().flat_map(|learned| &mut learned.texts) {
            gone += cut_line(text, 1000);
        }
        for made in self.git_now.iter_mut().flat_map(|now| &mut now.commits) {
            gone += cut_line(&mut made.subject, 200);
        }
        self.left_out.characters += gone;
    }

    /// Removes a third of the longest notes, else of the longest part; false if nothing is left to remove.
    fn shorten(&mut self) -> bool {
        let learned = self.learned.iter_mut().map(|learned| &mut learned.texts);
        if let Some(texts) = learned.max_by_key(length).filter(|list| !list.is_empty()) {
            self.left_out.learned += cut(texts);
            return true;
        }
        let commits = self.git_now.as_ref().map_or(0, |now| length(&now.commits));
        let text = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
        let none = None;
        let before = self.before.as_ref().map_or(&none, |before| &before.summary);
        let texts = [&self.summary, &self.handoff_notes, &self.handoff_message, before].map(text);
        let lists = [
            length(&self.files),
            length(&self.open_steps),
            commits,
            length(&self.reviews),
            length(&self.diagnostics),
            length(&self.tags),
            self.before.as_ref().map_or(0, |before| length(&before.open_steps)),
        ];
        let sizes = lists.into_iter().chain(texts.map(|size| if size > SHORT { size } else { 0 }));
        // An empty list is written in two characters.
        let longest = sizes.enumerate().filter(|(_, size)| *size > 2).max_by_key(|(_, size)| *size);
        let Some((which, _)) = longest else { return false };
        let left = &mut self.left_out;
        match which {
            0 => left.files += cut(&mut self.files),
            1 => left.open_steps += cut(&mut self.open_steps),
            2 => left.commits += self.git_now.as_mut().map_or(0, |now| cut(&mut now.commits)),
            3 => left.reviews += cut(&mut self.reviews),
            4 => drop(cut(&mut self.diagnostics)),
            5 => drop(cut(&mut self.tags)),
            // `open_step_count` has their number.
            6 => drop(self.before.as_mut().map(|before| cut(&mut before.open_steps))),
            7 => left.characters += cut_text(&mut self.summary),
            8 => left.characters += cut_text(&mut self.handoff_notes),
            9 => left.characters += cut_text(&mut self.handoff_message),
            _ => {
                let before = self.before.as_mut();
                left.characters += before.map_or(0, |before| cut_text(&mut before.summary));
            }
        }
        true
    }
}

fn length(value: &impl Serialize) -> usize {
    // Plain data under string keys always serialises.
    serde_json::to_string(value).unwrap_or_default().chars().count()
}

fn cut<T>(list: &mut Vec<T>) -> usize {
    let keep = list.len() * 2 / 3;
    let gone = list.len() - keep;
    list.truncate(keep);
    gone
}

fn cut_text(text: &mut Option<String>) -> usize {
    let Some(text) = text else { return 0 };
    let all = text.chars().count();
    let keep = (all * 2 / 3).max(SHORT / 2);
    *text = text.chars().take(keep).chain(['\u{2026}']).collect();
    all.saturating_sub(keep)
}

fn cut_line(text: &mut String, most: usize) -> usize {
    let all = text.chars().count();
    if all > most {
        *text = text.chars().take(most).chain(['\u{2026}']).collect();
    }
    all.saturating_sub(most)
}
