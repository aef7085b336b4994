//! The loads that are compiled into rbench, by name; what each models is told in `loadfiles/README.md`.

/// One bundled load.
struct Bundled {
    name: &'static str,
    text: &'static str,
}

macro_rules! bundled {
    ($($name:literal),+) => {
        &[$(Bundled {
            name: $name,
            text: include_str!(concat!("../loadfiles/", $name, ".load")),
        }),+]
    };
}

/// The default comes first.
const LOADS: &[Bundled] = bundled!(
    "client", "seqrd", "rndrd", "seqwr", "rndwr", "mdtree", "maildir", "untar", "build"
);

fn find(name: &str) -> Option<&'static Bundled> {
    LOADS.iter().find(|load| load.name == name)
}

/// The names of all bundled loads, the default first.
pub fn names() -> impl Iterator<Item = &'static str> {
    LOADS.iter().map(|load| load.name)
}

/// The text of a bundled load, in dialect nb3.
pub fn text(name: &str) -> Option<&'static str> {
    find(name).map(|load| load.text)
}

/// What a bundled load models: the first sentences of its text, up to the first empty line of the comment.
pub fn summary(name: &str) -> Option<String> {
    let lines = text(name)?.lines().map_while(|line| line.strip_prefix('#'));
    let words = lines.map(str::trim).take_while(|line| !line.is_empty());
    Some(words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_has_a_text() {
        for name in names() {
            assert!(
                text(name).is_some_and(|text| text.contains("NT_STATUS_OK")),
                "{name}"
            );
        }
    }

    #[test]
    fn names_differ_and_start_with_the_default() {
        assert_eq!(names().next(), Some("client"));
        assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    }

    #[test]
    fn an_unknown_name_has_no_text() {
        assert_eq!(text("Client"), None);
        assert_eq!(text(""), None);
    }
}
