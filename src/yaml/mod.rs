//! YAML whose every value knows its line, read by keys that are known.
//!
//! What a file or text may hold is said by who reads it; here are the tree, the typed
//! reading and the errors.

mod error;
mod fields;
mod tree;

pub use error::{Place, YamlError};

pub(crate) use error::hint;
pub(crate) use fields::{Field, Fields};
pub(crate) use tree::{Entry, Node, Value};
