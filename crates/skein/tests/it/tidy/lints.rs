//! Every crate takes its lints from the workspace.

/// Returns a finding when a manifest does not inherit the lints.
pub(crate) fn check(folder: &str, manifest: &str) -> Option<String> {
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        let setting: String = line.split_whitespace().collect();
        let inherits = match section {
            "[lints]" => setting == "workspace=true",
            "" => setting == "lints.workspace=true",
            _ => false,
        };
        if inherits {
            return None;
        }
    }
    Some(format!("{folder}/Cargo.toml: does not say `[lints] workspace = true`"))
}

#[test]
fn a_manifest_without_the_lints_is_found() {
    let finding = "c/Cargo.toml: does not say `[lints] workspace = true`";
    let check = |manifest| check("c", manifest);
    assert_eq!(check("[package]\n\n[lints]\nworkspace = true\n"), None);
    assert_eq!(check("[package]\nname = \"c\"\n").as_deref(), Some(finding));
    assert_eq!(check("[dependencies]\nworkspace = true\n").as_deref(), Some(finding));
    assert_eq!(check("[lints]\nworkspace = false\n").as_deref(), Some(finding));
}
