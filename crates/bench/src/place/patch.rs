//! Reads what git prints as a patch.

use std::str;

/// The lines that one change replaces, counted from 0.
pub(crate) struct Hunk {
    pub(crate) old_start: usize,
    pub(crate) old: Vec<Vec<u8>>,
    pub(crate) new_start: usize,
    pub(crate) new: Vec<Vec<u8>>,
}

/// What happened to one file.
#[derive(Default)]
pub(crate) struct Change {
    /// None for a file that is created.
    pub(crate) old_path: Option<String>,
    /// None for a file that is deleted.
    pub(crate) new_path: Option<String>,
    pub(crate) hunks: Vec<Hunk>,
    /// Whether git did not look into the file.
    pub(crate) is_binary: bool,
}

/// What one commit did.
pub(crate) type Step = Vec<Change>;

/// Splits the output of `git log -p` into commits; each begins with a line `commit …`.
pub(crate) fn steps(log: &[u8]) -> Vec<(String, Step)> {
    let mut steps: Vec<(String, Step)> = Vec::new();
    let mut lines = log.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if let Some(commit) = line.strip_prefix(b"commit ") {
            steps.push((text(commit).unwrap_or_default(), Step::new()));
        } else if let Some((_, step)) = steps.last_mut() {
            read(line, step, &mut lines);
        }
    }
    steps
}

/// Reads the output of `git diff` for one step.
pub(crate) fn step(diff: &[u8]) -> Step {
    let mut step = Step::new();
    let mut lines = diff.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        read(line, &mut step, &mut lines);
    }
    step
}

fn read<'a>(line: &'a [u8], step: &mut Step, rest: &mut impl Iterator<Item = &'a [u8]>) {
    if line.starts_with(b"diff --git ") {
        step.push(Change::default());
        return;
    }
    let Some(change) = step.last_mut() else { return };
    if let Some(numbers) = line.strip_prefix(b"@@ -") {
        change.hunks.extend(hunk(numbers, rest));
    } else if let Some(path) = line.strip_prefix(b"rename from ") {
        change.old_path = text(path);
    } else if let Some(path) = line.strip_prefix(b"rename to ") {
        change.new_path = text(path);
    } else if let Some(path) = line.strip_prefix(b"--- ") {
        change.old_path = path.strip_prefix(b"a/").and_then(text);
    } else if let Some(path) = line.strip_prefix(b"+++ ") {
        change.new_path = path.strip_prefix(b"b/").and_then(text);
    } else if line.starts_with(b"Binary files ") {
        change.is_binary = true;
    }
}

/// Reads `1,2 +3,4 @@` and the lines that follow.
fn hunk<'a>(numbers: &[u8], rest: &mut impl Iterator<Item = &'a [u8]>) -> Option<Hunk> {
    let (old, new) = str::from_utf8(numbers.split(|byte| *byte == b'@').next()?)
        .ok()?
        .trim()
        .split_once(" +")?;
    let (old_start, old_count) = range(old)?;
    let (new_start, new_count) = range(new)?;
    let mut hunk = Hunk { old_start, old: Vec::new(), new_start, new: Vec::new() };
    while hunk.old.len() < old_count || hunk.new.len() < new_count {
        let line = rest.next()?;
        match line.split_first() {
            Some((b'-', text)) => hunk.old.push(text.to_vec()),
            Some((b'+', text)) => hunk.new.push(text.to_vec()),
            _ => {}
        }
    }
    Some(hunk)
}

/// Reads `1,2` as the first line, counted from 0, and the number of lines.
fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count) = (start.parse::<usize>().ok()?, count.parse::<usize>().ok()?);
    // A range without lines names the line before it.
    Some((if count == 0 { start } else { start.checked_sub(1)? }, count))
}

fn text(path: &[u8]) -> Option<String> {
    // Git adds a tab behind a name with blanks.
    let path = path.strip_suffix(b"\t").unwrap_or(path);
    String::from_utf8(path.to_vec()).ok()
}

#[test]
fn reads_a_patch() {
    let log = b"commit 1\ndiff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -2 +1,0 @@ f\n-b\n@@ -3,0 +3,2 @@\n+c\n+d\n\ncommit 2\ndiff --git a/z b/z\nBinary files a/z and b/z differ\n";
    let shown: Vec<Vec<String>> =
        steps(log).iter().map(|(_, step)| step.iter().map(show).collect()).collect();
    assert_eq!(shown, [vec!["x y 1-1+0+1 3-0+2+2".to_owned()], vec!["- - binary".to_owned()]]);
}

#[cfg(test)]
fn show(change: &Change) -> String {
    let path = |path: &Option<String>| path.clone().unwrap_or("-".to_owned());
    let hunks = change.hunks.iter().map(|hunk| {
        let (old, new) = (hunk.old.len(), hunk.new.len());
        format!(" {}-{old}+{new}+{}", hunk.old_start, hunk.new_start)
    });
    let paths = format!("{} {}", path(&change.old_path), path(&change.new_path));
    let shown = paths + &hunks.collect::<String>();
    if change.is_binary { shown + " binary" } else { shown }
}
