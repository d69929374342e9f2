//! Decides which files go in and out, and under which names.

use std::collections::BTreeSet;

use super::ids::FileId;
use super::input::FileSeen;
use super::settings::BridgeSettings;

/// Maximum number of files of a post that are passed on.
const MAX_FILES: usize = 10;
/// Maximum length of the name of a saved file.
const MAX_NAME_CHARS: usize = 100;

/// A file of a post that goes to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    pub file: FileId,
    /// A name without separators that is unique among the files of the prompt.
    pub name: String,
    pub delivery: Delivery,
    pub max_bytes: u64,
}

/// How the agent gets a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As a part of the message.
    Part { mime: String },
    /// Saved on disk, with its path in the text.
    Saved,
}

/// Returns the files that go to the agent, and the names of those that do not.
pub(super) fn attachments(
    settings: &BridgeSettings,
    files: &[FileSeen],
) -> (Vec<Attachment>, Vec<String>) {
    let mut taken = BTreeSet::new();
    let mut refused = Vec::new();
    let mut attachments = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let safe = safe_name(&file.name);
        let mut name = safe.clone();
        let mut number = index;
        while !taken.insert(name.to_lowercase()) {
            name = format!("{number}-{safe}");
            number += 1;
        }
        if file.size > settings.max_file_bytes || index >= MAX_FILES {
            refused.push(name);
            continue;
        }
        let is_part = file.mime.starts_with("image/") || file.mime == "application/pdf";
        let delivery = match is_part {
            true => Delivery::Part { mime: file.mime.clone() },
            false => Delivery::Saved,
        };
        let (file, max_bytes) = (file.id.clone(), settings.max_file_bytes);
        attachments.push(Attachment { file, name, delivery, max_bytes });
    }
    (attachments, refused)
}

/// Returns a name that is safe as the last part of a path.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ');
    let name: String = last.chars().map(|c| if safe(c) { c } else { '_' }).collect();
    let name: String = name.trim_matches(['.', ' ']).to_owned();
    let skip = name.chars().count().saturating_sub(MAX_NAME_CHARS);
    let name: String = name.chars().skip(skip).collect();
    if name.is_empty() { "file".to_owned() } else { name }
}

/// Returns the paths of the images that a Markdown text embeds from the session's directory.
pub(super) fn embedded_images(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for after in text.split("![").skip(1) {
        let Some((_, target)) = after.split_once("](") else { continue };
        let Some((path, _)) = target.split_once(')') else { continue };
        if is_safe_path(path) && !paths.iter().any(|one| one == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Returns whether a path stays below its directory by its text alone.
pub(super) fn is_safe_path(path: &str) -> bool {
    let path = path.trim();
    !path.is_empty()
        && !path.contains([':', '\n', '\\', '\0'])
        && !path.starts_with(['/', '~'])
        && path.split('/').all(|part| !part.is_empty() && part != ".." && !part.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{embedded_images, safe_name};

    #[test]
    fn a_hostile_name_loses_its_path() {
        assert_eq!(safe_name("../../etc/x y.txt"), "x y.txt");
        assert_eq!(safe_name("..\\..\\boot.ini"), "boot.ini");
        assert_eq!(safe_name(".."), "file");
        assert_eq!(safe_name(".bashrc"), "bashrc");
        assert_eq!(safe_name("a\nb\u{202e}c.png"), "a_b_c.png");
    }

    #[test]
    fn only_images_below_the_directory_are_embedded() {
        let text = "![a](out/a.png) ![b](/etc/b.png) ![c](../c.png) [d](d.png) ![e](http://e/e.png) \
            ![f](.git/f.png) ![a](out/a.png)";
        assert_eq!(embedded_images(text), ["out/a.png"]);
    }
}
