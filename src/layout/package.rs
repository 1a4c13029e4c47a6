//! Finding the files that ROS packages install, also from a checkout that nobody installed.

use std::path::{Path, PathBuf};

/// The package whose files a checkout holds.
const OWN_PACKAGE: &str = "tatami";

/// Where the files of packages are looked for, in this order:
///
/// 1. `<prefix>/share/<package>` for every prefix of `AMENT_PREFIX_PATH`, as ROS does;
/// 2. the same below every folder above the program, for a program that was installed but
///    whose workspace is not sourced;
/// 3. every folder above the program, then above the layout file, that is the source of the
///    package: its `package.xml` says so. That is how a checkout finds its own `config/` and
///    `urdf/`.
#[derive(Debug, Clone, Default)]
pub struct Packages {
    prefixes: Vec<PathBuf>,
    sources: Vec<PathBuf>,
}

impl Packages {
    /// The places that the environment, the running program and a layout file give.
    #[must_use]
    pub fn of_environment(layout: &Path) -> Self {
        let ament = std::env::var_os("AMENT_PREFIX_PATH").unwrap_or_default();
        let program = std::env::current_exe().unwrap_or_default();
        let layout = std::path::absolute(layout).unwrap_or_default();
        let above = |path: &Path| -> Vec<PathBuf> {
            path.ancestors().skip(1).map(Path::to_owned).collect()
        };
        Self {
            prefixes: std::env::split_paths(&ament)
                .filter(|prefix| !prefix.as_os_str().is_empty())
                .chain(above(&program))
                .collect(),
            sources: above(&program).into_iter().chain(above(&layout)).collect(),
        }
    }

    /// Only the given source folders of packages.
    #[must_use]
    pub fn of_sources(sources: &[&Path]) -> Self {
        Self {
            prefixes: Vec::new(),
            sources: sources.iter().map(|source| (*source).to_owned()).collect(),
        }
    }

    /// A file of a package, by its path below `share/<package>`.
    ///
    /// # Errors
    /// Says where the file was looked for.
    pub fn find(&self, package: &str, file: &str) -> Result<PathBuf, String> {
        let mut package_seen = None;
        for folder in self.folders_of(package) {
            let path = folder.join(file);
            if path.is_file() {
                return Ok(path);
            }
            package_seen.get_or_insert(folder);
        }
        Err(match package_seen {
            Some(folder) => format!("there is no {file} in {}", folder.display()),
            None => format!(
                "there is no package {package} in AMENT_PREFIX_PATH or in the folders above this program or file"
            ),
        })
    }

    fn folders_of(&self, package: &str) -> impl Iterator<Item = PathBuf> {
        let installed = self
            .prefixes
            .iter()
            .map(move |prefix| prefix.join("share").join(package))
            .filter(|folder| folder.is_dir());
        let checkout = self
            .sources
            .iter()
            .filter(move |folder| is_source_of(folder, package))
            .cloned();
        installed.chain(checkout)
    }
}

/// A file named in a layout: `package://<package>/<path>`, or a path relative to the file
/// that names it.
///
/// # Errors
/// Says why there is no such file.
pub(super) fn resolve(name: &str, named_in: &Path, packages: &Packages) -> Result<PathBuf, String> {
    match name.strip_prefix("package://") {
        Some(rest) => match rest.split_once('/') {
            Some((package, file)) if !package.is_empty() && !file.is_empty() => {
                packages.find(package, file)
            }
            _ => Err("a package path looks like package://tatami/urdf/kachaka.urdf".to_owned()),
        },
        None => Ok(named_in.parent().unwrap_or(Path::new("")).join(name)),
    }
}

/// A file of this package.
///
/// # Errors
/// Says where it was looked for.
pub(super) fn own_file(file: &str, packages: &Packages) -> Result<PathBuf, String> {
    packages.find(OWN_PACKAGE, file)
}

/// Whether a folder is the source of a package.
fn is_source_of(folder: &Path, package: &str) -> bool {
    let Ok(manifest) = std::fs::read_to_string(folder.join("package.xml")) else {
        return false;
    };
    let Ok(document) = roxmltree::Document::parse(&manifest) else {
        return false;
    };
    document
        .root_element()
        .children()
        .any(|child| child.has_tag_name("name") && child.text().map(str::trim) == Some(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tatami-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("urdf")).unwrap();
        std::fs::write(folder.join("urdf/bot.urdf"), "<robot/>").unwrap();
        folder
    }

    #[test]
    fn a_checkout_is_known_by_its_manifest() {
        let checkout = folder("checkout");
        let manifest = "<package format=\"3\"><name>bots</name></package>";
        std::fs::write(checkout.join("package.xml"), manifest).unwrap();
        let packages = Packages::of_sources(&[&checkout]);
        let found = packages.find("bots", "urdf/bot.urdf");
        assert_eq!(found, Ok(checkout.join("urdf/bot.urdf")));
        assert_eq!(
            packages.find("bots", "urdf/cat.urdf"),
            Err(format!(
                "there is no urdf/cat.urdf in {}",
                checkout.display()
            ))
        );
        let stranger = packages.find("cats", "urdf/bot.urdf").unwrap_err();
        assert!(
            stranger.starts_with("there is no package cats in"),
            "{stranger}"
        );
        std::fs::remove_dir_all(checkout).unwrap();
    }

    #[test]
    fn an_installed_package_goes_before_a_checkout() {
        let checkout = folder("source");
        let manifest = "<package format=\"3\"><name>bots</name></package>";
        std::fs::write(checkout.join("package.xml"), manifest).unwrap();
        let prefix = folder("prefix");
        let share = prefix.join("share/bots/urdf");
        std::fs::create_dir_all(&share).unwrap();
        std::fs::write(share.join("bot.urdf"), "<robot/>").unwrap();
        let packages = Packages {
            prefixes: vec![prefix.clone()],
            sources: vec![checkout.clone()],
        };
        let found = packages.find("bots", "urdf/bot.urdf");
        assert_eq!(found, Ok(share.join("bot.urdf")));
        std::fs::remove_dir_all(checkout).unwrap();
        std::fs::remove_dir_all(prefix).unwrap();
    }

    #[test]
    fn relative_paths_start_at_the_file_that_names_them() {
        let packages = Packages::default();
        let layout = Path::new("/rooms/one.yaml");
        assert_eq!(
            resolve("../bots/a.urdf", layout, &packages),
            Ok(PathBuf::from("/rooms/../bots/a.urdf"))
        );
        assert!(resolve("package://tatami", layout, &packages).is_err());
    }
}
