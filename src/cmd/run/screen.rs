//! What a run shows while it goes on.

use super::super::print;
use crate::measure::Tick;
use crate::report::{ReportOptions, Style, started, tick};
use crate::run::View;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};

/// What is seen while it runs: dbench's lines on stdout, or a bar on a terminal's stderr.
pub struct Screen {
    options: ReportOptions,
    /// Standard output is a result's, and nothing else may be there.
    silent: bool,
    bar: Option<ProgressBar>,
}

impl Screen {
    /// `silent`: standard output belongs to a result.
    pub fn new(options: ReportOptions, silent: bool) -> Screen {
        Screen {
            options,
            silent,
            bar: None,
        }
    }

    /// Takes away what would be in the way of what follows.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl View for Screen {
    fn started(&mut self, clients: u32, expected: Option<u64>) {
        if self.options.style != Style::Dbench1 || self.options.machine_readable {
            return;
        }
        if !self.silent {
            // A closed pipe is noticed at the next line.
            let _ = print(&started(clients));
        }
        let Some(expected) = expected.filter(|_| io::stderr().is_terminal()) else {
            return;
        };
        let template = "{bar:40} {percent:>3} %  {per_sec}  {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = Some(ProgressBar::new(expected).with_style(style));
    }

    fn tick(&mut self, now: &Tick, operations: u64) -> io::Result<()> {
        if let Some(bar) = &self.bar {
            if operations > 0 {
                bar.set_position(operations);
            }
            return Ok(());
        }
        match tick(now, &self.options) {
            Some(line) if !self.silent => print(&line),
            _ => Ok(()),
        }
    }
}
