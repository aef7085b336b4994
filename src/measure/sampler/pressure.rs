//! Time in which tasks were stalled: /proc/pressure (Documentation/accounting/psi.rst). It is the machine's, in a
//! container too.

use super::source::Source;
use crate::measure::counters::Pressure;
use std::time::Duration;

/// The three files, kept open.
#[derive(Debug)]
pub struct PressureSources {
    cpu: Source,
    memory: Source,
    io: Source,
}

impl PressureSources {
    pub fn open() -> PressureSources {
        PressureSources {
            cpu: Source::open("/proc/pressure/cpu"),
            memory: Source::open("/proc/pressure/memory"),
            io: Source::open("/proc/pressure/io"),
        }
    }

    /// Stalled time since boot; absent where the kernel does not tell.
    pub fn read(&self, buffer: &mut Vec<u8>) -> Option<Pressure> {
        let cpu_some = stalled(self.cpu.read(buffer)?, "some")?;
        let memory = self.memory.read(buffer)?;
        let (memory_some, memory_full) = (stalled(memory, "some")?, stalled(memory, "full")?);
        let io = self.io.read(buffer)?;
        Some(Pressure {
            cpu_some,
            memory_some,
            memory_full,
            io_some: stalled(io, "some")?,
            io_full: stalled(io, "full")?,
        })
    }
}

/// The total of the line that begins with `who` (`some`, `full`).
fn stalled(text: &str, who: &str) -> Option<Duration> {
    let line = text.lines().find_map(|line| line.strip_prefix(who))?;
    let mut words = line.split_ascii_whitespace();
    let total = words.find_map(|word| word.strip_prefix("total="))?;
    Some(Duration::from_micros(total.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_each_line_is_in_microseconds() {
        let text = "some avg10=43.46 avg60=32.07 avg300=10.13 total=49963763\n\
                    full avg10=0.00 avg60=0.00 avg300=0.00 total=17\n";
        assert_eq!(stalled(text, "some"), Some(Duration::from_micros(49_963_763)));
        assert_eq!(stalled(text, "full"), Some(Duration::from_micros(17)));
    }

    #[test]
    fn odd_texts_are_absent() {
        for text in [
            "",
            "some",
            "some total",
            "some total=",
            "some total=-1",
            "full total=1",
            "som total=1",
        ] {
            assert_eq!(stalled(text, "some"), None, "{text:?}");
        }
    }
}
