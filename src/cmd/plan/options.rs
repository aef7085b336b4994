//! The options that a result keeps, for comparisons.

use crate::cli::{BackendName, RunArgs};
use crate::program::CompileOptions;
use crate::replay::pace::Pacing;
use crate::replay::{DataKind, OnMismatch, Settings};
use crate::result::RunOptions;
use crate::run::Pin;

/// The options that a comparison looks at.
pub fn run_options(args: &RunArgs, settings: &Settings, compile: CompileOptions) -> RunOptions {
    let (rate, scale) = match settings.pacing {
        Pacing::Rate { bytes_per_second } => (Some(bytes_per_second), None),
        Pacing::Timestamps { scale } => (None, Some(scale)),
        Pacing::None => (None, None),
    };
    let backend = match args.backend {
        BackendName::FileIo => "fileio",
        BackendName::Null => "null",
    };
    let on_mismatch = match args.on_mismatch {
        OnMismatch::Report => "report",
        OnMismatch::Stop => "stop",
        OnMismatch::Ignore => "ignore",
    };
    let data = match args.data {
        DataKind::Zeros => "zeros",
        DataKind::Random => "random",
    };
    RunOptions {
        backend: backend.to_owned(),
        time_limit: settings.time_limit,
        warmup_auto: settings.warmup_auto,
        warmup: settings.warmup,
        run_once: args.run_once,
        loops: settings.loops,
        target_bytes_per_second: rate,
        time_scale: scale,
        sync_open: args.sync,
        sync_dir: args.sync_dir,
        fsync: args.fsync,
        xattr: args.xattr,
        resolve: compile.resolve,
        stat_check: args.stat_check,
        one_byte_write_fix: args.one_byte_write_fix,
        fake_io: args.fake_io,
        trunc_io_bytes: compile.trunc_io.map(u64::from),
        flush_fsync: compile.flush_fsync,
        slice: compile.slice,
        skip_cleanup: args.skip_cleanup,
        on_mismatch: on_mismatch.to_owned(),
        data: data.to_owned(),
        verify: args.verify,
        final_sync: args.final_sync,
        direct: args.direct,
        pin: (args.pin != Pin::None).then(|| args.pin.to_string()),
        probe: args.probe,
        probe_think: args.probe.then_some(args.probe_think.0),
        seed: args.seed,
        set: args.read.set.iter().cloned().collect(),
    }
}
