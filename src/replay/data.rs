//! What writes write: made once before the run, shared by all clients, only read.

use crate::program::Program;

/// Zeros, and the texts of WRITEPATTERN repeated, each as long as the program's largest write.
#[derive(Debug)]
pub struct WriteData {
    patterns: Vec<Box<[u8]>>,
}

/// The pattern in force before any WRITEPATTERN.
pub const ZEROS: usize = 0;

impl WriteData {
    pub fn new(program: &Program) -> WriteData {
        let length = program.max_write as usize;
        let mut patterns = vec![vec![0; length].into_boxed_slice()];
        for text in &program.patterns {
            let repeated = text.iter().copied().cycle().take(length).collect();
            patterns.push(repeated);
        }
        WriteData { patterns }
    }

    pub fn zeros(&self) -> &[u8] {
        self.pattern(ZEROS)
    }

    /// Data of pattern number `index`: 0 is zeros, then the program's patterns.
    #[inline(always)]
    pub fn pattern(&self, index: usize) -> &[u8] {
        &self.patterns[index]
    }
}
