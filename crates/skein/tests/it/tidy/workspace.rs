//! The input of the checks: the crates, their manifests and their sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand, Package, Target, TargetKind};

use super::modules::{self, Role, Root};
use super::syntax::Syntax;

/// All crates of the workspace.
pub(crate) struct Workspace {
    pub(crate) crates: Vec<Crate>,
}

/// One crate. Paths are relative to the workspace, with `/` between their parts.
pub(crate) struct Crate {
    /// The package name, without `skein-`.
    pub(crate) name: String,
    pub(crate) folder: String,
    /// The text of `Cargo.toml`.
    pub(crate) manifest: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) roots: Vec<Root>,
    /// Every Rust file below the folder, with its text.
    pub(crate) files: BTreeMap<String, String>,
}

/// One line of a `[dependencies]` table.
pub(crate) struct Dependency {
    /// The package name, in full.
    pub(crate) name: String,
    /// Whether it is there for tests only.
    pub(crate) is_dev: bool,
}

/// One Rust file that belongs to a crate.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    pub(crate) role: Role,
}

impl Workspace {
    pub(crate) fn load() -> Self {
        let metadata = MetadataCommand::new()
            .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .no_deps()
            .exec()
            .expect("cargo describes the workspace that it is testing");
        let root = metadata.workspace_root.as_std_path();
        let crates = metadata.packages.iter();
        Self { crates: crates.map(|package| Crate::load(root, package)).collect() }
    }
}

impl Crate {
    /// Returns the files that some target compiles.
    pub(crate) fn sources(&self) -> Vec<Source<'_>> {
        modules::reach(&self.roots, &self.files)
            .into_iter()
            .filter_map(|(path, role)| {
                let (path, text) = self.files.get_key_value(&path)?;
                Some(Source { path, text, role })
            })
            .collect()
    }

    /// Returns the modules of the library and the binary, tests aside.
    pub(crate) fn modules(&self) -> BTreeMap<Vec<String>, Syntax> {
        let src = format!("{}/src/", self.folder);
        let code = self.sources().into_iter().filter(|source| source.role == Role::Code);
        code.filter_map(|source| {
            let path = source.path.strip_prefix(&src)?.strip_suffix(".rs")?;
            let mut name: Vec<_> = path.split('/').map(str::to_owned).collect();
            name.pop_if(|last| matches!(last.as_str(), "lib" | "main" | "mod"));
            Some((name, Syntax::parse(source.text)))
        })
        .collect()
    }

    fn load(root: &Path, package: &Package) -> Self {
        let manifest = package.manifest_path.as_std_path();
        let folder = manifest.parent().expect("a manifest lies in a folder");
        let mut files = BTreeMap::new();
        read_rust_files(root, folder, &mut files);
        Self {
            name: short_name(&package.name).to_owned(),
            folder: relative(root, folder),
            manifest: read(manifest),
            dependencies: package.dependencies.iter().map(dependency).collect(),
            roots: package.targets.iter().map(|target| target_root(root, target)).collect(),
            files,
        }
    }
}

/// Returns the name that the table of layers has for a package.
pub(crate) fn short_name(package: &str) -> &str {
    package.strip_prefix("skein-").unwrap_or(package)
}

fn dependency(dependency: &cargo_metadata::Dependency) -> Dependency {
    Dependency {
        name: dependency.name.clone(),
        is_dev: dependency.kind == DependencyKind::Development,
    }
}

fn target_root(root: &Path, target: &Target) -> Root {
    let is_test = target
        .kind
        .iter()
        .any(|kind| matches!(kind, TargetKind::Test | TargetKind::Bench | TargetKind::Example));
    Root {
        path: relative(root, target.src_path.as_std_path()),
        role: if is_test { Role::Test } else { Role::Code },
    }
}

fn read_rust_files(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("the folders of a crate can be listed") {
        let path = entry.expect("the folders of a crate can be listed").path();
        if path.is_dir() {
            read_rust_files(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.insert(relative(root, &path), read(&path));
        }
    }
}

fn read(path: &Path) -> String {
    let text = fs::read_to_string(path);
    assert!(text.is_ok(), "{}: {text:?}", path.display());
    text.unwrap_or_default()
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
