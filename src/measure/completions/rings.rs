//! The kernel's records of the tracepoints, in rings of this process alone: whatever becomes of the process, nothing of
//! them stays, and nothing in tracefs is changed.

use super::format::{Extent, Tracepoint, tracefs};
use super::tally::{Event, What};
use crate::measure::topology;
use perf_event::data::Record;
use perf_event::events;
use perf_event::{Builder, Clock, SampleFlag, Sampler};
use std::io;

/// What is listened to.
const TRACEPOINTS: [(&str, What); 3] = [
    ("block_rq_issue", What::Issued),
    ("block_rq_requeue", What::Requeued),
    ("block_rq_complete", What::Completed),
];
/// Memory of all rings together, where the bounds of one allow.
const MEMORY: usize = 64 << 20;
/// A record takes about 120 bytes.
const SMALLEST: usize = 64 << 10;
const LARGEST: usize = 1 << 20;

/// A ring of one tracepoint on one processor.
struct Ring {
    sampler: Sampler,
    tracepoint: Tracepoint,
    what: What,
}

/// The rings of all processors.
pub(super) struct Rings {
    rings: Vec<Ring>,
    /// As [`Extent::device`].
    devices: Vec<u64>,
}

impl Rings {
    /// How many descriptors they take.
    pub(super) fn descriptors() -> u64 {
        (topology::online().len() * TRACEPOINTS.len()) as u64
    }

    /// Starts to listen to requests of some devices.
    ///
    /// # Errors
    /// Says why not, and what to do.
    pub(super) fn open(devices: Vec<u64>) -> Result<Rings, String> {
        let tracefs = tracefs().map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => "the kernel's tracepoints may not be read: run as root".to_owned(),
            _ => "the kernel's tracepoints are not there: mount -t tracefs tracefs /sys/kernel/tracing (as root)"
                .to_owned(),
        })?;
        let processors = topology::online();
        let size = MEMORY / (processors.len() * TRACEPOINTS.len()).max(1);
        let size = size.clamp(SMALLEST, LARGEST);
        let mut rings = Vec::new();
        for (name, what) in TRACEPOINTS {
            let tracepoint = Tracepoint::read(&tracefs, name)
                .map_err(|error| format!("the tracepoint {name} cannot be read ({error}): run as root"))?;
            for &processor in &processors {
                let sampler = ring(&tracepoint, processor, size).map_err(|error| {
                    format!(
                        "perf_event_open of {name} on processor {processor}: {error}; run as root, or with \
                         CAP_PERFMON and a higher `ulimit -n`"
                    )
                })?;
                rings.push(Ring {
                    sampler,
                    tracepoint,
                    what,
                });
            }
        }
        Ok(Rings { rings, devices })
    }

    /// Takes what has come since the last look, in no order; answers how many records the kernel had no place for.
    pub(super) fn read(&mut self, events: &mut Vec<Event>) -> u64 {
        let mut lost = 0;
        let devices = &self.devices;
        for Ring {
            sampler,
            tracepoint,
            what,
        } in &mut self.rings
        {
            while let Some(record) = sampler.next_record() {
                match record.parse_record() {
                    Ok(Record::Sample(sample)) => {
                        let (Some(time), Some(processor), Some(raw)) =
                            (sample.time(), sample.cpu(), sample.raw())
                        else {
                            lost += 1;
                            continue;
                        };
                        let extent = tracepoint.extent(raw);
                        let of_ours = |extent: &Extent| devices.contains(&extent.device);
                        if let Some(extent) = extent.filter(of_ours) {
                            events.push(Event {
                                time,
                                processor,
                                what: *what,
                                extent,
                            });
                        }
                    }
                    Ok(Record::Lost(told)) => lost += told.lost,
                    Ok(_) => {}
                    Err(_) => lost += 1,
                }
            }
        }
        lost
    }
}

/// Listens to one tracepoint on one processor, whoever runs there.
fn ring(tracepoint: &Tracepoint, processor: u32, size: usize) -> io::Result<Sampler> {
    let mut builder = Builder::new(events::Tracepoint::with_id(tracepoint.id));
    builder
        .any_pid()
        .one_cpu(processor as usize)
        .include_kernel()
        .sample_period(1)
        .sample(SampleFlag::TIME)
        .sample(SampleFlag::CPU)
        .sample(SampleFlag::RAW)
        .clockid(Clock::MONOTONIC)
        .enabled(true);
    builder.build()?.sampled(size)
}
