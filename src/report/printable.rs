//! Names from loadfiles and file systems, made safe to print.

/// Words that programs search dbench's output for, some of them in stdout and stderr joined.
const SEARCHED: [&str; 4] = ["Throughput", "execute", "Operation", "completed in"];

/// A text on one line, with control characters escaped: a path must not steer the terminal.
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A text on one line, with control characters and the last letter of every searched word escaped: a file named
/// `Throughput` must not become a result.
pub fn printable(text: &str) -> String {
    let mut shown = one_line(text);
    for word in SEARCHED {
        let Some((end, last)) = word.char_indices().next_back() else {
            continue;
        };
        if shown.contains(word) {
            shown = shown.replace(word, &format!("{}{}", &word[..end], last.escape_unicode()));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_names_are_shown_as_they_are() {
        let name = "clients/client0/~dmtmp/Ünïcode name.DOC";
        assert_eq!(printable(name), name);
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\x1b[2Jb\nc\0"), "a\\u{1b}[2Jb\\nc\\u{0}");
    }

    #[test]
    fn words_that_programs_search_for_do_not_come_through() {
        assert_eq!(printable("/Throughput 9 MB/sec"), "/Throughpu\\u{74} 9 MB/sec");
        assert_eq!(printable("executed"), "execut\\u{65}d");
    }

    proptest! {
        #[test]
        fn whatever_the_name_it_is_one_line_without_those_words(text in "(.|\n|Throughput|execute|Operation|completed in){0,20}") {
            let shown = printable(&text);
            prop_assert!(!shown.chars().any(char::is_control));
            for word in SEARCHED {
                prop_assert!(!shown.contains(word));
            }
        }
    }
}
