//! Expressions in place of numbers, such as `*%0x10000000/4096` or `+4096`.

use super::fault::{Fault, shown};
use super::tokens::{self, BadNumber};
use crate::op::{Base, ExprId, Expression, Step};
use nom::branch::alt;
use nom::character::complete::{char, one_of, satisfy};
use nom::combinator::{all_consuming, map, opt};
use nom::multi::many0;
use nom::sequence::preceded;
use nom::{IResult, Parser, bytes::complete::take_till1};
use rustc_hash::FxHashMap;

const FORMS: &str = "an expression is *, +y or (nb3) the turn @a of a loop, followed by any of %y, /y, +y, +child, +num_children; \
                     after @a also *y and +@b";

/// Whether a token in a number's place is an expression.
pub(super) fn is_expression(token: &[u8]) -> bool {
    matches!(token.first(), Some(b'*' | b'+' | b'@'))
}

/// Whether an expression starts with a loop's turn, which only nb3 has.
pub(super) fn is_turn(token: &[u8]) -> bool {
    token.first() == Some(&b'@')
}

fn step(input: &[u8]) -> IResult<&[u8], (char, &[u8])> {
    let operand = take_till1(|byte| matches!(byte, b'*' | b'%' | b'/' | b'+'));
    (one_of("%/+*"), operand).parse(input)
}

/// Reads a whole token as an expression.
///
/// # Errors
/// It is none, an operand does not fit in 64 bits, or it divides by zero; positions are in the token.
pub(super) fn parse(token: &[u8]) -> Result<Expression, Fault> {
    let random = map(char('*'), |_| Base::Random);
    let letter = satisfy(|letter| letter.is_ascii_lowercase());
    let turn = map(preceded(char('@'), letter), |letter| {
        Base::Turn(letter as u8 - b'a')
    });
    let base = map(opt(alt((random, turn))), |base| base.unwrap_or(Base::Previous));
    let parsed: IResult<_, _> = all_consuming((base, many0(step))).parse(token);
    let Ok((_, (base, steps))) = parsed else {
        return Err(bad(token));
    };
    let starts_right = match base {
        Base::Random | Base::Turn(_) => true,
        Base::Previous => token.first() == Some(&b'+'),
    };
    if !starts_right {
        return Err(bad(token));
    }
    let mut at = match base {
        Base::Previous => 0,
        Base::Random => 1,
        Base::Turn(_) => 2,
    };
    let mut built = Vec::with_capacity(steps.len());
    for (operator, operand) in steps {
        let of_turns = operator == '*' || operand.first() == Some(&b'@');
        if of_turns && !matches!(base, Base::Turn(_)) {
            return Err(bad(token));
        }
        built.push(build_step(operator, operand).map_err(|fault| fault.shifted(at))?);
        at += 1 + operand.len();
    }
    Ok(Expression { base, steps: built })
}

fn bad(token: &[u8]) -> Fault {
    Fault::new(0, format!("bad expression `{}`", shown(token)), FORMS)
}

fn build_step(operator: char, operand: &[u8]) -> Result<Step, Fault> {
    match (operator, operand) {
        ('+', b"child") => return Ok(Step::AddChild),
        ('+', b"num_children") => return Ok(Step::AddChildren),
        ('+', [b'@', letter @ b'a'..=b'z']) => return Ok(Step::AddTurn(letter - b'a')),
        _ => {}
    }
    let value = tokens::number(operand).map_err(|bad| match bad {
        BadNumber::NotANumber => Fault::new(
            1,
            format!("bad expression: `{}` is no number", shown(operand)),
            FORMS,
        ),
        BadNumber::TooLarge => Fault::new(
            1,
            format!("`{}` does not fit in 64 bits", shown(operand)),
            "at most 18446744073709551615",
        ),
    })?;
    match operator {
        '+' => Ok(Step::Add(value)),
        '*' => Ok(Step::Multiply(value)),
        '%' if value == 0 => Err(Fault::new(1, "modulo by zero", "%y needs a y above 0")),
        '/' if value == 0 => Err(Fault::new(1, "division by zero", "/y needs a y above 0")),
        '%' => Ok(Step::Modulo(value)),
        _ => Ok(Step::Floor(value)),
    }
}

/// The distinct expressions of a loadfile or of a part of it.
#[derive(Debug, Default)]
pub(super) struct Expressions {
    pub list: Vec<Expression>,
    ids: FxHashMap<Expression, ExprId>,
}

impl Expressions {
    /// The number of an expression, a new one if it is new.
    pub fn intern(&mut self, expression: Expression) -> ExprId {
        if let Some(&id) = self.ids.get(&expression) {
            return id;
        }
        let id = ExprId(self.list.len() as u32);
        self.list.push(expression.clone());
        self.ids.insert(expression, id);
        id
    }

    /// Takes in the expressions of a later part; gives their new numbers.
    pub fn absorb(&mut self, later: Expressions) -> Vec<ExprId> {
        later
            .list
            .into_iter()
            .map(|expression| self.intern(expression))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadfile::fault::What;

    #[test]
    fn steps_are_read_from_left_to_right() {
        assert_eq!(
            parse(b"*%0x10000000/4096").unwrap(),
            Expression {
                base: Base::Random,
                steps: vec![Step::Modulo(0x1000_0000), Step::Floor(4096)]
            }
        );
        assert_eq!(
            parse(b"+4096%8192").unwrap(),
            Expression {
                base: Base::Previous,
                steps: vec![Step::Add(4096), Step::Modulo(8192)]
            }
        );
        assert_eq!(
            parse(b"+child+num_children").unwrap(),
            Expression {
                base: Base::Previous,
                steps: vec![Step::AddChild, Step::AddChildren]
            }
        );
        assert_eq!(parse(b"*").unwrap().steps, []);
        assert_eq!(
            parse(b"@c*20+@a*4096+512").unwrap(),
            Expression {
                base: Base::Turn(2),
                steps: vec![
                    Step::Multiply(20),
                    Step::AddTurn(0),
                    Step::Multiply(4096),
                    Step::Add(512)
                ]
            }
        );
    }

    #[test]
    fn what_is_no_expression_is_refused_where_it_goes_wrong() {
        for (text, at, part) in [
            ("*%0", 2, "modulo by zero"),
            ("*+5/0x0", 4, "division by zero"),
            ("**", 0, "bad expression"),
            ("+", 0, "bad expression"),
            ("*%", 0, "bad expression"),
            ("*%foo", 2, "`foo` is no number"),
            ("+children", 1, "`children` is no number"),
            ("*%99999999999999999999", 2, "does not fit"),
            ("", 0, "bad expression"),
            ("%5", 0, "bad expression"),
            ("@", 0, "bad expression"),
            ("@A", 0, "bad expression"),
            ("@a%@b", 3, "`@b` is no number"),
            ("*%8+@a", 0, "bad expression"),
            ("@ab", 0, "bad expression"),
            ("@a*x", 3, "`x` is no number"),
            ("*%8*2", 0, "bad expression"),
            ("+8*2", 0, "bad expression"),
        ] {
            let fault = parse(text.as_bytes()).unwrap_err();
            let What::Text(what) = fault.what else {
                panic!("{text}")
            };
            assert!(what.contains(part), "{text}: {what}");
            assert_eq!(fault.at, at, "{text}");
        }
    }

    #[test]
    fn equal_expressions_have_one_number() {
        let mut all = Expressions::default();
        let first = all.intern(parse(b"+4096").unwrap());
        let other = all.intern(parse(b"+4097").unwrap());
        assert_ne!(first, other);
        assert_eq!(all.intern(parse(b"+0x1000").unwrap()), first);
        assert_eq!(all.list.len(), 2);
    }
}
