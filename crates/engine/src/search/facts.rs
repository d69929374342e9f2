//! What the filters ask of a thread, in few bytes, so that it can be kept beside an index.

use std::borrow::Cow;

use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redact;
use skein_format::review::{Exchange, Mention, Status};
use skein_format::time::Time;

use super::folder::{Folder, id};
use super::thread::{Content, Thread};
use crate::filter::Filter;
use crate::kind::Kind;
use crate::read::checkpoint::clean;
use crate::settings::Settings;
use crate::turn::turn;
use crate::view::Detail;
use crate::work::States;

/// Stands between the parts of the first fact.
const HEAD_END: &str = "\u{1f}";

/// What decides about a thread and is not in its file.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) settings: &'a Settings,
    /// What became of checkpoints, and the id of this one; none where its file says all.
    pub(super) states: Option<(&'a States, &'a str)>,
}

impl<'a> Around<'a> {
    /// Takes what is known of the checkpoints of a folder, for the thread in the file `name`.
    pub(super) fn new(folder: &'a Folder, states: Option<&'a States>, name: &'a str) -> Self {
        let states = states.map(|states| (states, id(name)));
        Self { settings: &folder.workspace.settings, states }
    }
}

/// What the filters ask of a thread: texts, with an empty one behind each fact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts(Vec<String>);

impl Facts {
    pub(super) fn of(thread: &Thread<'_>) -> Self {
        let mut facts = Self::default();
        match &thread.content {
            Content::Review(texts) => {
                let exchange = packed(&texts.exchange());
                facts.head(thread, texts.status().map_or("", Status::as_str), &exchange);
                facts.fact(texts.authors().map(|author| author.to_lowercase()));
                facts.fact(texts.path());
            }
            Content::Checkpoint(_, form) => {
                let (doc, _) = CheckpointDoc::parse(thread.bytes.to_vec(), thread.id, *form);
                let head = doc.head();
                facts.head(thread, head.state().unwrap_or_default(), head.kind.as_str());
                facts.fact(head.tags.iter().map(|tag| redact(tag)));
                let git = head.git.as_ref();
                facts.fact(git.and_then(|git| git.branch.as_deref()).map(redact));
                let known = git.map(|git| [&git.current_commit, &git.initial_commit]);
                let known = known.into_iter().flatten().flatten().map(|text| digits(text));
                facts.fact(known.chain(doc.commits().iter().map(|text| digits(&redact(text)))));
                facts.fact(doc.files().into_iter().map(|file| clean(file.path)));
            }
            Content::Session(row) => {
                facts.head(thread, row.status.as_deref().unwrap_or_default(), "");
                if let Detail::Session(detail) = &row.detail {
                    facts.fact([&detail.directory]);
                }
            }
            Content::Unknown(_) => {}
        }
        facts
    }

    /// Adds what many threads have in common, as one text: the kind, whether it can be used, whether its time is known, the
    /// status, and the type of a checkpoint or the last author of a review.
    fn head(&mut self, thread: &Thread<'_>, status: &str, name: &str) {
        let yes = |is: bool| if is { "1" } else { "" };
        // The time itself is kept with the thread, and a list of times would be a long one.
        let (usable, timed) = (yes(thread.is_usable()), yes(thread.time() != i64::MIN));
        let head = [thread.kind().as_str(), usable, timed, status, name];
        self.fact([head.map(|text| text.replace(HEAD_END, " ")).join(HEAD_END)]);
    }

    /// Adds a fact; of texts that are there twice one is enough.
    fn fact(&mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) {
        let start = self.0.len();
        for text in texts {
            let text = text.as_ref();
            let known = self.0.get(start..).unwrap_or_default();
            if !text.is_empty() && !known.iter().any(|one| one == text) {
                self.0.push(text.to_owned());
            }
        }
        self.0.push(String::new());
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> + Clone {
        self.0.iter().map(|text| text.as_str().into())
    }

    /// Returns whether a thread with these facts passes that was last changed at a time.
    ///
    /// The facts are looked at one after the other, and no further than it takes.
    pub(super) fn pass<'t>(
        texts: impl Iterator<Item = Cow<'t, str>>,
        time: i64,
        filter: &Filter,
        around: Around<'_>,
    ) -> bool {
        let mut texts = Texts(texts);
        let head = texts.one().unwrap_or_default();
        let mut head = head.splitn(5, HEAD_END);
        let mut next = || head.next().unwrap_or_default();
        let kind = Kind::parse(next());
        let (usable, timed) = (!next().is_empty(), !next().is_empty());
        let (written, name) = (Some(next()).filter(|status| !status.is_empty()), next());
        let status = match (kind, around.states) {
            (Some(Kind::Checkpoint), Some((states, id))) if usable => states.state(id, written),
            _ => written,
        };
        let time = timed.then(|| Time::from_millis(time));
        let wanted = kind.is_some_and(|kind| filter.wants(kind));
        if !wanted || !filter.passes(status, time) {
            return false;
        }
        let passes = match kind {
            Some(Kind::Review) => {
                let open = usable && status == Some("open");
                let is_next = |wanted| open && turn(&unpacked(name), around.settings).on == wanted;
                filter.waiting.is_none_or(is_next) && texts.review_passes(filter)
            }
            Some(Kind::Checkpoint) => filter.is_type(name) && texts.checkpoint_passes(filter),
            _ => true,
        };
        passes && (filter.file.is_none() || texts.any(|path| filter.is_on(path)))
    }
}

/// The separator between the parts of an exchange.
const PART_END: char = '\u{1e}';

/// Writes who wrote last, and to whom, as one text: whose turn that makes it depends on the settings at the time of the query.
fn packed(exchange: &Exchange<'_>) -> String {
    let author =
        |name: &Option<Cow<'_, str>>| name.as_deref().unwrap_or_default().replace(PART_END, " ");
    let mention = exchange.mention.as_ref();
    let leads = mention.map_or("", |mention| if mention.leads { "^" } else { "@" });
    let text = mention.map_or(String::new(), |mention| mention.text.replace(PART_END, " "));
    let applied = if exchange.is_applied { "1" } else { "" }.to_owned();
    let mention = format!("{leads}{text}");
    let mut parts = vec![author(&exchange.last), author(&exchange.other), mention, applied];
    while parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    parts.join(&PART_END.to_string())
}

fn unpacked(text: &str) -> Exchange<'_> {
    let mut parts = text.split(PART_END);
    let mut author = || parts.next().filter(|name| !name.is_empty()).map(Cow::Borrowed);
    let (last, other) = (author(), author());
    let mention = parts.next().and_then(|text| {
        let leads = text.starts_with('^');
        Some(Mention { text: text.strip_prefix(['^', '@'])?.to_owned(), leads })
    });
    let is_applied = parts.next().is_some_and(|text| !text.is_empty());
    Exchange { last, other, mention, proposes_resolve: false, is_applied }
}

/// The facts that are still to be looked at.
struct Texts<T>(T);

impl<'t, T: Iterator<Item = Cow<'t, str>>> Texts<T> {
    /// Takes the next fact, of which there is one text at most.
    fn one(&mut self) -> Option<Cow<'t, str>> {
        let text = self.0.next().filter(|text| !text.is_empty())?;
        self.0.next();
        Some(text)
    }

    /// Takes the next fact, and returns whether any of its texts is wanted.
    fn any(&mut self, wanted: impl Fn(&str) -> bool) -> bool {
        let texts = self.0.by_ref().take_while(|text| !text.is_empty());
        let mut any = false;
        for text in texts {
            any = any || wanted(&text);
        }
        any
    }

    /// Looks at the authors.
    fn review_passes(&mut self, filter: &Filter) -> bool {
        let author = filter.author.as_ref().map(|author| author.to_lowercase());
        let by = self.any(|name| author.as_ref().is_some_and(|wanted| name.contains(wanted)));
        // The branch of a review is not in its file.
        (author.is_none() || by) && filter.branch.is_none()
    }

    /// Looks at the tags, the branch and the commits.
    fn checkpoint_passes(&mut self, filter: &Filter) -> bool {
        let tag = self.any(|tag| filter.is_tag(tag));
        let branch = self.one();
        let commit = self.any(|commit| filter.is_commit(commit));
        (filter.tag.is_none() || tag)
            && (filter.commit.is_none() || commit)
            && filter.is_branch(branch.as_deref())
    }
}

/// Returns what a written commit begins with.
fn digits(text: &str) -> String {
    text.chars().take_while(char::is_ascii_hexdigit).collect()
}
