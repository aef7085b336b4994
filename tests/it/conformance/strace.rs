//! The lines that `strace -f -y` writes, as calls.

use std::collections::HashMap;

/// One finished system call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub thread: u32,
    pub name: String,
    pub arguments: Vec<String>,
    pub result: Returned,
}

/// What a call gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned {
    Value(i64),
    Errno(String),
    /// `= ?`: it was interrupted, or the thread ended in it.
    Unknown,
}

/// A descriptor as `-y` shows it: its number and what it is open on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// None for AT_FDCWD.
    pub number: Option<i32>,
    pub path: String,
}

/// All calls of all threads, in the order in which they ended; lines that are no calls (signals, exits) are left out.
pub fn calls(lines: impl IntoIterator<Item = String>) -> Vec<Call> {
    let mut begun: HashMap<u32, String> = HashMap::new();
    let mut calls = Vec::new();
    for line in lines {
        let Some((thread, text)) = line.split_once(' ') else {
            continue;
        };
        let Ok(thread) = thread.parse::<u32>() else {
            continue;
        };
        let text = text.trim_start();
        if let Some(start) = text.strip_suffix("<unfinished ...>") {
            begun.insert(thread, start.trim_end().to_owned());
            continue;
        }
        let whole = match text.strip_prefix("<... ") {
            Some(rest) => match (begun.remove(&thread), rest.split_once(" resumed>")) {
                (Some(start), Some((_, end))) => format!("{start}{end}"),
                _ => continue,
            },
            None => text.to_owned(),
        };
        calls.extend(call(thread, &whole));
    }
    calls
}

/// `name(arguments) = result`.
fn call(thread: u32, text: &str) -> Option<Call> {
    let (name, rest) = text.split_once('(')?;
    if name.is_empty()
        || !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return None;
    }
    let (arguments, end) = arguments(rest)?;
    let result = rest[end..].trim_start().strip_prefix('=')?.trim_start();
    let mut words = result.split(' ');
    let value = words.next()?;
    let result = match value.split('<').next()? {
        "?" => Returned::Unknown,
        "-1" => Returned::Errno(words.next().unwrap_or("without an errno").to_owned()),
        number => Returned::Value(parse_number(number)?),
    };
    Some(Call {
        thread,
        name: name.to_owned(),
        arguments,
        result,
    })
}

fn parse_number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The arguments up to the closing parenthesis, and where it ends.
fn arguments(text: &str) -> Option<(Vec<String>, usize)> {
    let mut arguments = Vec::new();
    let (mut start, mut depth, mut quoted, mut escaped) = (0, 0_u32, false, false);
    // `-y` puts paths in angle brackets, and writes those in the paths as octal escapes.
    let mut in_path = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' if !in_path => quoted = !quoted,
            _ if quoted => {}
            b'>' => in_path = false,
            _ if in_path => {}
            b'<' if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) => in_path = true,
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                let last = text[start..at].trim();
                if !(last.is_empty() && arguments.is_empty()) {
                    arguments.push(last.to_owned());
                }
                return Some((arguments, at + 1));
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                arguments.push(text[start..at].trim().to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The text in a quoted argument; None if the argument is none, or was cut short.
pub fn quoted(argument: &str) -> Option<String> {
    unescape(argument.strip_prefix('"')?.strip_suffix('"')?)
}

/// `7</dir/file>` or `AT_FDCWD</dir>`.
pub fn descriptor(argument: &str) -> Option<Descriptor> {
    let (number, path) = argument.split_once('<')?;
    let path = path.strip_suffix("(deleted)").unwrap_or(path).strip_suffix('>')?;
    let number = match number {
        "AT_FDCWD" => None,
        number => Some(number.parse().ok()?),
    };
    let path = unescape(path)?;
    Some(Descriptor { number, path })
}

/// Undoes C's escapes; a backslash that is none stays.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let digits = rest
            .iter()
            .take(3)
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .count();
        if digits > 0 {
            let octal = std::str::from_utf8(&rest[..digits]).ok()?;
            bytes.push(u8::try_from(u32::from_str_radix(octal, 8).ok()?).ok()?);
            rest = &rest[digits..];
            continue;
        }
        let (escape, after) = rest.split_first()?;
        rest = after;
        bytes.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            other => *other,
        });
    }
    String::from_utf8(bytes).ok()
}

mod tests {
    use super::{Call, Descriptor, Returned, calls, descriptor, quoted};

    fn parsed(lines: &[&str]) -> Vec<Call> {
        calls(lines.iter().map(|line| (*line).to_owned()))
    }

    #[test]
    fn a_call_has_its_thread_name_arguments_and_result() {
        let line = r#"7 openat(AT_FDCWD</tmp>, "/d/a, (b", O_RDWR|O_CREAT, 0600) = 5</d/a, (b>"#;
        let expected = Call {
            thread: 7,
            name: "openat".into(),
            arguments: ["AT_FDCWD</tmp>", "\"/d/a, (b\"", "O_RDWR|O_CREAT", "0600"]
                .map(String::from)
                .into(),
            result: Returned::Value(5),
        };
        assert_eq!(parsed(&[line]), [expected]);
    }

    #[test]
    fn a_call_that_was_interrupted_by_another_threads_is_put_together() {
        let calls = parsed(&[
            r#"7 pread64(5</d/f>,  <unfinished ...>"#,
            "8 close(3</d/g>) = 0",
            r#"7 <... pread64 resumed>""..., 100, 20) = 60"#,
        ]);
        assert_eq!(calls.len(), 2);
        assert_eq!((calls[1].thread, calls[1].name.as_str()), (7, "pread64"));
        assert_eq!(calls[1].arguments, ["5</d/f>", "\"\"...", "100", "20"]);
        assert_eq!(calls[1].result, Returned::Value(60));
    }

    #[test]
    fn errors_and_interrupted_calls_are_told_apart() {
        let calls = parsed(&[
            r#"7 mkdir("/d/x", 0700) = -1 EEXIST (File exists)"#,
            "7 wait4(0, 0x7, 0, NULL) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
        ]);
        assert_eq!(calls[0].result, Returned::Errno("EEXIST".into()));
        assert_eq!(calls[1].result, Returned::Unknown);
    }

    #[test]
    fn signals_and_exits_are_no_calls() {
        let lines = [
            "7 --- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL} ---",
            "7 +++ exited with 0 +++",
        ];
        assert_eq!(parsed(&lines), []);
    }

    #[test]
    fn structures_are_one_argument() {
        let line = r#"7 newfstatat(5</d>, "", {st_mode=S_IFREG|0600, st_size=9, ...}, AT_EMPTY_PATH) = 0"#;
        assert_eq!(
            parsed(&[line])[0].arguments[2],
            "{st_mode=S_IFREG|0600, st_size=9, ...}"
        );
    }

    #[test]
    fn quotes_and_brackets_in_paths_do_not_end_them() {
        let line = r#"7 openat(3</d/a"b\76c>, "x\"<.JNK", O_RDONLY) = 5</d/y>"#;
        let call = &parsed(&[line])[0];
        let directory = Descriptor {
            number: Some(3),
            path: "/d/a\"b>c".into(),
        };
        assert_eq!(descriptor(&call.arguments[0]), Some(directory));
        assert_eq!(quoted(&call.arguments[1]).as_deref(), Some("x\"<.JNK"));
    }

    #[test]
    fn a_removed_file_keeps_its_name() {
        let removed = descriptor("5</d/f>(deleted)").map(|descriptor| descriptor.path);
        assert_eq!(removed.as_deref(), Some("/d/f"));
    }

    #[test]
    fn a_text_that_was_cut_short_is_not_taken_for_the_whole() {
        assert_eq!(quoted("\"user\"..."), None);
    }
}
