//! In which order the runs of a sweep are made.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::str::FromStr;

/// In which order the cells of a sweep are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each round in another order, which follows from the seed.
    Random { seed: u64 },
    /// As typed, the last axis fastest.
    Typed,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match (text, text.strip_prefix("random:")) {
            ("typed", _) => Ok(Order::Typed),
            ("random", _) => Ok(Order::Random { seed: 0 }),
            (_, Some(seed)) => match seed.parse() {
                Ok(seed) => Ok(Order::Random { seed }),
                Err(_) => Err("expected a whole number after random:".into()),
            },
            _ => Err("expected random, random:SEED or typed".into()),
        }
    }
}

/// One run of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    /// From 1.
    pub cell: u32,
    /// Which of the cell's runs, from 1.
    pub run: u32,
}

/// All runs in their order: in rounds, each of which has every cell once, so that a drift of the machine reaches all
/// cells alike.
pub fn schedule(cells: u32, runs: u32, order: Order) -> Vec<Turn> {
    let mut random = match order {
        Order::Random { seed } => Some(ChaCha8Rng::seed_from_u64(seed)),
        Order::Typed => None,
    };
    let mut turns = Vec::with_capacity(cells as usize * runs as usize);
    for run in 1..=runs {
        let mut round: Vec<Turn> = (1..=cells).map(|cell| Turn { cell, run }).collect();
        if let Some(random) = &mut random {
            shuffle(&mut round, random);
        }
        turns.append(&mut round);
    }
    turns
}

/// Fisher and Yates's shuffle.
fn shuffle(turns: &mut [Turn], random: &mut ChaCha8Rng) {
    for last in (1..turns.len()).rev() {
        // The bias of the remainder is less than one in 10^14 for as many cells as there can be.
        let chosen = (random.next_u64() % (last as u64 + 1)) as usize;
        turns.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_round_has_every_cell_once(cells in 1u32..40, runs in 1u32..4, seed: u64) {
            let turns = schedule(cells, runs, Order::Random { seed });
            prop_assert_eq!(turns.len() as u32, cells * runs);
            for (index, round) in turns.chunks(cells as usize).enumerate() {
                let mut seen: Vec<u32> = round.iter().map(|turn| turn.cell).collect();
                prop_assert!(round.iter().all(|turn| turn.run == index as u32 + 1));
                seen.sort_unstable();
                prop_assert_eq!(seen, (1..=cells).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_order_follows_from_the_seed_and_differs_from_round_to_round() {
        let turns = |seed| schedule(28, 2, Order::Random { seed });
        assert_eq!(turns(1), turns(1));
        assert_ne!(turns(1), turns(2));
        let cells = |round: &[Turn]| round.iter().map(|turn| turn.cell).collect::<Vec<_>>();
        let one = turns(1);
        assert_ne!(cells(&one[..28]), cells(&one[28..]));
    }

    #[test]
    fn typed_order_is_that_of_the_cells() {
        let turns = schedule(3, 2, Order::Typed);
        let typed: Vec<(u32, u32)> = turns.iter().map(|turn| (turn.run, turn.cell)).collect();
        assert_eq!(typed, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
    }

    #[test]
    fn an_order_is_read() {
        assert_eq!("random:7".parse(), Ok(Order::Random { seed: 7 }));
        assert_eq!("random".parse(), Ok(Order::Random { seed: 0 }));
        assert_eq!("typed".parse(), Ok(Order::Typed));
        for bad in ["", "random:", "random:x", "sorted"] {
            assert!(bad.parse::<Order>().is_err(), "{bad}");
        }
    }
}
