//! The file in which a map is exported and imported. The real robot's format is not published;
//! this one is Tatami's own and is described in docs/grpc.md.

use prost::Message;

use super::proto::Map;
use crate::hash::fnv1a;

const MAGIC: &[u8; 8] = b"TATAMAP1";
/// Magic, length and checksum.
const HEAD: usize = 24;

/// Why a file is no map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileError {
    /// Something else.
    #[error("the file does not begin with TATAMAP1: it is no map that ExportMap has written")]
    Magic,
    /// Bytes are missing or too many.
    #[error("the file has {given} bytes after its head, {wanted} were written")]
    Length {
        /// What is there.
        given: usize,
        /// What the head says.
        wanted: u64,
    },
    /// Bytes are different.
    #[error("the file's checksum is wrong: it was changed after it was written")]
    Checksum,
    /// Not the message that it should be.
    #[error("the file's content is no map: {0}")]
    Content(#[from] prost::DecodeError),
}

/// A map as a file.
pub(super) fn write(map: &Map) -> Vec<u8> {
    let content = map.encode_to_vec();
    let mut file = Vec::with_capacity(HEAD + content.len());
    file.extend(MAGIC);
    file.extend((content.len() as u64).to_le_bytes());
    file.extend(checksum(&content).to_le_bytes());
    file.extend(content);
    file
}

/// The map of a file.
///
/// # Errors
/// When it is not exactly as it was written.
pub(super) fn read(file: &[u8]) -> Result<Map, FileError> {
    let rest = file.strip_prefix(MAGIC).ok_or(FileError::Magic)?;
    let too_short = FileError::Length {
        given: 0,
        wanted: (HEAD - MAGIC.len()) as u64,
    };
    let (length, rest) = rest.split_first_chunk().ok_or(too_short.clone())?;
    let (sum, content) = rest.split_first_chunk().ok_or(too_short)?;
    let wanted = u64::from_le_bytes(*length);
    if wanted != content.len() as u64 {
        let given = content.len();
        return Err(FileError::Length { given, wanted });
    }
    if u64::from_le_bytes(*sum) != checksum(content) {
        return Err(FileError::Checksum);
    }
    Ok(Map::decode(content)?)
}

/// FNV-1a with 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    fnv1a(bytes.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Map {
        Map {
            data: (0..=255).collect(),
            name: "hall".to_owned(),
            resolution: 0.05,
            width: 16,
            height: 16,
            origin: None,
        }
    }

    #[test]
    fn the_checksum_is_fnv_1a() {
        // From the reference of its authors.
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_map_is_read_as_it_was_written() {
        let file = write(&map());
        assert_eq!(&file[..8], b"TATAMAP1");
        assert_eq!(read(&file), Ok(map()));
    }

    #[test]
    fn every_truncation_and_every_changed_byte_is_noticed() {
        let file = write(&map());
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length} bytes were taken");
        }
        for index in 0..file.len() {
            let mut changed = file.clone();
            changed[index] ^= 1;
            assert!(read(&changed).is_err(), "byte {index} was not noticed");
        }
        let longer = [file.as_slice(), b"x"].concat();
        assert!(matches!(read(&longer), Err(FileError::Length { .. })));
    }
}
