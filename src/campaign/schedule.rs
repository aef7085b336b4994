//! Which side runs when.

use super::SeededOrder;
use crate::result::TurnSide;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// One run of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// From 1.
    pub pair: u32,
    pub side: TurnSide,
    /// Which run of the campaign it is, from 1.
    pub position: u32,
}

/// So many pairs are drawn together when the order is random: half of them AB, half BA.
const BLOCK: u32 = 4;

/// Deals out the pairs of a campaign. However many are asked for at once, they are the same.
#[derive(Debug, Clone)]
pub struct Schedule {
    random: Option<ChaCha8Rng>,
    /// What is left of a block: whether A goes first.
    block: Vec<bool>,
    pairs: u32,
}

impl Schedule {
    /// Nothing is dealt out yet.
    pub fn new(order: SeededOrder) -> Schedule {
        let random = match order {
            SeededOrder::Abba => None,
            SeededOrder::Random { seed } => Some(ChaCha8Rng::seed_from_u64(seed)),
        };
        Schedule {
            random,
            block: Vec::new(),
            pairs: 0,
        }
    }

    /// The next pairs, run by run. In each both sides run once; A goes first as often as B, but for at most two pairs, so
    /// that what follows from the order (a drift, a warm cache) reaches both sides alike.
    pub fn next(&mut self, pairs: u32) -> Vec<Slot> {
        let mut slots = Vec::with_capacity(pairs as usize * 2);
        for _ in 0..pairs {
            let [first, second] = if self.a_goes_first() {
                [TurnSide::A, TurnSide::B]
            } else {
                [TurnSide::B, TurnSide::A]
            };
            let position = self.pairs * 2 + 1;
            self.pairs += 1;
            let slot = |side, position| Slot {
                pair: self.pairs,
                side,
                position,
            };
            slots.extend([slot(first, position), slot(second, position + 1)]);
        }
        slots
    }

    fn a_goes_first(&mut self) -> bool {
        let Some(random) = &mut self.random else {
            return self.pairs.is_multiple_of(2);
        };
        if self.block.is_empty() {
            self.block = (0..BLOCK).map(|number| number % 2 == 0).collect();
            shuffle(&mut self.block, random);
        }
        self.block.pop().unwrap_or(true)
    }
}

/// Fisher and Yates's shuffle.
fn shuffle(block: &mut [bool], random: &mut ChaCha8Rng) {
    for last in (1..block.len()).rev() {
        // The bias of the remainder is nothing for so few.
        let chosen = (random.next_u64() % (last as u64 + 1)) as usize;
        block.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(seed: Option<u64>) -> SeededOrder {
        seed.map_or(SeededOrder::Abba, |seed| SeededOrder::Random { seed })
    }

    fn sides(slots: &[Slot]) -> String {
        let letter = |slot: &Slot| if slot.side == TurnSide::A { 'A' } else { 'B' };
        slots.iter().map(letter).collect()
    }

    proptest! {
        #[test]
        fn each_pair_has_both_sides_and_neither_goes_first_much_more_often(seed: Option<u64>, pairs in 1u32..80) {
            let slots = Schedule::new(order(seed)).next(pairs);
            prop_assert_eq!(slots.len() as u32, pairs * 2);
            let mut ahead = 0i32;
            for (index, pair) in slots.chunks(2).enumerate() {
                prop_assert_ne!(pair[0].side, pair[1].side);
                for (place, slot) in pair.iter().enumerate() {
                    prop_assert_eq!(slot.pair as usize, index + 1);
                    prop_assert_eq!(slot.position as usize, index * 2 + place + 1);
                }
                ahead += if pair[0].side == TurnSide::A { 1 } else { -1 };
                prop_assert!(ahead.abs() <= 2);
                if (index + 1) % BLOCK as usize == 0 {
                    prop_assert_eq!(ahead, 0);
                }
            }
        }

        #[test]
        fn pairs_that_are_asked_for_bit_by_bit_are_those_of_one_go(seed: Option<u64>, first in 0u32..20, rest in 0u32..20) {
            let mut schedule = Schedule::new(order(seed));
            let mut slots = schedule.next(first);
            slots.extend(schedule.next(rest));
            prop_assert_eq!(slots, Schedule::new(order(seed)).next(first + rest));
        }
    }

    #[test]
    fn abba_alternates() {
        let slots = Schedule::new(SeededOrder::Abba).next(4);
        assert_eq!(sides(&slots), "ABBAABBA");
    }

    #[test]
    fn a_random_order_follows_from_its_seed_and_differs_from_block_to_block() {
        let of = |seed| sides(&Schedule::new(SeededOrder::Random { seed }).next(24));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let one = of(1);
        assert!(
            one.as_bytes()
                .chunks(8)
                .any(|block| block != &one.as_bytes()[..8])
        );
    }
}
