//! What a bystander waited for, in files.

use super::histogram::WireHistogram;
use crate::measure::probe::{Activity, ProbeActivity, ProbeResult};
use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
pub(super) struct WireProbe {
    #[serde(rename = "idle_ns", with = "nanos")]
    idle_length: Duration,
    activities: Vec<WireActivity>,
}

#[derive(Serialize, Deserialize)]
struct WireActivity {
    activity: Activity,
    idle: WireHistogram,
    loaded: WireHistogram,
    errors: u64,
}

impl From<&ProbeResult> for WireProbe {
    fn from(probe: &ProbeResult) -> WireProbe {
        let ProbeResult {
            idle_length,
            activities,
        } = probe;
        WireProbe {
            idle_length: *idle_length,
            activities: activities.iter().map(WireActivity::from).collect(),
        }
    }
}

impl From<&ProbeActivity> for WireActivity {
    fn from(one: &ProbeActivity) -> WireActivity {
        let ProbeActivity {
            activity,
            idle,
            loaded,
            errors,
        } = one;
        WireActivity {
            activity: *activity,
            idle: WireHistogram::of(idle),
            loaded: WireHistogram::of(loaded),
            errors: *errors,
        }
    }
}

impl From<WireProbe> for ProbeResult {
    fn from(wire: WireProbe) -> ProbeResult {
        let activity = |one: WireActivity| ProbeActivity {
            activity: one.activity,
            idle: one.idle.histogram,
            loaded: one.loaded.histogram,
            errors: one.errors,
        };
        ProbeResult {
            idle_length: wire.idle_length,
            activities: wire.activities.into_iter().map(activity).collect(),
        }
    }
}
