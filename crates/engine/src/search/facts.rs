//! What the filters ask of a thread, in few bytes, so that it can be kept beside an index.

use skein_format::time::Time;

use super::folder::ReadThread;
use crate::agents::is_agent;
use crate::filter::{Filter, Waiting};
use crate::guarded::Guarded;
use crate::kind::Kind;
use crate::settings::Settings;
use crate::view::{Body, Detail, View};

/// Between two facts, and between the texts of one; a text that has such a character loses it.
const FACT: char = '\u{1f}';
const TEXT: char = '\u{1e}';

/// What the filters ask of a thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts(String);

/// How many facts there are.
const COUNT: usize = 9;

impl Facts {
    pub(super) fn of(read: &ReadThread) -> Self {
        let view = &read.view;
        let mut facts: [String; COUNT] = Default::default();
        let [kind, usable, status, time, kind_name, names, branch, commits, files] = &mut facts;
        view.row.kind.as_str().clone_into(kind);
        usable.push_str(if view.row.usable { "1" } else { "" });
        *status = view.row.status.as_deref().map(plain).unwrap_or_default();
        *time = view.row.updated_at.map(|at| at.as_millis().to_string()).unwrap_or_default();
        *files = joined(files_of(view));
        match (&view.row.detail, &view.body) {
            (Detail::Review(detail), Body::Review(body)) => {
                *kind_name = detail.last_author.as_deref().map(plain).unwrap_or_default();
                *names = joined(body.comments.iter().map(|comment| comment.author.to_lowercase()));
            }
            (Detail::Checkpoint(detail), Body::Checkpoint(body)) => {
                *kind_name = plain(&detail.kind);
                *names = joined(detail.tags.iter().map(|tag| tag.shown().into_owned()));
                let git = detail.git.as_ref();
                let on = git.and_then(|git| git.branch.as_ref()).map(Guarded::shown);
                *branch = on.map(|on| plain(&on)).unwrap_or_default();
                let known = git.map(|git| [&git.current_commit, &git.initial_commit]);
                let known = known.into_iter().flatten().flatten();
                *commits = joined(known.chain(&body.commits_made).map(|text| digits(text)));
            }
            _ => {}
        }
        Self(facts.join(&FACT.to_string()))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Returns whether a thread with these facts passes.
    pub(super) fn pass(bytes: &[u8], filter: &Filter, settings: &Settings) -> bool {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let mut facts = text.split(FACT);
        let mut next = || facts.next().unwrap_or_default();
        let known = Known {
            kind: Kind::parse(next()),
            usable: next() == "1",
            status: Some(next()).filter(|status| !status.is_empty()),
            time: next().parse().ok().map(Time::from_millis),
            kind_name: next(),
            names: next(),
            branch: Some(next()).filter(|branch| !branch.is_empty()),
            commits: next(),
            files: next(),
        };
        known.passes(filter, settings)
    }
}

/// The files that a thread is about.
fn files_of(view: &View) -> Vec<String> {
    match (&view.row.detail, &view.body) {
        (Detail::Review(detail), _) => {
            detail.target.iter().map(|target| target.path.clone()).collect()
        }
        (_, Body::Checkpoint(body)) => body.files.iter().map(|file| file.path.clone()).collect(),
        (Detail::Session(detail), _) => vec![detail.directory.clone()],
        _ => Vec::new(),
    }
}

/// Returns what a written commit begins with.
fn digits(text: &str) -> String {
    text.chars().take_while(char::is_ascii_hexdigit).collect()
}

fn plain(text: &str) -> String {
    text.replace([FACT, TEXT], " ")
}

fn joined(texts: impl IntoIterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            all.push(TEXT);
        }
        all.push_str(&plain(&text));
    }
    all
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
    names: &'a str,
    branch: Option<&'a str>,
    commits: &'a str,
    files: &'a str,
}

impl Known<'_> {
    fn passes(&self, filter: &Filter, settings: &Settings) -> bool {
        if !self.kind.is_some_and(|kind| filter.wants(kind)) {
            return false;
        }
        let on = filter.file.is_none() || texts(self.files).any(|path| filter.is_on(path));
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
            texts(self.names).any(|name| name.contains(&wanted))
        });
        author && filter.waiting.is_none_or(|wanted| self.waiting(settings) == Some(wanted))
    }

    fn waiting(&self, settings: &Settings) -> Option<Waiting> {
        let by_agent = is_agent(self.kind_name, settings);
        let open = self.usable && self.status == Some("open");
        open.then_some(if by_agent { Waiting::Reviewer } else { Waiting::Agent })
    }

    fn checkpoint_passes(&self, filter: &Filter) -> bool {
        let tag = filter.tag.as_ref().is_none_or(|tag| texts(self.names).any(|one| one == tag));
        let kind = filter.type_name.as_ref().is_none_or(|kind| {
            self.kind_name == kind || (kind == "auto" && self.kind_name == "auto-checkpoint")
        });
        let commit = filter.commit.is_none() || texts(self.commits).any(|at| filter.is_commit(at));
        tag && kind && commit && filter.is_branch(self.branch)
    }
}

fn texts(joined: &str) -> impl Iterator<Item = &str> {
    joined.split(TEXT).filter(|text| !text.is_empty())
}
