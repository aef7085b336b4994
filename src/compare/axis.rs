//! What comparisons vary.

use super::property::Property;
use crate::result::{Axis, RunResult};

/// Of a run.
pub(super) fn axis(run: &RunResult) -> Vec<Property> {
    let mut all = Vec::new();
    let mut text = |name: &str, text: Option<&String>| {
        all.extend(text.map(|text| Property::text(name, text)));
    };
    let info = &run.info;
    text("label", info.label.as_ref());
    text("rbench", Some(&info.rbench_version));
    if let Some(environment) = &run.environment {
        let Axis {
            kernel_release,
            kernel_version,
            kernel_command_line,
        } = &environment.axis;
        text("kernel", kernel_release.as_ref());
        text("kernel's version", kernel_version.as_ref());
        let words = kernel_command_line
            .iter()
            .flat_map(|line| line.split_whitespace());
        let words: Vec<String> = words.map(str::to_owned).collect();
        if kernel_command_line.is_some() {
            all.push(Property::items("kernel's command line", words));
        }
    }
    // What a side of a campaign is, is said when it is started.
    all.extend(info.turn.as_ref().map(|turn| {
        let is_empty = turn.what.trim().is_empty();
        Property::text(WHAT, if is_empty { "none" } else { &turn.what })
    }));
    all
}

/// The name of what a side of a campaign is.
pub(super) const WHAT: &str = "options and command of the side";
