//! A hash that is the same in every build, for names that become numbers.

/// What FNV-1a starts from.
const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash FNV-1a with 64 bits (Fowler, Noll, Vo).
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    fnv1a_from(OFFSET_BASIS, bytes)
}

/// Goes on from the hash of what came before.
pub(crate) fn fnv1a_from(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_hashed_as_published() {
        assert_eq!(fnv1a("".bytes()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a".bytes()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
        assert_eq!(
            fnv1a_from(fnv1a("foo".bytes()), "bar".bytes()),
            fnv1a("foobar".bytes())
        );
    }
}
