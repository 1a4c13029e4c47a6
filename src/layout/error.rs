//! What can be wrong with a layout file, said so that its author finds the line.

use std::path::PathBuf;

use crate::yaml::{Place, YamlError};

/// Why a layout is refused. The text names the file, line, column and key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A file that is not there, is no text or is larger than [`super::MAX_FILE_BYTES`].
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Text that can't be read as YAML, or a key or value in it that is wrong.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A file without content.
    #[error("{at}: the file is empty, a layout has at least one of: {keys}")]
    Empty {
        /// The file.
        at: Place,
        /// The keys of a layout.
        keys: String,
    },
    /// A thing that can't be made.
    #[error("{at}: {key}: {reason}")]
    Thing {
        /// Where it stands.
        at: Place,
        /// The item.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two things with one name. Names are unique across all kinds.
    #[error("{at}: {key} is \"{name}\", which is already the name of {other} ({other_at})")]
    DuplicateName {
        /// The second name.
        at: Place,
        /// Path of its key.
        key: String,
        /// The name.
        name: String,
        /// Path of what has it already.
        other: String,
        /// Where that stands.
        other_at: Place,
    },
    /// A file that a key names and that can't be found or read.
    #[error("{at}: {key} is \"{value}\": {reason}")]
    File {
        /// The value that names it.
        at: Place,
        /// Path of its key.
        key: String,
        /// The value.
        value: String,
        /// Why it can't be used.
        reason: String,
    },
    /// A thing that is to be placed at random and for which no room is found.
    #[error(
        "{at}: {key}: no room for \"{name}\" in {tries} tries with seed {seed}: its circle of \
         {radius:.3} m needs {clearance} m of clearance; widen its range or set a smaller clearance"
    )]
    NoRoom {
        /// Where it stands in the file.
        at: Place,
        /// Path of the item.
        key: String,
        /// Its name.
        name: String,
        /// How many poses were drawn.
        tries: u64,
        /// Of the circle around it, m.
        radius: f64,
        /// In m.
        clearance: f64,
        /// Of the draws.
        seed: i64,
    },
    /// A `--set` that names no key of a robot of the layout.
    #[error("--set {argument}: {reason}")]
    Override {
        /// The argument.
        argument: String,
        /// What is wrong with it.
        reason: String,
    },
}
