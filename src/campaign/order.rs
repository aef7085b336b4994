//! In which order the two runs of a pair are made.

use std::fmt;
use std::str::FromStr;

/// `--order`, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// AB, BA, AB, BA …
    Abba,
    /// By chance; without a seed another each time.
    Random { seed: Option<u64> },
}

/// An order that can be repeated. Its text is what is typed for that: `abba`, `random:7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeededOrder {
    Abba,
    Random { seed: u64 },
}

impl Order {
    /// The order with the seed that was typed, else with this one.
    pub fn seeded(self, fresh: u64) -> SeededOrder {
        match self {
            Order::Abba => SeededOrder::Abba,
            Order::Random { seed } => SeededOrder::Random {
                seed: seed.unwrap_or(fresh),
            },
        }
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match (text, text.strip_prefix("random:")) {
            ("abba", _) => Ok(Order::Abba),
            ("random", _) => Ok(Order::Random { seed: None }),
            (_, Some(seed)) => match seed.parse() {
                Ok(seed) => Ok(Order::Random { seed: Some(seed) }),
                Err(_) => Err("expected a whole number after random:, such as random:7".into()),
            },
            _ => Err("expected abba (AB, BA, AB …), random, or random:SEED".into()),
        }
    }
}

impl fmt::Display for SeededOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeededOrder::Abba => f.write_str("abba"),
            SeededOrder::Random { seed } => write!(f, "random:{seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_and_its_seed_told() {
        let seeded = |text: &str| text.parse::<Order>().unwrap().seeded(42).to_string();
        assert_eq!(seeded("abba"), "abba");
        assert_eq!(seeded("random"), "random:42");
        assert_eq!(seeded("random:7"), "random:7");
        for bad in ["", "baab", "random:", "random:x", "random:-1", "Random"] {
            assert!(bad.parse::<Order>().is_err(), "{bad}");
        }
    }
}
