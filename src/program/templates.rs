//! RANDOMSTRINGs: texts with sets, one member of which is picked each time.

use super::compile::{Compiler, control_op};
use super::{Code, Op, PathPiece, Piece, ProgramPath};
use crate::op::TextId;

impl Compiler<'_> {
    pub(super) fn random_string(&mut self, number: u32, slot: u8, text: TextId) {
        let pieces = pieces(&self.file.texts[text.0 as usize]);
        let combinations = pieces.iter().fold(1u64, |product, piece| match piece {
            Piece::Text(_) => product,
            Piece::OneOf(set) => product.saturating_mul(set.len() as u64),
        });
        for (path, names) in self.program.paths.iter().zip(&mut self.names) {
            if let ProgramPath::Assembled(pieces) = path
                && pieces.contains(&PathPiece::String(slot))
            {
                *names = names.saturating_mul(combinations.min(self.times));
            }
        }
        self.program.templates.push(pieces);
        let op = Op {
            a: u32::from(slot),
            b: self.program.templates.len() as u32 - 1,
            ..control_op(Code::RandomString, number)
        };
        self.emit(op, None);
    }
}

/// Splits a RANDOMSTRING's text at its `[sets]`; the parser has checked that they are closed and not empty.
fn pieces(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.iter().position(|&b| b == b'[') {
        let Some(close) = rest[open..].iter().position(|&b| b == b']').map(|at| open + at) else {
            break;
        };
        if open > 0 {
            pieces.push(Piece::Text(rest[..open].into()));
        }
        if close > open + 1 {
            pieces.push(Piece::OneOf(rest[open + 1..close].into()));
        }
        rest = &rest[close + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.into()));
    }
    pieces
}
