//! What can be wrong with a YAML text, said so that its author finds the line.

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

/// Where a value stands: a file with line and column, both counted from 1, or the
/// argument of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    source: Arc<str>,
    /// `None` for a whole source.
    position: Option<Position>,
}

/// Both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    line: NonZeroU32,
    column: u32,
}

impl Place {
    /// A whole file or a command line argument.
    pub(crate) fn whole(source: &Arc<str>) -> Self {
        Self {
            source: Arc::clone(source),
            position: None,
        }
    }

    /// A position in a file.
    pub(crate) fn at(source: &Arc<str>, line: u64, column: u64) -> Self {
        let line = u32::try_from(line).ok().and_then(NonZeroU32::new);
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        Self {
            source: Arc::clone(source),
            position: line.map(|line| Position { line, column }),
        }
    }

    /// Line and column, from which the order in a file follows; 0 for a whole source.
    pub(crate) fn order(&self) -> (u32, u32) {
        self.position
            .map_or((0, 0), |position| (position.line.get(), position.column))
    }

    /// The file that the place is in, if it is in one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.position.map(|_| Path::new(&*self.source))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(Position { line, column }) => write!(f, "{}:{line}:{column}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

/// Why a YAML text is refused. The text names source, line, column and key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum YamlError {
    /// Text that is no YAML, uses a key twice or goes beyond the reader's budget.
    #[error("{at}: {reason}")]
    Syntax {
        /// Where reading ended.
        at: Place,
        /// What the YAML reader says.
        reason: String,
    },
    /// A key that this place does not know.
    #[error("{at}: unknown key {key:?} in {inside}; {hint}")]
    UnknownKey {
        /// The key.
        at: Place,
        /// Its text.
        key: String,
        /// Path of the mapping that has it.
        inside: String,
        /// The nearest known key, or all of them.
        hint: String,
    },
    /// A mapping without a key that it needs.
    #[error("{at}: {inside} has no \"{key}\", it needs {expected}")]
    MissingKey {
        /// The mapping.
        at: Place,
        /// Path of the mapping.
        inside: String,
        /// The key it needs.
        key: &'static str,
        /// What the key would hold.
        expected: &'static str,
    },
    /// A value of another type, or outside what is allowed.
    #[error("{at}: {key} is {found}, it must be {expected}")]
    Value {
        /// The value.
        at: Place,
        /// Path of its key.
        key: String,
        /// The value as text.
        found: String,
        /// What would be right.
        expected: String,
    },
}

/// "did you mean" with the nearest of the known words, or else all of them.
pub(crate) fn hint(word: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        // A third of the letters wrong is a slip of the finger, more is another word.
        Some((distance, candidate)) if distance <= word.chars().count().max(3) / 3 => {
            format!("did you mean \"{candidate}\"?")
        }
        _ => format!("known are: {}", known.join(", ")),
    }
}
