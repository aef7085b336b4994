//! Kernel settings of a sweep: checked before its first cell, set for each, put back at the end.

use super::super::Failure;
use crate::result::{AxisKind, Coordinate, Warning};
use crate::sweep::Grid;

/// What a sweep changes of the system.
#[derive(Debug)]
pub struct Settings {}

impl Settings {
    /// Checks the settings of a grid, and sees to it that they are put back however this process ends.
    ///
    /// # Errors
    /// A setting is not there, cannot be written, or does not take one of its values (exit 2).
    pub fn of(grid: &Grid) -> Result<Settings, Failure> {
        let any = grid
            .axes()
            .iter()
            .any(|axis| matches!(axis.kind, AxisKind::Sysctl(_) | AxisKind::Sysfs(_)));
        if any {
            return Err(Failure::usage(anyhow::anyhow!("settings are not there yet")));
        }
        Ok(Settings {})
    }

    /// Sets what a cell says.
    ///
    /// # Errors
    /// What was refused, in words.
    pub fn set(&mut self, _coordinates: &[Coordinate]) -> Result<(), String> {
        Ok(())
    }

    /// What there is to doubt about the settings as they are now.
    pub fn doubts(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// What could not be put back.
    pub fn restore(self) -> Result<(), Failure> {
        Ok(())
    }
}
