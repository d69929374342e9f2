//! Chooses the open work to offer, nearest worktree first.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_catalog::handoff_pointer;
use skein_catalog::resume_lock::holder;
use skein_catalog::rows::checkpoint::read_heads;
use skein_format::checkpoint::{Checkpoint, CheckpointFileKind, CheckpointType, HandoffDoc};
use skein_format::id::CheckpointId;
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_git::Head;
use skein_model::date_filter::clock_tolerance;
use skein_model::normalize_path::{lexical, stem};
use skein_model::truncate::truncate_line;
use skein_model::view::ResumeLockHolder;
use skein_model::word_enum;
use skein_workspace::{Actor, Workspace};

use super::agent_session;
use super::error::CheckpointError;
use super::open::read_head;
use super::path_format::expand;
use super::recent_names::RecentNames;

/// Maximum number of other open handoffs listed.
const MAX_OTHERS: usize = 5;
/// Maximum number of characters of their titles.
const MAX_TITLE: usize = 120;

word_enum! {
    /// Where a checkpoint was made, by distance from the current directory.
    WorkPlace {
        /// In this worktree.
        Worktree = "worktree",
        /// On this branch in another worktree.
        Branch = "branch",
        Elsewhere = "elsewhere",
    }
}

/// Where a checkpoint was made, as seen from the current directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkOrigin {
    pub place: WorkPlace,
    /// The top directory of the worktree; none if it no longer exists.
    pub worktree: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
}

/// Open work that was not chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherWork {
    /// The checkpoint.
    pub id: String,
    /// The title of the checkpoint, in one line.
    pub title: String,
    /// Where it was made.
    #[serde(flatten)]
    pub origin: WorkOrigin,
}

impl WorkOrigin {
    /// Returns the name of the place, as in `worktree api, branch login`; none for this worktree.
    pub fn name(&self) -> Option<String> {
        if self.place == WorkPlace::Worktree {
            return None;
        }
        let worktree = self.worktree.as_deref().map(Path::new).and_then(Path::file_name);
        let parts = [
            worktree.map(|name| format!("worktree {}", name.to_string_lossy())),
            self.branch.as_deref().map(|branch| format!("branch {branch}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        Some(if parts.is_empty() { "an unknown place".to_owned() } else { parts.join(", ") })
    }
}

/// The top of the worktree that a directory is in, or was in, and whether the directory is gone.
type Enclosing = (Option<PathBuf>, bool);

/// Finds out where checkpoints were made.
pub struct Surroundings<'a> {
    workspace: &'a Workspace,
    branch: Option<String>,
    tops: OnceCell<Vec<PathBuf>>,
    /// A cache, by directory as written.
    known: RefCell<HashMap<Option<String>, Enclosing>>,
}

impl<'a> Surroundings<'a> {
    pub fn new(workspace: &'a Workspace) -> Self {
        let branch = match workspace.git.as_ref().map(skein_git::RepoDirs::head) {
            Some(Head::Branch { name }) => Some(name),
            _ => None,
        };
        let (tops, known) = (OnceCell::new(), RefCell::default());
        Self { workspace, branch, tops, known }
    }

    /// Returns where a checkpoint with this directory and branch was made.
    ///
    /// Without a directory it was made in the root of the checkpoints. A deleted directory may have been a folder of the surrounding
    /// worktree or a worktree itself; the branch decides.
    pub fn origin(&self, cwd: Option<&str>, branch: Option<&str>) -> WorkOrigin {
        let (worktree, is_gone) = self.worktree(cwd);
        let same_branch = branch.is_some() && branch == self.branch.as_deref();
        let worktree = worktree.filter(|_| !is_gone || same_branch);
        let git = self.workspace.git.as_ref();
        let is_here = worktree == git.and_then(|git| git.top.clone());
        let place = match &worktree {
            _ if is_here => WorkPlace::Worktree,
            _ if !same_branch => WorkPlace::Elsewhere,
            Some(top) if !self.tops().contains(top) => WorkPlace::Elsewhere,
            _ => WorkPlace::Branch,
        };
        let worktree = worktree.map(|top| top.display().to_string());
        WorkOrigin { place, worktree, branch: branch.map(|branch| redacted(branch.to_owned())) }
    }

    fn tops(&self) -> &[PathBuf] {
        let git = self.workspace.git.as_ref();
        let all = || git.into_iter().flat_map(skein_git::RepoDirs::worktrees);
        self.tops.get_or_init(|| all().map(|worktree| worktree.top).collect())
    }

    /// Returns the top of the worktree that a directory is in, or was in, and whether the directory is gone.
    fn worktree(&self, cwd: Option<&str>) -> Enclosing {
        let key = cwd.map(str::to_owned);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let root = &self.workspace.checkpoints.root;
        let dir = lexical(&root.join(expand(cwd.unwrap_or_default(), &self.workspace.env)));
        let is_gone = !dir.is_dir();
        let there =
            dir.ancestors().find(|dir| dir.is_dir()).and_then(|dir| dir.canonicalize().ok());
        let is_top = |dir: &&Path| dir.join(".git").symlink_metadata().is_ok();
        let top = there.as_deref().and_then(|dir| dir.ancestors().find(is_top).map(Path::to_owned));
        self.known.borrow_mut().insert(key, (top.clone(), is_gone));
        (top, is_gone)
    }
}

/// A checkpoint that may be offered.
#[derive(Clone, Debug)]
pub struct Offer {
    pub id: String,
    pub form: CheckpointFileKind,
    pub path: PathBuf,
    pub is_handoff: bool,
    /// Whether the pointer `handoff.json` names it.
    is_pointed_to: bool,
    pub(crate) is_over: bool,
    made: Option<Time>,
    title: Option<String>,
    open_steps: usize,
    cwd: Option<String>,
    branch: Option<String>,
    commit: Option<String>,
}

impl Offer {
    pub(crate) fn new(id: &str, (form, path): CheckpointFile, head: Checkpoint) -> Self {
        Self {
            id: id.to_owned(),
            form,
            path,
            is_handoff: head.kind == CheckpointType::Handoff,
            is_pointed_to: false,
            is_over: head.is_over(),
            made: head.created_at.or(head.updated_at),
            title: head.title.or(head.summary),
            open_steps: head.open_steps,
            cwd: head.cwd,
            commit: head.git.as_ref().and_then(|git| git.current_commit.clone()),
            branch: head.git.and_then(|git| git.branch),
        }
    }

    fn read(file: CheckpointFile) -> Option<Self> {
        let head = read_head(&file).filter(|head| head.usable)?;
        Some(Self::new(&stem(&file.1), file, head))
    }

    fn is_open_handoff(&self) -> bool {
        self.is_handoff && !self.is_over
    }

    /// Returns the sort key; a time in the future is ignored, so that a wrong clock does not make it the newest for ever.
    fn order(&self, possible: Time) -> (Option<Time>, &str) {
        (self.made.filter(|at| *at <= possible), &self.id)
    }
}

/// The checkpoints that may be offered, nearest place first, then the newest.
pub struct Offers(Vec<(Offer, WorkOrigin)>);

/// The work that is offered.
pub struct WorkChoice {
    pub offer: Offer,
    pub origin: WorkOrigin,
    /// A checkpoint of the same place that is newer than the handoff.
    pub newer: Option<String>,
    /// Whether nothing of the same place is newer.
    pub is_newest: bool,
    /// Whether the pointer names it, and a newer handoff of the same place is open.
    pub is_by_pointer: bool,
    pub others: Vec<OtherWork>,
}

impl Offers {
    /// Reads all checkpoints.
    pub fn all(workspace: &Workspace, pointer: Option<&HandoffDoc>) -> Self {
        let all =
            read_heads(&workspace.checkpoints, &|id, place, head| Offer::new(id, place, head));
        Self::new(workspace, all, pointer)
    }

    /// Reads only the checkpoints with the latest names, for callers with little time.
    pub fn latest(workspace: &Workspace, pointer: Option<&HandoffDoc>) -> Self {
        let latest = RecentNames::read(&workspace.checkpoints, None, workspace.env.clock.now());
        let path = |name: &str| {
            (CheckpointFileKind::Thread, workspace.checkpoints.file(&format!("{name}.json")))
        };
        let all = latest.names().filter_map(|name| {
            // The names were chosen by their times, so the same times decide the order here.
            let named = CheckpointId::parse(name).and_then(|id| id.time());
            let offer = Offer::read(path(name))?;
            Some(Offer { made: named.or(offer.made), ..offer })
        });
        let all = all.collect();
        Self::new(workspace, all, pointer)
    }

    fn new(workspace: &Workspace, mut all: Vec<Offer>, pointer: Option<&HandoffDoc>) -> Self {
        // The target of the pointer is a handoff, whatever its type.
        if let Some((pointer, place)) = pointer.and_then(|pointer| {
            Some((pointer, handoff_pointer::target(&workspace.checkpoints, pointer)?))
        }) {
            if !all.iter().any(|offer| offer.path == place.1) {
                all.extend(Offer::read(place.clone()));
            }
            for offer in all.iter_mut().filter(|offer| offer.path == place.1) {
                offer.is_handoff = true;
                offer.is_pointed_to = true;
                offer.is_over |= pointer.is_over();
            }
        }
        let surroundings = Surroundings::new(workspace);
        let placed = all.into_iter().map(|offer| {
            let origin = surroundings.origin(offer.cwd.as_deref(), offer.branch.as_deref());
            (offer, origin)
        });
        let mut all: Vec<(Offer, WorkOrigin)> = placed.collect();
        let possible = clock_tolerance(workspace.env.clock.now());
        all.sort_by(|(a, place), (b, other)| {
            let order = Reverse(a.order(possible)).cmp(&Reverse(b.order(possible)));
            place.place.cmp(&other.place).then(order)
        });
        Self(all)
    }

    /// Returns the newest checkpoint of the nearest place.
    pub fn first(&self) -> Option<&Offer> {
        self.0.first().map(|(offer, _)| offer)
    }

    /// Returns the commit of the newest checkpoint of this worktree, as written.
    pub(crate) fn last_commit_here(&self) -> Option<&str> {
        let here = self.0.iter().filter(|(_, origin)| origin.place == WorkPlace::Worktree);
        here.map(|(offer, _)| offer.commit.as_deref()).next()?
    }

    /// Chooses the work to offer: in the nearest place with open work, the open handoff that the pointer names, else its newest open
    /// handoff, else its newest checkpoint, else the newest one with open steps.
    ///
    /// If the newest checkpoint of a place is over, earlier ones are offered only if they have open steps. A handoff taken by another
    /// session or person comes after the free ones of its place; with `skip_taken` it is not offered.
    pub fn choose(
        &self,
        viewer: &WorkViewer<'_>,
        now: Time,
        skip_taken: bool,
    ) -> Option<WorkChoice> {
        let is_free = |offer: &Offer| offer.is_open_handoff() && !viewer.is_kept_from(offer, now);
        let pick = |group: &[(Offer, WorkOrigin)]| -> Option<usize> {
            let is_plain = |offer: &Offer| !offer.is_handoff && !offer.is_over;
            let named = group.iter().position(|(offer, _)| offer.is_pointed_to && is_free(offer));
            let free = named.or_else(|| group.iter().position(|(offer, _)| is_free(offer)));
            let is_taken = |offer: &Offer| offer.is_open_handoff() && !skip_taken;
            let handed = free.or_else(|| group.iter().position(|(offer, _)| is_taken(offer)));
            let newest = || group.first().filter(|(offer, _)| is_plain(offer)).map(|_| 0);
            let has_steps = |offer: &Offer| is_plain(offer) && offer.open_steps > 0;
            let left = || group.iter().position(|(offer, _)| has_steps(offer));
            handed.or_else(newest).or_else(left)
        };
        let mut groups = self.0.chunk_by(|(_, a), (_, b)| a.place == b.place);
        let (group, at) = groups.find_map(|group| Some((group, pick(group)?)))?;
        let (offer, origin) = group.get(at)?;
        // `Elsewhere` includes several places, each with its own work.
        let newer = group.iter().find(|(_, other)| other.name() == origin.name());
        let newer = newer.filter(|(first, _)| {
            offer.is_handoff && first.made > offer.made && !first.is_handoff && !first.is_over
        });
        let others = self.0.iter().filter(|(other, _)| other.id != offer.id && is_free(other));
        Some(WorkChoice {
            offer: offer.clone(),
            origin: origin.clone(),
            newer: newer.map(|(newer, _)| newer.id.clone()),
            is_newest: at == 0,
            is_by_pointer: offer.is_pointed_to
                && group.iter().take(at).any(|(earlier, _)| is_free(earlier)),
            others: others.take(MAX_OTHERS).map(other_work).collect(),
        })
    }

    /// Returns the open handoffs, nearest place first; in each place the one that the pointer names, then the newest.
    pub(crate) fn open_handoffs(&self) -> impl Iterator<Item = &(Offer, WorkOrigin)> {
        let mut open: Vec<_> = self.0.iter().filter(|(offer, _)| offer.is_open_handoff()).collect();
        open.sort_by_key(|(offer, origin)| (origin.place, !offer.is_pointed_to));
        open.into_iter()
    }
}

/// Returns whether there is work to offer without an id.
pub fn has_offer(workspace: &Workspace) -> bool {
    let pointer = handoff_pointer::read(workspace).0;
    let offers = Offers::all(workspace, pointer.as_ref());
    offers.choose(&WorkViewer::new(workspace, None), workspace.env.clock.now(), false).is_some()
}

fn other_work((offer, origin): &(Offer, WorkOrigin)) -> OtherWork {
    let title = offer.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = redacted(title.unwrap_or(&offer.id).to_owned());
    OtherWork {
        id: offer.id.clone(),
        title: truncate_line(&title, MAX_TITLE),
        origin: origin.clone(),
    }
}

/// The session or person that work is offered to.
pub struct WorkViewer<'a> {
    workspace: &'a Workspace,
    session: Option<&'a str>,
    name: OnceCell<String>,
}

impl<'a> WorkViewer<'a> {
    /// Uses the given session, else the one in the environment.
    pub fn new(workspace: &'a Workspace, session: Option<&'a str>) -> Self {
        let session = session.or_else(|| agent_session::around(&workspace.env));
        Self { workspace, session, name: OnceCell::new() }
    }

    /// Returns whether another session or person has taken the work.
    fn is_kept_from(&self, offer: &Offer, now: Time) -> bool {
        let held = holder(&self.workspace.checkpoints, &offer.id, now);
        held.is_some_and(|holder| !self.is(&holder))
    }

    /// Refuses an agent to end work that another session or person has taken.
    pub(crate) fn check_may_end(&self, id: &str) -> Result<(), CheckpointError> {
        let now = self.workspace.env.clock.now();
        match holder(&self.workspace.checkpoints, id, now) {
            Some(holder) if !self.is(&holder) && Actor::find(self.workspace, None).agent => {
                Err(CheckpointError::Taken { id: id.to_owned(), holder: Box::new(holder) })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn is(&self, holder: &ResumeLockHolder) -> bool {
        let name = || Actor::find(self.workspace, None).name;
        match (&holder.session_id, self.session) {
            (Some(held), own) => own == Some(held.as_str()),
            (None, Some(_)) => false,
            (None, None) => holder.by.as_ref() == Some(self.name.get_or_init(name)),
        }
    }
}
