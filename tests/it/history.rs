//! `rbench history check`: nights, judged.

mod agreeing;
mod drop;
mod fresh;

use crate::sample_result::full;
use crate::scratch::{Ran, Scratch};
use crate::store::{lines, run};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rbench::compare::Gate;
use rbench::history::{CheckSettings, Checked, check};
use rbench::result::{Environment, RunResult};
use rbench::store::Store;
use std::sync::LazyLock;

/// Noise that is the same each time.
pub(crate) struct Noise(ChaCha8Rng);

impl Noise {
    pub(crate) fn new(seed: u64) -> Noise {
        Noise(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Normal, around 0 (Box and Muller).
    fn normal(&mut self, deviation: f64) -> f64 {
        let mut uniform = || (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (one, other) = (1.0 - uniform(), uniform());
        deviation * (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    }
}

/// How many runs a night has.
const RUNS: u32 = 5;

/// The date of a night, by its number.
fn date(night: i64) -> String {
    let first = run(0).info.started_at;
    let at = first + jiff::SignedDuration::from_hours(24 * night);
    at.strftime("%Y-%m-%d").to_string()
}

/// A run of a night; both throughput and operations lie at so many times their level.
fn one(night: i64, number: u32, factor: f64) -> RunResult {
    let mut one = run(24 * night);
    one.info.started_at += jiff::SignedDuration::from_mins(number.into());
    one.info.run_number = number;
    one.info.runs = RUNS;
    one.bytes_per_second *= factor;
    for client in &mut one.per_client {
        // So many that no two nights are tied.
        client.operations = (client.operations as f64 * 1e4 * factor).round() as u64;
    }
    static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| full().environment);
    one.environment = ENVIRONMENT.clone();
    one
}

/// The runs of nights: night-to-night noise of 1 %, run-to-run noise of 3 %, and the level of each night.
pub(crate) fn nights(
    noise: &mut Noise,
    nights: std::ops::Range<i64>,
    level: impl Fn(i64) -> f64,
) -> Vec<RunResult> {
    let mut runs = Vec::new();
    for night in nights {
        let of_night = level(night) * noise.normal(0.01).exp();
        for number in 1..=RUNS {
            runs.push(one(night, number, of_night * noise.normal(0.03).exp()));
        }
    }
    runs
}

/// A store into which these runs were imported.
pub(crate) fn imported(runs: &[RunResult]) -> Scratch {
    let scratch = Scratch::new();
    add(&scratch, runs);
    scratch
}

fn add(scratch: &Scratch, runs: &[RunResult]) {
    scratch.write("runs.jsonl", &lines(runs));
    scratch
        .rbench(&["history", "--store", "s.db", "import", "runs.jsonl"])
        .assert_well();
}

fn checked(scratch: &Scratch, arguments: &[&str]) -> Ran {
    scratch.rbench(&[&["history", "--store", "s.db", "check"], arguments].concat())
}

/// A night as the library judges it.
fn judged(store: &Store, night: &str) -> Checked {
    let gate = Gate::default();
    let settings = CheckSettings {
        gate: &gate,
        floor: None,
        force: false,
        night: Some(night),
        cell: None,
    };
    check(store, &settings).unwrap().unwrap()
}
