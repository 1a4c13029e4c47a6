//! Texts that people read: messages of replies and lines of the log. They may quote what a client
//! has sent, whatever that is.

/// Most characters of a text.
const MAX_CHARACTERS: usize = 2_000;

/// A text of any length as people read it: what is too long has a gap in its middle, for the
/// beginning names the thing and the end says what would be right.
pub(super) fn shortened(text: String) -> String {
    let characters = text.chars().count();
    if characters <= MAX_CHARACTERS {
        return text;
    }
    let half = MAX_CHARACTERS / 2;
    let head = text.chars().take(half);
    let tail = text.chars().skip(characters - half + 1);
    head.chain(['…']).chain(tail).collect()
}

/// The message of a reply: shortened, and without NUL, with which it can't be sent.
pub(super) fn message(text: String) -> String {
    shortened(text).replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_ends() {
        let fits = "棚".repeat(2_000);
        assert_eq!(shortened(fits.clone()), fits);
        let long = format!("name is \"{}\": it must be short", "棚".repeat(1_000_000));
        let text = shortened(long);
        assert_eq!(text.chars().count(), 2_000);
        assert!(text.starts_with("name is \"棚"), "{text}");
        assert!(text.contains("棚…棚"), "{text}");
        assert!(text.ends_with("棚\": it must be short"), "{text}");
    }
}
