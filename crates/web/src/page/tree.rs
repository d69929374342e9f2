//! The changed files as a tree.

use askama::Template;

use super::section::Section;
use crate::escape::shown_name;
use crate::thread_index::{ThreadFilter, ThreadIndex};

/// Deeper levels are not indented further.
const MAX_DEPTH: usize = 8;

/// The changed files by folder.
#[derive(Template)]
#[template(path = "tree.html")]
pub(crate) struct FileTree {
    nodes: Vec<TreeNode>,
}

/// A line of the tree.
enum TreeNode {
    Folder {
        name: String,
        depth: usize,
    },
    File {
        name: String,
        /// The path as it is shown.
        shown: String,
        path: String,
        anchor: String,
        depth: usize,
        status: &'static str,
        added: usize,
        removed: usize,
        open: usize,
        drafts: usize,
        viewed: bool,
    },
}

impl FileTree {
    /// Builds the tree of files that are sorted by path. A folder that contains only one folder shares its line.
    pub(crate) fn new(sections: &[Section], index: &ThreadIndex) -> Self {
        let mut nodes = Vec::new();
        add_files(&mut nodes, (sections, index), 0, 0);
        Self { nodes }
    }
}

/// Adds the files whose paths are equal up to `skip`.
fn add_files(
    nodes: &mut Vec<TreeNode>,
    (sections, index): (&[Section], &ThreadIndex),
    skip: usize,
    depth: usize,
) {
    for group in
        sections.chunk_by(|a, b| folder(a, skip).is_some() && folder(a, skip) == folder(b, skip))
    {
        let Some(first) = group.first() else { continue };
        let Some(name) = folder(first, skip) else {
            nodes.push(file(first, index, rest(first, skip), depth));
            continue;
        };
        let paths = group.iter().map(|section| rest(section, skip));
        let name = common_folder(paths).filter(|name| !name.is_empty()).unwrap_or(name);
        nodes.push(TreeNode::Folder { name: shown_name(name), depth });
        let skip = skip + name.len() + 1;
        add_files(nodes, (group, index), skip, (depth + 1).min(MAX_DEPTH));
    }
}

fn rest(section: &Section, skip: usize) -> &str {
    section.path.get(skip..).unwrap_or_default()
}

fn folder(section: &Section, skip: usize) -> Option<&str> {
    rest(section, skip).split_once('/').map(|(folder, _)| folder)
}

/// Returns the deepest folder that contains all paths.
fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let parent = |path: &'a str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let contains = |folder: &str, path: &str| {
        path.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
    };
    let first = parent(paths.next()?);
    Some(paths.fold(first, |mut folder, path| {
        while !contains(folder, path) {
            folder = parent(folder);
        }
        folder
    }))
}

fn file(section: &Section, index: &ThreadIndex, name: &str, depth: usize) -> TreeNode {
    let threads = index.on(&section.path);
    let count =
        |filter: ThreadFilter| threads.iter().filter(|thread| filter.matches(thread)).count();
    TreeNode::File {
        name: shown_name(name),
        shown: section.shown.clone(),
        path: section.path.clone(),
        anchor: section.anchor.clone(),
        depth,
        status: section.status,
        added: section.added,
        removed: section.removed,
        open: count(ThreadFilter::Open),
        drafts: count(ThreadFilter::Drafts),
        viewed: section.viewed,
    }
}
