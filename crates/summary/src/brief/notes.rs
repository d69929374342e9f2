//! Removes repeated steps from the notes of a handoff.

use skein_format::checkpoint::Step;
use skein_format::redact::redacted;

const SEPARATOR: &str = "; ";

/// Returns the notes without the listed steps; none if nothing else is left.
///
/// Skein's own handoffs list the steps in the notes, for programs that read only the pointer. The checkpoint has their current status.
pub(super) fn without_steps(notes: &str, steps: &[Step]) -> Option<String> {
    let steps: Vec<String> = steps.iter().map(|step| redacted(step.step.clone())).collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut rest = Some(notes);
    while let Some(text) = rest {
        let after = |step: &String| {
            let rest = text.strip_prefix(step.as_str())?;
            if rest.is_empty() { Some(None) } else { rest.strip_prefix(SEPARATOR).map(Some) }
        };
        if let Some(behind) = steps.iter().find_map(after) {
            rest = behind;
            continue;
        }
        let (note, behind) = match text.split_once(SEPARATOR) {
            Some((note, behind)) => (note, Some(behind)),
            None => (text, None),
        };
        kept.push(note);
        rest = behind;
    }
    (!kept.is_empty()).then(|| kept.join(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};

    use super::*;

    #[test]
    fn only_steps_are_removed_from_the_notes() {
        let check = |notes: &str, expected: Option<&str>| {
            let file =
                br#"{"next_steps":["One","Two; and a half",{"step":"Done","status":"done"}]}"#;
            let steps =
                CheckpointDoc::parse(file.to_vec(), "T-1", CheckpointFileKind::Thread).0.steps();
            assert_eq!(without_steps(notes, &steps).as_deref(), expected, "{notes}");
        };
        check("One; Two; and a half; Done", None);
        check("One; Two; and a half; Done; mind the gap", Some("mind the gap"));
        check("One more; Done", Some("One more"));
        check("The kiln is off; mind it", Some("The kiln is off; mind it"));
    }
}
