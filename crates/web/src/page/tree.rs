//! The changed files as a tree.

use askama::Template;

use super::section::Section;

/// The deepest level that is set apart from the one above.
const MAX_DEPTH: usize = 8;

/// How many open threads, and how many drafts, are on a file.
pub(crate) type Counts = (usize, usize);

/// The changed files by folder.
#[derive(Template)]
#[template(path = "tree.html")]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

/// A line of the tree.
pub(crate) enum Node {
    /// A folder.
    Folder { name: String, depth: usize },
    /// A file.
    File {
        name: String,
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

impl Tree {
    /// Makes the tree of files that come by path; folders that hold one folder alone share its line.
    pub(crate) fn new(sections: &[(Section, Counts)]) -> Self {
        let mut nodes = Vec::new();
        branch(&mut nodes, sections, 0, 0);
        Self { nodes }
    }
}

/// Adds the files whose paths agree up to `skip`.
fn branch(nodes: &mut Vec<Node>, sections: &[(Section, Counts)], skip: usize, depth: usize) {
    let rest = |one: &(Section, Counts)| one.0.path.get(skip..).unwrap_or_default().to_owned();
    let folder =
        |one: &(Section, Counts)| rest(one).split_once('/').map(|(folder, _)| folder.to_owned());
    for group in sections.chunk_by(|a, b| folder(a).is_some() && folder(a) == folder(b)) {
        let Some(first) = group.first() else { continue };
        match folder(first) {
            None => nodes.push(leaf(first, rest(first), depth)),
            Some(name) => {
                let name = common(group, skip).unwrap_or(name);
                let skip = skip + name.len() + 1;
                nodes.push(Node::Folder { name, depth });
                branch(nodes, group, skip, (depth + 1).min(MAX_DEPTH));
            }
        }
    }
}

/// Returns the longest folder that all of the files are in, below the one that they are known to be in.
fn common(group: &[(Section, Counts)], skip: usize) -> Option<String> {
    let folders = |one: &(Section, Counts)| {
        let rest = one.0.path.get(skip..).unwrap_or_default();
        let parts: Vec<String> = rest.split('/').map(str::to_owned).collect();
        parts.split_last().map(|(_, folders)| folders.to_vec()).unwrap_or_default()
    };
    let first = folders(group.first()?);
    let shared = group.iter().map(folders).fold(first, |shared, other| {
        shared.into_iter().zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    });
    Some(shared.join("/")).filter(|shared| !shared.is_empty())
}

fn leaf((section, (open, drafts)): &(Section, Counts), name: String, depth: usize) -> Node {
    Node::File {
        name,
        path: section.path.clone(),
        anchor: section.anchor.clone(),
        depth,
        status: section.status,
        added: section.added,
        removed: section.removed,
        open: *open,
        drafts: *drafts,
        viewed: section.viewed,
    }
}
