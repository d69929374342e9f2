//! What the filters ask of a thread, in few bytes, so that it can be kept beside an index.

use skein_format::time::Time;

use super::folder::ReadThread;
use crate::agents::is_agent;
use crate::filter::{Filter, Waiting};
use crate::guarded::Guarded;
use crate::kind::Kind;
use crate::settings::Settings;
use crate::view::{Body, Detail, View};

/// What the filters ask of a thread: texts, with an empty one behind each fact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts(Vec<String>);

impl Facts {
    pub(super) fn of(read: &ReadThread) -> Self {
        let view = &read.view;
        let mut facts = Self::default();
        facts.fact([view.row.kind.as_str()]);
        facts.fact(view.row.usable.then_some("usable"));
        facts.fact(view.row.status.as_deref());
        // The time itself is kept with the thread, and a list of times would be a long one.
        facts.fact(view.row.updated_at.map(|_| "updated"));
        facts.fact(files_of(view));
        match (&view.row.detail, &view.body) {
            (Detail::Review(detail), Body::Review(body)) => {
                facts.fact(detail.last_author.as_deref());
                facts.fact(body.comments.iter().map(|comment| comment.author.to_lowercase()));
            }
            (Detail::Checkpoint(detail), Body::Checkpoint(body)) => {
                facts.fact([&detail.kind]);
                facts.fact(detail.tags.iter().map(Guarded::shown));
                let git = detail.git.as_ref();
                facts.fact(git.and_then(|git| git.branch.as_ref()).map(Guarded::shown));
                let known = git.map(|git| [&git.current_commit, &git.initial_commit]);
                let known = known.into_iter().flatten().flatten();
                facts.fact(known.chain(&body.commits_made).map(|text| digits(text)));
            }
            _ => {}
        }
        facts
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

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns whether a thread with these facts passes that was last changed at a time.
    pub(super) fn pass(texts: &[&str], time: i64, filter: &Filter, settings: &Settings) -> bool {
        let mut facts = texts.split(|text| text.is_empty());
        let mut next = || facts.next().unwrap_or_default();
        let known = Known {
            kind: next().first().and_then(|kind| Kind::parse(kind)),
            usable: !next().is_empty(),
            status: next().first().copied(),
            time: (!next().is_empty()).then(|| Time::from_millis(time)),
            files: next(),
            kind_name: next().first().copied().unwrap_or_default(),
            names: next(),
            branch: next().first().copied(),
            commits: next(),
        };
        known.passes(filter, settings)
    }
}

/// The files that a thread is about.
fn files_of(view: &View) -> Vec<&str> {
    match (&view.row.detail, &view.body) {
        (Detail::Review(detail), _) => {
            detail.target.iter().map(|target| target.path.as_str()).collect()
        }
        (_, Body::Checkpoint(body)) => body.files.iter().map(|file| file.path.as_str()).collect(),
        (Detail::Session(detail), _) => vec![&detail.directory],
        _ => Vec::new(),
    }
}

/// Returns what a written commit begins with.
fn digits(text: &str) -> String {
    text.chars().take_while(char::is_ascii_hexdigit).collect()
}

/// The facts, taken apart.
struct Known<'a> {
    kind: Option<Kind>,
    usable: bool,
    status: Option<&'a str>,
    time: Option<Time>,
    /// The type of a checkpoint, or the last author of a review.
    kind_name: &'a str,
    /// The tags of a checkpoint, or the authors of a review in lower case.
    names: &'a [&'a str],
    branch: Option<&'a str>,
    commits: &'a [&'a str],
    files: &'a [&'a str],
}

impl Known<'_> {
    fn passes(&self, filter: &Filter, settings: &Settings) -> bool {
        if !self.kind.is_some_and(|kind| filter.wants(kind)) {
            return false;
        }
        let on = filter.file.is_none() || self.files.iter().any(|path| filter.is_on(path));
        if !filter.passes(self.status, self.time) || !on {
            return false;
        }
        match self.kind {
            Some(Kind::Review) => self.review_passes(filter, settings),
            Some(Kind::Checkpoint) => self.checkpoint_passes(filter),
            _ => true,
        }
    }

    fn review_passes(&self, filter: &Filter, settings: &Settings) -> bool {
        let author = filter.author.as_ref().is_none_or(|author| {
            let wanted = author.to_lowercase();
            self.names.iter().any(|name| name.contains(&wanted))
        });
        author && filter.waiting.is_none_or(|wanted| self.waiting(settings) == Some(wanted))
    }

    fn waiting(&self, settings: &Settings) -> Option<Waiting> {
        let by_agent = is_agent(self.kind_name, settings);
        let open = self.usable && self.status == Some("open");
        open.then_some(if by_agent { Waiting::Reviewer } else { Waiting::Agent })
    }

    fn checkpoint_passes(&self, filter: &Filter) -> bool {
        let tag = filter.tag.as_ref().is_none_or(|tag| self.names.iter().any(|one| one == tag));
        let kind = filter.type_name.as_ref().is_none_or(|kind| {
            self.kind_name == kind || (kind == "auto" && self.kind_name == "auto-checkpoint")
        });
        let commit = filter.commit.is_none() || self.commits.iter().any(|at| filter.is_commit(at));
        tag && kind && commit && filter.is_branch(self.branch)
    }
}
