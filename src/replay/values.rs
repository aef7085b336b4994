//! Numbers that are worked out at each execution.

use crate::op::{Base, Expression, Number, Step};
use crate::program::{Dynamic, Op, Program, flag};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The turns of loops, by their variable.
type Turns = [u64; 32];

/// The remainder of a division; sizes are powers of two as a rule, which spares the division.
#[inline(always)]
fn remainder(value: u64, y: u64) -> u64 {
    if y.is_power_of_two() {
        value & (y - 1)
    } else {
        value.checked_rem(y).unwrap_or(0)
    }
}

/// A client's random numbers, and the values of its last operation.
pub struct Values {
    pub random: ChaCha8Rng,
    child: u64,
    children: u64,
    /// Offset, size and third number of the last operation that had them.
    previous: [u64; 3],
    /// The last pause, microseconds.
    pause: u64,
}

impl Values {
    /// Seeded from the run's seed and the client's number, so that a run can be repeated exactly.
    pub fn new(seed: u64, client: u32, clients: u32) -> Values {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..12].copy_from_slice(&client.to_le_bytes());
        Values {
            random: ChaCha8Rng::from_seed(key),
            child: u64::from(client),
            children: u64::from(clients),
            previous: [0; 3],
            pause: 0,
        }
    }

    /// The value of a number; `previous` is what the same parameter had last.
    #[inline]
    pub fn value(&mut self, expressions: &[Expression], number: Number, previous: u64, turns: &Turns) -> u64 {
        let id = match number {
            Number::Fixed(value) => return value,
            Number::Expression(id) => id,
        };
        let expression = &expressions[id.0 as usize];
        let start = match expression.base {
            Base::Random => self.random.next_u64(),
            Base::Previous => previous,
            Base::Turn(variable) => turns[usize::from(variable) % 32],
        };
        expression.steps.iter().fold(start, |value, step| match *step {
            Step::Modulo(y) => remainder(value, y),
            Step::Floor(y) => value - remainder(value, y),
            Step::Add(y) => value.wrapping_add(y),
            Step::AddTurn(variable) => value.wrapping_add(turns[usize::from(variable) % 32]),
            Step::Multiply(y) => value.wrapping_mul(y),
            Step::AddChild => value.wrapping_add(self.child),
            Step::AddChildren => value.wrapping_add(self.children),
        })
    }

    /// The length of a pause, microseconds.
    pub fn pause(&mut self, expressions: &[Expression], micros: Number, turns: &Turns) -> u64 {
        self.pause = self.value(expressions, micros, self.pause, turns);
        self.pause
    }

    /// Works out an operation's offset, size and third number.
    #[inline]
    fn numbers(&mut self, program: &Program, dynamic: Dynamic, turns: &Turns) -> [u64; 3] {
        let Dynamic {
            offset,
            size,
            returned,
        } = dynamic;
        let [last_offset, last_size, last_returned] = self.previous;
        self.previous = [
            self.value(&program.expressions, offset, last_offset, turns),
            self.value(&program.expressions, size, last_size, turns),
            self.value(&program.expressions, returned, last_returned, turns),
        ];
        self.previous
    }

    /// A read or write with its numbers worked out; sizes stay within the program's buffers.
    #[inline]
    pub fn transfer(&mut self, program: &Program, op: &Op, turns: &Turns) -> Op {
        let dynamic = program.dynamics[op.b as usize];
        let [offset, size, returned] = self.numbers(program, dynamic, turns);
        let length = size.min(u64::from(op.length)) as u32;
        let returned = match op.flags & flag::CHECK_BYTES {
            0 => length,
            _ => returned.min(u64::from(length)) as u32,
        };
        Op {
            offset,
            length,
            returned,
            ..*op
        }
    }

    /// A lock with its numbers worked out.
    pub fn range(&mut self, program: &Program, op: &Op, turns: &Turns) -> Op {
        let dynamic = program.dynamics[op.b as usize];
        let [offset, length, _] = self.numbers(program, dynamic, turns);
        let mut op = Op { offset, ..*op };
        op.set_range_length(length);
        op
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::ExprId;

    fn evaluate(expression: Expression, previous: u64) -> u64 {
        let mut values = Values::new(1, 3, 8);
        values.value(&[expression], Number::Expression(ExprId(0)), previous, &[5; 32])
    }

    #[test]
    fn steps_apply_from_left_to_right() {
        let steps = vec![Step::Add(10), Step::Modulo(32), Step::Floor(8)];
        let base = Base::Previous;
        assert_eq!(evaluate(Expression { base, steps }, 125), 0);
        let steps = vec![Step::AddChild, Step::AddChildren];
        assert_eq!(evaluate(Expression { base, steps }, 100), 111);
        let steps = vec![
            Step::Multiply(101),
            Step::AddTurn(2),
            Step::Multiply(5),
            Step::Add(1),
        ];
        let base = Base::Turn(3);
        assert_eq!(evaluate(Expression { base, steps }, 100), 2551);
    }

    #[test]
    fn remainders_of_powers_of_two_are_those_of_the_division() {
        for y in [1, 2, 3, 4096, 10_000, 1 << 63, u64::MAX] {
            for value in [0, 1, 4095, 4096, 123_456_789, u64::MAX - 1, u64::MAX] {
                assert_eq!(remainder(value, y), value % y);
            }
        }
    }

    #[test]
    fn random_numbers_repeat_with_seed_and_client_only() {
        let draw = |seed, client| Values::new(seed, client, 1).random.next_u64();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }
}
