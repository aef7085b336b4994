//! What the text of a setting's file says.

/// The value in the text of a file below /sys: where one of several words is in brackets, as in
/// `[mq-deadline] none`, it is that one.
pub(super) fn chosen(text: &str) -> &str {
    let mut bracketed = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    match (bracketed.next(), bracketed.next()) {
        (Some(one), None) if !one.is_empty() => one,
        _ => text,
    }
}

/// For comparison: one blank between words, none around them.
pub(super) fn normalised(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_brackets_is_the_value() {
        assert_eq!(chosen("[mq-deadline] kyber none"), "mq-deadline");
        assert_eq!(chosen("[none] "), "none");
        assert_eq!(chosen("none"), "none");
        assert_eq!(chosen("[a] [b]"), "[a] [b]");
        assert_eq!(chosen("[]"), "[]");
        assert_eq!(chosen("write back"), "write back");
        assert_eq!(chosen(""), "");
    }

    #[test]
    fn blanks_between_words_do_not_matter() {
        assert_eq!(normalised("4096\t131072\t 33554432\n"), "4096 131072 33554432");
        assert_eq!(normalised(" \n"), "");
        assert_ne!(normalised("10"), normalised("010"));
    }
}
