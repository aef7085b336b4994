//! The sweeps that stored results belong to.

use crate::cli::ReportArgs;
use crate::cmd::{Failure, print};
use crate::report::{SweepTable, ratio};
use crate::result::RunResult;
use anyhow::anyhow;

/// The sweeps that results belong to, in the order of their first results; a sweep may be in several files.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    tables: Vec<SweepTable>,
}

impl Sweeps {
    /// Adds a result; answers whether it belongs to a sweep.
    pub(super) fn add(&mut self, result: &RunResult) -> bool {
        if result.info.cell.is_none() {
            return false;
        }
        if !self.tables.iter_mut().any(|table| table.add(result)) {
            let mut table = SweepTable::new();
            table.add(result);
            self.tables.push(table);
        }
        true
    }

    /// Prints a table for each; `after_others`: something stands before them.
    ///
    /// # Errors
    /// A sweep has no such table, or there is no sweep at all and a layout was asked for (exit 2).
    pub(super) fn show(&self, args: &ReportArgs, after_others: bool) -> Result<(), Failure> {
        if let Some(layout) = args.layout.filter(|_| self.tables.is_empty()) {
            return Err(Failure::usage(anyhow!(
                "--layout {layout}: none of the results belongs to a sweep; leave --layout out to show runs"
            )));
        }
        for (index, table) in self.tables.iter().enumerate() {
            let text = table
                .text(args.layout, args.form, args.bystander)
                .map_err(Failure::usage)?;
            let separator = if index > 0 || after_others { "\n" } else { "" };
            print(&format!("{separator}{text}"))?;
        }
        Ok(())
    }

    /// The one sweep of a file.
    ///
    /// # Errors
    /// There is none, or there are several (exit 2).
    fn only(&self, file: &str) -> Result<&SweepTable, Failure> {
        match &self.tables[..] {
            [table] => Ok(table),
            [] => Err(Failure::usage(anyhow!(
                "{file}: --ratio divides sweeps, and this holds none"
            ))),
            several => Err(Failure::usage(anyhow!(
                "{file}: --ratio divides one sweep by another, and this holds {}: keep each in a file of its own",
                several.len()
            ))),
        }
    }
}

/// Prints the ratio of two sweeps: the second's figures over the first's.
///
/// # Errors
/// One is no sweep, or they cannot be divided (exit 2).
pub(super) fn show_ratio(sweeps: &[(String, Sweeps)], args: &ReportArgs) -> Result<(), Failure> {
    let [(base_file, base), (candidate_file, candidate)] = sweeps else {
        return Err(Failure::usage(anyhow!(
            "--ratio needs two files, the base and the candidate, and {} are named",
            sweeps.len()
        )));
    };
    let (base, candidate) = (base.only(base_file)?, candidate.only(candidate_file)?);
    let text = ratio(base, candidate, args.layout, args.form).map_err(Failure::usage)?;
    print(&text)?;
    Ok(())
}
