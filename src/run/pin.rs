//! Which processors the clients are bound to.

use std::fmt;
use std::str::FromStr;

/// `--pin`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pin {
    /// Clients run on any processor that the process may use.
    #[default]
    None,
    /// Each client on one processor, neighbours as far from one another as can be: on other packages, then other cores.
    Spread,
    /// Each client on one processor, neighbours as near to one another as can be: on the same core, then the same package.
    Compact,
    /// Each client on one of these, in turn.
    List(Vec<u32>),
}

/// The highest number of a processor that a list may name.
const HIGHEST: u32 = 65_535;

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Pin, String> {
        match text {
            "none" => return Ok(Pin::None),
            "spread" => return Ok(Pin::Spread),
            "compact" => return Ok(Pin::Compact),
            _ => {}
        }
        let wrong =
            || "expected none, spread, compact, or processors such as 0,2-3 (in a sweep 0+2-3)".to_owned();
        let mut list = Vec::new();
        for part in text.split([',', '+']) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: u32 = first.parse().map_err(|_| wrong())?;
            let last: u32 = last.parse().map_err(|_| wrong())?;
            if last < first || last > HIGHEST {
                return Err(wrong());
            }
            list.extend(first..=last);
            if list.len() > HIGHEST as usize {
                return Err(format!("more than {HIGHEST} processors: name each once"));
            }
        }
        Ok(Pin::List(list))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pin::None => f.write_str("none"),
            Pin::Spread => f.write_str("spread"),
            Pin::Compact => f.write_str("compact"),
            Pin::List(list) => {
                let list: Vec<String> = list.iter().map(u32::to_string).collect();
                f.write_str(&list.join("+"))
            }
        }
    }
}
