//! One look at everything.

use super::device_counts::{DeviceCounts, DeviceSource, under};
use super::kernel_threads::KernelThreads;
use super::machine::Machine;
use super::memory::{MEMINFO, Memory, Paging};
use super::pressure::PressureSources;
use super::source::Source;
use super::used::Used;
use super::vmstat::State;
use crate::measure::counters::Pressure;
use std::os::fd::BorrowedFd;

/// The files that are read.
#[derive(Debug)]
pub struct Sources {
    stat: Source,
    meminfo: Source,
    vmstat: Source,
    pressure: PressureSources,
    devices: Vec<DeviceSource>,
    buffer: Vec<u8>,
}

/// What they said at one time, counted since boot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    pub machine: Option<Machine>,
    pub memory: Memory,
    /// Read only where it is wanted.
    pub paging: Option<Paging>,
    pub pressure: Option<Pressure>,
    /// The device under the directory, where there is one.
    pub device: Option<DeviceCounts>,
    /// What it is made of. Read only where it is wanted.
    pub below: Vec<Option<DeviceCounts>>,
}

/// What was read at the start or the end of the window.
#[derive(Debug)]
pub struct Boundary {
    pub reading: Reading,
    pub used: Option<Used>,
    pub kernel_threads: Option<KernelThreads>,
}

impl Reading {
    /// What a line of vmstat is made of.
    pub fn state(&self) -> Option<State> {
        Some(State {
            machine: self.machine.clone()?,
            memory: self.memory,
            paging: self.paging?,
        })
    }
}

impl Sources {
    pub fn open(directory: BorrowedFd<'_>) -> Sources {
        Sources {
            stat: Source::open("/proc/stat"),
            meminfo: Source::open(MEMINFO),
            vmstat: Source::open("/proc/vmstat"),
            pressure: PressureSources::open(),
            devices: under(directory),
            buffer: Vec::new(),
        }
    }

    fn machine(&mut self) -> Option<Machine> {
        Machine::parse(self.stat.read(&mut self.buffer)?)
    }

    fn memory(&mut self) -> Memory {
        self.meminfo
            .read(&mut self.buffer)
            .map_or_else(Memory::default, Memory::parse)
    }

    fn paging(&mut self) -> Option<Paging> {
        Paging::parse(self.vmstat.read(&mut self.buffer)?)
    }

    /// What a line of vmstat is made of.
    pub fn read_state(&mut self) -> Option<State> {
        Some(State {
            machine: self.machine()?,
            memory: self.memory(),
            paging: self.paging()?,
        })
    }

    /// What a sample is made of, and a line of vmstat too if that is wanted.
    pub fn read_sample(&mut self, with_state: bool) -> Reading {
        Reading {
            machine: self.machine(),
            memory: self.memory(),
            paging: if with_state { self.paging() } else { None },
            pressure: self.pressure.read(&mut self.buffer),
            device: self
                .devices
                .first()
                .and_then(|device| device.read(&mut self.buffer)),
            below: Vec::new(),
        }
    }

    /// Everything.
    pub fn read_boundary(&mut self) -> Boundary {
        // Its own time first: what the readings take is not the replay's.
        let used = Used::now();
        let mut reading = self.read_sample(true);
        let below = self.devices.iter().skip(1);
        reading.below = below.map(|device| device.read(&mut self.buffer)).collect();
        Boundary {
            reading,
            used,
            kernel_threads: KernelThreads::read(),
        }
    }
}
