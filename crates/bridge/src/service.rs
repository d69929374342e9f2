//! Writes and removes the file with which the system starts the bridge: systemd on Linux, launchd on macOS.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_model::bridge::{BridgeService, ServiceAction};
use skein_store::{Edit, ensure_dir, lock};
use skein_workspace::update::Document;
use skein_workspace::{Env, FileError};

use crate::config::{Config, ConfigError, TOKEN_VARIABLE};
use crate::service_text::{Author, JOB_LABEL, UNIT_NAME, author, launchd_job, systemd_unit};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The program of the system that starts services for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceManager {
    Systemd,
    Launchd,
}

impl ServiceManager {
    /// Returns the one of the system for which this was compiled.
    pub fn of_this_system() -> Self {
        if cfg!(target_os = "macos") { Self::Launchd } else { Self::Systemd }
    }
}

/// What a service file is made from.
#[derive(Clone, Debug)]
pub struct ServiceOptions {
    pub manager: ServiceManager,
    /// The path of the running program.
    pub program: Option<PathBuf>,
    /// Where the service finds programs, such as OpenCode.
    pub search_path: String,
}

/// Why a service file was not written or removed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("a service does not have the variable {TOKEN_VARIABLE}")]
    TokenVariable,
    #[error("the path of the running program is not known")]
    NoProgram,
    #[error("`skein bridge install` did not write this file: {}", path.display())]
    OtherAuthor { path: PathBuf },
    #[error("the service file was changed: {}", path.display())]
    Changed { path: PathBuf },
    #[error("the service is enabled")]
    Enabled,
    #[error(transparent)]
    File(#[from] FileError),
}

impl ServiceError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Config(error) => error.hint(),
            Self::TokenVariable => {
                "write the token to a file, and set `mattermost.token_file` to its path".to_owned()
            }
            Self::OtherAuthor { .. } => "rename it first, or remove it yourself".to_owned(),
            Self::Changed { .. } => {
                "copy what you need from it, then remove it yourself".to_owned()
            }
            Self::Enabled => "`systemctl --user disable --now skein-bridge`".to_owned(),
            Self::NoProgram | Self::File(_) => return None,
        })
    }
}

/// Writes the service file; one that was changed, or that Skein did not write, is kept and is an error.
pub fn install(env: &Env, options: &ServiceOptions) -> Result<BridgeService, ServiceError> {
    let config = Config::load(env)?;
    if config.mattermost.token_file.is_none() {
        return Err(ServiceError::TokenVariable);
    }
    let file = service_file(env, options.manager)?;
    let text = service_text(env, options)?;
    let action = edit(env, &file, |old| match old.map(author) {
        Some(Author::Skein) if old == Some(text.as_bytes()) => {
            Ok(Edit::Keep(ServiceAction::Unchanged))
        }
        Some(Author::Skein) => Ok(Edit::Write(text.clone().into_bytes(), ServiceAction::Updated)),
        None => Ok(Edit::Write(text.clone().into_bytes(), ServiceAction::Created)),
        Some(other) => Err(other),
    })?;
    let next = match (options.manager, action) {
        (ServiceManager::Systemd, ServiceAction::Updated) => vec![
            "systemctl --user daemon-reload".to_owned(),
            "systemctl --user restart skein-bridge".to_owned(),
        ],
        (ServiceManager::Systemd, _) => {
            vec!["systemctl --user enable --now skein-bridge".to_owned()]
        }
        (ServiceManager::Launchd, ServiceAction::Updated) => {
            vec![unload(), load(&file)]
        }
        (ServiceManager::Launchd, _) => vec![load(&file)],
    };
    Ok(BridgeService { file: file.display().to_string(), action, next })
}

/// Removes the service file, unless it was changed, or Skein did not write it.
pub fn uninstall(env: &Env, manager: ServiceManager) -> Result<BridgeService, ServiceError> {
    let file = service_file(env, manager)?;
    let report = |action, next| BridgeService { file: file.display().to_string(), action, next };
    if !file.exists() {
        return Ok(report(ServiceAction::Absent, Vec::new()));
    }
    // systemd cannot disable a unit whose file is gone.
    let link = file.with_file_name("default.target.wants").join(UNIT_NAME);
    if manager == ServiceManager::Systemd && link.symlink_metadata().is_ok() {
        return Err(ServiceError::Enabled);
    }
    let action = edit(env, &file, |old| match old.map(author) {
        Some(Author::Skein) => Ok(Edit::Remove(ServiceAction::Removed)),
        None => Ok(Edit::Keep(ServiceAction::Absent)),
        Some(other) => Err(other),
    })?;
    let next = match manager {
        ServiceManager::Systemd => "systemctl --user daemon-reload".to_owned(),
        ServiceManager::Launchd => unload(),
    };
    Ok(report(action, vec![next]))
}

/// Edits the service file. The edit returns the author of a file that must be kept as an error.
fn edit(
    env: &Env,
    file: &Path,
    edit: impl Fn(Option<&[u8]>) -> Result<Edit<ServiceAction>, Author>,
) -> Result<ServiceAction, ServiceError> {
    let dir = file.parent().unwrap_or(file);
    ensure_dir(&*env.fs, dir, 0o777).map_err(FileError::from)?;
    let guard = lock(&*env.fs, dir, LOCK_TIMEOUT).map_err(FileError::from)?;
    let mut kept = None;
    let updated = Document::new(&guard, file, 0o644).update(env, |old| {
        Ok::<_, FileError>(edit(old).unwrap_or_else(|author| {
            kept = Some(author);
            Edit::Keep(ServiceAction::Unchanged)
        }))
    })?;
    let path = file.to_owned();
    match kept {
        None => Ok(updated.value),
        Some(Author::Changed) => Err(ServiceError::Changed { path }),
        Some(Author::Other | Author::Skein) => Err(ServiceError::OtherAuthor { path }),
    }
}

fn service_file(env: &Env, manager: ServiceManager) -> Result<PathBuf, ServiceError> {
    let file = match manager {
        ServiceManager::Systemd => {
            env.config_home.as_ref().map(|dir| dir.join("systemd/user").join(UNIT_NAME))
        }
        ServiceManager::Launchd => {
            let name = format!("{JOB_LABEL}.plist");
            env.home.as_ref().map(|dir| dir.join("Library/LaunchAgents").join(name))
        }
    };
    Ok(file.ok_or(ConfigError::NoHome)?)
}

fn service_text(env: &Env, options: &ServiceOptions) -> Result<String, ServiceError> {
    let program = options.program.as_ref().ok_or(ServiceError::NoProgram)?;
    let mut variables = vec![("PATH", options.search_path.clone())];
    // A service does not have the variables of the shell, which can name other directories.
    let home = env.home.as_deref().unwrap_or(Path::new(""));
    let config = env.config_home.as_deref().filter(|dir| **dir != home.join(".config"));
    let state = env.dirs.state.parent().filter(|dir| **dir != home.join(".local/state"));
    for (name, dir) in [("XDG_CONFIG_HOME", config), ("XDG_STATE_HOME", state)] {
        variables.extend(dir.map(|dir| (name, dir.display().to_string())));
    }
    Ok(match options.manager {
        ServiceManager::Systemd => systemd_unit(program, &variables),
        ServiceManager::Launchd => {
            launchd_job(program, &variables, &env.dirs.state.join("bridge.log"))
        }
    })
}

fn load(file: &Path) -> String {
    format!("launchctl bootstrap gui/$(id -u) '{}'", file.display())
}

fn unload() -> String {
    format!("launchctl bootout gui/$(id -u)/{JOB_LABEL}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use skein_fixtures::Fixture;

    use super::*;

    const SETTINGS: &str = "owners = [\"@ada\"]\ndirectories = [\"~/src\"]\n\
        [mattermost]\naddress = \"https://chat\"\ntoken_file = \"~/token\"\n";

    fn prepare(settings: &str) -> (Fixture, Env) {
        let fixture = Fixture::new();
        fixture.file("home/.config/skein/bridge.toml", settings);
        let env = fixture.env("");
        (fixture, env)
    }

    fn options(manager: ServiceManager) -> ServiceOptions {
        let program = Some(PathBuf::from("/bin/skein"));
        ServiceOptions { manager, program, search_path: "/bin".to_owned() }
    }

    const UNIT: &str = "home/.config/systemd/user/skein-bridge.service";

    #[test]
    fn a_unit_is_written_updated_and_removed() {
        let (fixture, env) = prepare(SETTINGS);
        let mut options = options(ServiceManager::Systemd);
        let service = install(&env, &options).unwrap();
        assert_eq!(fixture.shorten(&service.file), UNIT);
        assert_eq!(service.action, ServiceAction::Created);
        assert_eq!(service.next, ["systemctl --user enable --now skein-bridge"]);
        let text = fs::read_to_string(fixture.path(UNIT)).unwrap();
        assert!(text.contains("ExecStart=\"/bin/skein\" bridge run\n"), "{text}");
        // The fixture has its state directory at an unusual place.
        let state = format!("Environment=\"XDG_STATE_HOME={}\"\n", fixture.path("home").display());
        assert!(text.contains(&state), "{text}");
        assert!(!text.contains("XDG_CONFIG_HOME"), "{text}");

        assert_eq!(install(&env, &options).unwrap().action, ServiceAction::Unchanged);
        options.search_path = "/usr/bin".to_owned();
        let updated = install(&env, &options).unwrap();
        assert_eq!(updated.action, ServiceAction::Updated);
        let restart = ["systemctl --user daemon-reload", "systemctl --user restart skein-bridge"];
        assert_eq!(updated.next, restart);

        let removed = uninstall(&env, ServiceManager::Systemd).unwrap();
        assert_eq!(removed.action, ServiceAction::Removed);
        assert_eq!(removed.next, ["systemctl --user daemon-reload"]);
        assert!(!fixture.path(UNIT).exists());
        let absent = uninstall(&env, ServiceManager::Systemd).unwrap();
        assert_eq!((absent.action, absent.next.len()), (ServiceAction::Absent, 0));
    }

    #[test]
    fn a_job_of_launchd_is_written_and_removed() {
        let (fixture, env) = prepare(SETTINGS);
        let service = install(&env, &options(ServiceManager::Launchd)).unwrap();
        let file = "home/Library/LaunchAgents/org.skein.bridge.plist";
        assert_eq!(fixture.shorten(&service.file), file);
        let next = fixture.shorten(&service.next.join("\n"));
        assert_eq!(next, format!("launchctl bootstrap gui/$(id -u) '{file}'"));
        let removed = uninstall(&env, ServiceManager::Launchd).unwrap();
        assert_eq!(removed.action, ServiceAction::Removed);
        assert_eq!(removed.next, ["launchctl bootout gui/$(id -u)/org.skein.bridge"]);
        assert!(!fixture.path(file).exists());
    }

    #[test]
    fn a_file_of_others_and_a_changed_file_are_kept() {
        let (fixture, env) = prepare(SETTINGS);
        let options = options(ServiceManager::Systemd);
        install(&env, &options).unwrap();
        let written = fs::read_to_string(fixture.path(UNIT)).unwrap();
        for (text, is_changed) in [("[Unit]\n".to_owned(), false), (written + "# mine\n", true)] {
            fixture.file(UNIT, &text);
            let errors = [
                install(&env, &options).unwrap_err(),
                uninstall(&env, ServiceManager::Systemd).unwrap_err(),
            ];
            for error in errors {
                assert_eq!(matches!(error, ServiceError::Changed { .. }), is_changed, "{error}");
                assert_eq!(matches!(error, ServiceError::OtherAuthor { .. }), !is_changed);
                assert!(error.hint().is_some());
            }
            assert_eq!(fs::read_to_string(fixture.path(UNIT)).unwrap(), text);
        }
    }

    #[test]
    fn an_enabled_service_is_not_removed() {
        let (fixture, env) = prepare(SETTINGS);
        install(&env, &options(ServiceManager::Systemd)).unwrap();
        let wants = fixture.path("home/.config/systemd/user/default.target.wants");
        fs::create_dir(&wants).unwrap();
        std::os::unix::fs::symlink(fixture.path(UNIT), wants.join(UNIT_NAME)).unwrap();
        let error = uninstall(&env, ServiceManager::Systemd).unwrap_err();
        assert!(matches!(error, ServiceError::Enabled), "{error}");
        assert!(fixture.path(UNIT).exists());
    }

    #[test]
    fn a_service_needs_settings_and_a_token_file() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let options = options(ServiceManager::Systemd);
        let error = install(&env, &options).unwrap_err();
        assert!(matches!(error, ServiceError::Config(ConfigError::Missing { .. })), "{error}");
        let (fixture, env) = prepare(&SETTINGS.replace("token_file = \"~/token\"\n", ""));
        let error = install(&env, &options).unwrap_err();
        assert!(matches!(error, ServiceError::TokenVariable), "{error}");
        assert!(!fixture.path("home/.config/systemd").exists());
    }
}
