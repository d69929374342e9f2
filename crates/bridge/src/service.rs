//! Service files, with which the system starts the bridge: systemd on Linux, launchd on macOS.

use std::fmt::Write as _;
use std::path::Path;

/// The name of the systemd unit.
pub const UNIT_NAME: &str = "skein-bridge.service";
/// The label of the launchd job.
pub const JOB_LABEL: &str = "org.skein.bridge";

/// Returns a systemd unit that runs the bridge for the user.
///
/// Secrets are not in it: they come from files that the settings name.
pub fn systemd_unit(program: &Path, path_variable: &str) -> String {
    let program = quote_systemd(&program.to_string_lossy());
    let path = quote_systemd(&format!("PATH={path_variable}"));
    format!(
        "[Unit]\n\
         Description=Skein bridge between OpenCode and Mattermost\n\
         After=network-online.target\n\
         \n\
         [Service]\n\
         ExecStart={program} bridge run\n\
         Environment={path}\n\
         Restart=on-failure\n\
         RestartSec=5\n\
         # Wrong settings: a restart does not help.\n\
         RestartPreventExitStatus=2\n\
         NoNewPrivileges=true\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

/// Returns a launchd property list that runs the bridge for the user.
pub fn launchd_job(program: &Path, path_variable: &str, log: &Path) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n",
    );
    let program = escape_xml(&program.to_string_lossy());
    let path = escape_xml(path_variable);
    let log = escape_xml(&log.to_string_lossy());
    let arguments = ["bridge", "run"].map(|word| format!("<string>{word}</string>")).concat();
    let pairs = [
        ("Label", format!("<string>{JOB_LABEL}</string>")),
        ("ProgramArguments", format!("<array><string>{program}</string>{arguments}</array>")),
        ("EnvironmentVariables", format!("<dict><key>PATH</key><string>{path}</string></dict>")),
        ("RunAtLoad", "<true/>".to_owned()),
        ("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>".to_owned()),
        ("StandardErrorPath", format!("<string>{log}</string>")),
    ];
    for (key, value) in pairs {
        writeln!(text, "  <key>{key}</key>{value}").expect("a string takes every text");
    }
    text.push_str("</dict>\n</plist>\n");
    text
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
