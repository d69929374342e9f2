//! The knowledge repositories below the root of the checkpoints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::checkpoint::KnowledgeRepo;
use skein_git::{Repo, RepoDirs};

/// The folders in which each directory may be a repository, or a link to one.
const FOLDERS: [&str; 3] =
    ["core/knowledge/public", "core/knowledge/private", "personal/knowledge"];
/// Maximum number of repositories that are read, and the time limit for each.
const MAX_REPOS: usize = 100;
const DIRTY: Duration = Duration::from_secs(2);

/// Returns the state of each knowledge repository, by name.
pub(super) fn repos(root: &Path) -> BTreeMap<String, KnowledgeRepo> {
    let mut places: Vec<PathBuf> =
        FOLDERS.iter().flat_map(|folder| directories(&root.join(folder))).collect();
    let companies = directories(&root.join("companies"));
    places.extend(companies.into_iter().map(|company| company.join("knowledge")));
    let mut found = BTreeMap::new();
    for place in places.iter().take(MAX_REPOS) {
        let Some((name, layout)) = repository(place) else { continue };
        let commit = layout.head_commit().map(|commit| commit.short().to_owned());
        let dirty = Repo::new(&layout).and_then(|repo| repo.is_dirty_within(DIRTY, &[]));
        found.entry(name).or_insert(KnowledgeRepo { commit, dirty });
    }
    found
}

/// Returns the repository whose top is exactly this path, with its name.
fn repository(place: &Path) -> Option<(String, RepoDirs)> {
    let top = place.canonicalize().ok()?;
    // A folder inside the surrounding repository is not a repository.
    top.join(".git").symlink_metadata().ok()?;
    let layout =
        RepoDirs::discover(&top).ok()?.filter(|layout| layout.top.as_ref() == Some(&top))?;
    let name = top.file_name()?.to_str()?;
    // The folder has the same name for every company.
    let name = match (name, place.parent()?.file_name()?.to_str()?) {
        ("knowledge", company) => format!("knowledge-{company}"),
        (name, _) => name.to_owned(),
    };
    Some((name, layout))
}

fn directories(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut all: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}
