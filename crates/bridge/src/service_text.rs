//! The texts of service files: a unit of systemd, and a job of launchd.

use std::fmt::Write as _;
use std::path::Path;

use skein_store::Revision;

/// The name of the systemd unit.
pub(crate) const UNIT_NAME: &str = "skein-bridge.service";
/// The label of the launchd job.
pub(crate) const JOB_LABEL: &str = "org.skein.bridge";

/// The start of the mark in each file. A checksum of the rest of the file and a closing parenthesis follow.
const MARK: &str = "Written by `skein bridge install` (";
const MARK_END: &str = "). `skein bridge uninstall` removes it.";
const DIGITS: usize = 12;

/// The author of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
    /// Another program or the user.
    Other,
    /// Skein; the file is unchanged.
    Skein,
    /// Skein; the file was changed later.
    Changed,
}

/// Returns who wrote a service file, by its mark and its checksum.
pub(crate) fn author(bytes: &[u8]) -> Author {
    let text = String::from_utf8_lossy(bytes);
    let Some((before, rest)) = text.split_once(MARK) else { return Author::Other };
    let Some((digits, after)) = rest.split_once(')') else { return Author::Other };
    match checksum(&format!("{before}{MARK}){after}")) == digits {
        true => Author::Skein,
        false => Author::Changed,
    }
}

/// Returns a systemd unit that runs the bridge for the user.
///
/// Secrets are not in it: they come from files that the settings name.
pub(crate) fn systemd_unit(program: &Path, variables: &[(&str, String)]) -> String {
    let program = quote_systemd(&program.to_string_lossy());
    let variables = variables.iter().map(|(name, value)| {
        let variable = quote_systemd(&format!("{name}={value}"));
        format!("Environment={variable}\n")
    });
    let variables: String = variables.collect();
    sign(&format!(
        "# {MARK}{MARK_END}\n\
         # `systemctl --user edit skein-bridge` keeps changes in a file of their own.\n\
         [Unit]\n\
         Description=Skein bridge between OpenCode and Mattermost\n\
         \n\
         [Service]\n\
         ExecStart={program} bridge run\n\
         {variables}\
         # The network may not be ready when the user logs in.\n\
         Restart=on-failure\n\
         RestartSec=10\n\
         # It would fail again: the settings or the token have to be corrected first.\n\
         RestartPreventExitStatus=78\n\
         # The bridge stops its OpenCode server itself.\n\
         KillMode=mixed\n\
         NoNewPrivileges=true\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

/// Returns a launchd property list that runs the bridge for the user.
pub(crate) fn launchd_job(program: &Path, variables: &[(&str, String)], log: &Path) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- {MARK}{MARK_END} -->\n\
         <plist version=\"1.0\">\n<dict>\n",
    );
    let program = escape_xml(&program.to_string_lossy());
    let log = escape_xml(&log.to_string_lossy());
    let arguments = ["bridge", "run"].map(|word| format!("<string>{word}</string>")).concat();
    let variables = variables.iter().map(|(name, value)| {
        let value = escape_xml(value);
        format!("<key>{name}</key><string>{value}</string>")
    });
    let variables: String = variables.collect();
    let pairs = [
        ("Label", format!("<string>{JOB_LABEL}</string>")),
        ("ProgramArguments", format!("<array><string>{program}</string>{arguments}</array>")),
        ("EnvironmentVariables", format!("<dict>{variables}</dict>")),
        ("RunAtLoad", "<true/>".to_owned()),
        ("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>".to_owned()),
        ("StandardErrorPath", format!("<string>{log}</string>")),
    ];
    for (key, value) in pairs {
        writeln!(text, "  <key>{key}</key>{value}").expect("a string takes every text");
    }
    text.push_str("</dict>\n</plist>\n");
    sign(&text)
}

/// Adds the checksum to the mark.
fn sign(text: &str) -> String {
    text.replacen(MARK, &format!("{MARK}{}", checksum(text)), 1)
}

fn checksum(text: &str) -> String {
    Revision::from_bytes(text.as_bytes()).to_string().chars().take(DIGITS).collect()
}

/// Quotes a word of a unit file, in which `%` starts a specifier and `\` an escape.
fn quote_systemd(word: &str) -> String {
    let mut quoted = String::from("\"");
    for character in word.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '%' => quoted.push_str("%%"),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    use super::*;

    fn variables() -> Vec<(&'static str, String)> {
        vec![("PATH", "/usr/bin:/a b%<&>\"\\:/c".to_owned()), ("XDG_STATE_HOME", "/s".to_owned())]
    }

    #[test]
    fn a_unit_runs_the_bridge_with_quoted_words() {
        let text = systemd_unit(Path::new("/opt/my apps/100%/skein"), &variables());
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
        assert_eq!(line("ExecStart"), "ExecStart=\"/opt/my apps/100%%/skein\" bridge run");
        let path = r#"Environment="PATH=/usr/bin:/a b%%<&>\"\\:/c""#;
        assert_eq!(line("Environment"), path);
    }

    #[test]
    fn systemd_accepts_the_unit() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("my skein 100%");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let unit = dir.path().join(UNIT_NAME);
        fs::write(&unit, systemd_unit(&program, &variables())).unwrap();
        let mut verify = Command::new("systemd-analyze");
        verify.args(["verify", "--user", "--man=no"]).arg(&unit);
        verify.env("HOME", dir.path()).env("XDG_RUNTIME_DIR", dir.path());
        let Ok(output) = verify.output() else {
            eprintln!("SKIPPED: the unit was not verified, because systemd-analyze is missing");
            return;
        };
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(output.status.success(), "{output:?}");
    }

    #[test]
    fn a_job_is_xml_with_the_program_and_its_variables() {
        let text = launchd_job(Path::new("/opt/a&b/<skein>"), &variables(), Path::new("/log"));
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
        let dict = document.root_element().first_element_child().unwrap();
        let value = |dict: roxmltree::Node<'_, '_>, key: &str| {
            let mut children = dict.children().filter(roxmltree::Node::is_element);
            children.find(|node| node.text() == Some(key)).unwrap();
            children.next().unwrap().id()
        };
        let node = |id| document.get_node(id).unwrap();
        let arguments = node(value(dict, "ProgramArguments"));
        let words: Vec<_> = arguments.children().filter_map(|node| node.text()).collect();
        assert_eq!(words, ["/opt/a&b/<skein>", "bridge", "run"]);
        let environment = node(value(dict, "EnvironmentVariables"));
        assert_eq!(node(value(environment, "PATH")).text(), Some("/usr/bin:/a b%<&>\"\\:/c"));
        assert_eq!(node(value(dict, "Label")).text(), Some(JOB_LABEL));
        assert_eq!(node(value(dict, "StandardErrorPath")).text(), Some("/log"));
        assert_eq!(node(value(dict, "RunAtLoad")).tag_name().name(), "true");
    }

    #[test]
    fn a_file_is_recognised_until_it_is_changed() {
        let program = Path::new("/bin/skein");
        let texts = [
            systemd_unit(program, &variables()),
            launchd_job(program, &variables(), Path::new("/log")),
        ];
        for text in texts {
            assert_eq!(author(text.as_bytes()), Author::Skein, "{text}");
            assert_eq!(author(text.replace("/bin", "/sbin").as_bytes()), Author::Changed);
        }
        assert_eq!(author(b"[Unit]\n"), Author::Other);
        assert_eq!(author(b"# Written by `skein bridge install` (\xff"), Author::Other);
    }
}
