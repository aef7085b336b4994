//! Kernel settings of a sweep: checked before its first cell, set for each, put back at the end.

use super::super::Failure;
use crate::knob::{Guarded, KnobError, Setting, writeback_doubt};
use crate::result::{AxisKind, Coordinate, Warning};
use crate::sweep::Grid;

/// What a sweep changes of the system. Dropping it puts everything back too.
#[derive(Debug)]
pub struct Settings {
    guarded: Guarded,
}

impl Settings {
    /// Checks that the settings of a grid are there, which takes no privilege and changes nothing.
    ///
    /// # Errors
    /// One cannot be read (exit 2).
    pub fn look(grid: &Grid) -> Result<(), Failure> {
        for axis in grid.axes() {
            if let Some(setting) = setting(&axis.kind).map_err(Failure::usage)? {
                setting.read().map_err(Failure::usage)?;
            }
        }
        Ok(())
    }

    /// Checks the settings of a grid, and sees to it that they are put back however this process ends.
    ///
    /// # Errors
    /// A setting is not there, cannot be written, or does not take one of its values (exit 2).
    pub fn of(grid: &Grid) -> Result<Settings, Failure> {
        let mut wanted = Vec::new();
        for axis in grid.axes() {
            if let Some(setting) = setting(&axis.kind).map_err(Failure::usage)? {
                wanted.push((setting, axis.values.clone()));
            }
        }
        match Guarded::start(&wanted) {
            Ok(guarded) => Ok(Settings { guarded }),
            Err(error @ KnobError::NotBack(_)) => Err(Failure::failed(error)),
            Err(error) => Err(Failure::usage(error)),
        }
    }

    /// Sets what a cell says.
    ///
    /// # Errors
    /// What was refused, in words.
    pub fn set(&mut self, coordinates: &[Coordinate]) -> Result<(), String> {
        let mut wanted = Vec::new();
        for Coordinate { axis, value } in coordinates {
            let setting = setting(axis).map_err(|error| error.to_string())?;
            wanted.extend(setting.map(|setting| (setting, value.as_str())));
        }
        self.guarded.set_all(&wanted).map_err(|error| error.to_string())
    }

    /// What there is to doubt about the settings as they are now.
    pub fn doubts(&self) -> Vec<Warning> {
        writeback_doubt().into_iter().collect()
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// What could not be put back.
    pub fn restore(mut self) -> Result<(), Failure> {
        self.guarded.restore().map_err(Failure::failed)
    }
}

/// The setting that an axis varies, if it varies one.
fn setting(axis: &AxisKind) -> Result<Option<Setting>, KnobError> {
    match axis {
        AxisKind::Sysctl(name) => Setting::sysctl(name).map(Some),
        AxisKind::Sysfs(name) => Setting::sysfs(name).map(Some),
        _ => Ok(None),
    }
}
