//! Loadfiles that both tools can replay, with the marks that cut their first pass out of a trace.

use super::marks;

/// How Debian's load begins too: the client's directory is there and empty.
const BEGINNING: &str = concat!(
    "Deltree \"\\clients\\client1\" NT_STATUS_OK\n",
    "Mkdir \"\\clients\" NT_STATUS_OK\n",
    "NTCreateX \"\\clients\\client1\" 0x1 0x2 16385 NT_STATUS_OK\n",
    "Close 16385 NT_STATUS_OK\n",
);

/// One pass of some operations.
pub struct Load {
    text: String,
}

impl Load {
    /// Of operations that need nothing but the client's empty directory.
    pub fn new(operations: &str) -> Load {
        let mut text = BEGINNING.to_owned();
        text.push_str(&marks::line(marks::PASS_BEGINS));
        for line in operations.lines() {
            let is_deltree = line.starts_with("Deltree");
            if is_deltree {
                text.push_str(&marks::line(marks::DELTREE_BEGINS));
            }
            text.push_str(line);
            text.push('\n');
            if is_deltree {
                text.push_str(&marks::line(marks::DELTREE_ENDS));
            }
        }
        text.push_str(&marks::line(marks::PASS_ENDS));
        Load { text }
    }

    /// The first lines of a loadfile that begins as ours do.
    pub fn first_lines(loadfile: &str, count: usize) -> Load {
        let rest = loadfile
            .strip_prefix(BEGINNING)
            .expect("Debian's load begins as it always has");
        let ours = BEGINNING.lines().count();
        let operations: String = rest.split_inclusive('\n').take(count - ours).collect();
        assert_eq!(
            operations.lines().count(),
            count - ours,
            "the loadfile has that many lines"
        );
        Load::new(&operations)
    }

    /// What a tool replays that makes one pass.
    pub fn once(&self) -> &str {
        &self.text
    }

    /// What a tool replays that would begin again at once: it pauses long enough to be stopped.
    pub fn then_a_pause(&self) -> String {
        format!("{}Sleep 600000000 NT_STATUS_OK\n", self.text)
    }
}
