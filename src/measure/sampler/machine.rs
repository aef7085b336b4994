//! The machine's processors and tasks: /proc/stat (proc(5)).

/// Processor time since boot, in ticks (sysconf's CLK_TCK, as a rule 100 a second). Guests' time is part of user and
/// nice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessorTimes {
    pub user: u64,
    pub nice: u64,
    pub system: u64,
    pub idle: u64,
    /// Idle, while a task that last ran there waits for a disk.
    pub wait: u64,
    pub interrupts: u64,
    pub soft_interrupts: u64,
    /// Wanted, but taken by the hypervisor.
    pub stolen: u64,
}

/// What /proc/stat says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Machine {
    pub all: ProcessorTimes,
    /// By number; a processor that is offline is not there.
    pub each: Vec<(u32, ProcessorTimes)>,
    pub interrupts: Option<u64>,
    pub context_switches: Option<u64>,
    pub running: Option<u64>,
    pub blocked: Option<u64>,
}

/// A count that no clock has come to. Below it, sums and percents of counts are far from what a number can hold.
const TOO_MANY_TICKS: u64 = 1 << 52;

impl ProcessorTimes {
    fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Option<ProcessorTimes> {
        let mut numbers = [0; 8];
        let mut count = 0;
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = word.parse().ok().filter(|&ticks| ticks < TOO_MANY_TICKS)?;
            count += 1;
        }
        // What came later than Linux 2.4 (wait, interrupts, stolen) may be missing.
        (count >= 4).then_some(ProcessorTimes {
            user: numbers[0],
            nice: numbers[1],
            system: numbers[2],
            idle: numbers[3],
            wait: numbers[4],
            interrupts: numbers[5],
            soft_interrupts: numbers[6],
            stolen: numbers[7],
        })
    }

    /// Time from an earlier reading to this. The kernel's idle and wait now and then go back a little.
    pub fn since(&self, earlier: &ProcessorTimes) -> ProcessorTimes {
        ProcessorTimes {
            user: self.user.saturating_sub(earlier.user),
            nice: self.nice.saturating_sub(earlier.nice),
            system: self.system.saturating_sub(earlier.system),
            idle: self.idle.saturating_sub(earlier.idle),
            wait: self.wait.saturating_sub(earlier.wait),
            interrupts: self.interrupts.saturating_sub(earlier.interrupts),
            soft_interrupts: self.soft_interrupts.saturating_sub(earlier.soft_interrupts),
            stolen: self.stolen.saturating_sub(earlier.stolen),
        }
    }

    /// All ticks, whatever the time was used for.
    pub fn total(&self) -> u64 {
        self.busy_ticks() + self.idle + self.wait
    }

    fn busy_ticks(&self) -> u64 {
        let ProcessorTimes {
            user,
            nice,
            system,
            interrupts,
            soft_interrupts,
            stolen,
            idle: _,
            wait: _,
        } = self;
        user + nice + system + interrupts + soft_interrupts + stolen
    }

    /// Share that was not idle, 0 to 1; what the hypervisor took counts as busy. None where no time has passed.
    pub fn busy(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.busy_ticks() as f64 / total as f64)
    }
}

impl Machine {
    /// Reads /proc/stat now; None where it cannot be read.
    pub fn now() -> Option<Machine> {
        Machine::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// Reads the text of /proc/stat; None where it has no line for the processors.
    pub fn parse(text: &str) -> Option<Machine> {
        let mut machine = Machine::default();
        let mut all = None;
        for line in text.lines() {
            // The line of interrupts can have thousands of numbers: only the first, their sum, is wanted.
            let mut words = line.split_ascii_whitespace();
            let Some(name) = words.next() else { continue };
            let mut number = || words.next().and_then(|word| word.parse().ok());
            match name {
                "cpu" => all = ProcessorTimes::parse(words),
                "intr" => machine.interrupts = number(),
                "ctxt" => machine.context_switches = number(),
                "procs_running" => machine.running = number(),
                "procs_blocked" => machine.blocked = number(),
                _ => {
                    let processor = name.strip_prefix("cpu").and_then(|digits| digits.parse().ok());
                    let times = processor.and_then(|number| Some((number, ProcessorTimes::parse(words)?)));
                    machine.each.extend(times);
                }
            }
        }
        machine.all = all?;
        Some(machine)
    }

    /// Busy share of each processor since an earlier reading, of those that were there then and are now.
    pub fn each_busy_since(&self, earlier: &Machine) -> Vec<f64> {
        let busy = |&(number, times): &(u32, ProcessorTimes)| {
            let before = earlier.each.iter().find(|(other, _)| *other == number)?;
            times.since(&before.1).busy()
        };
        self.each.iter().filter_map(busy).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "\
cpu  100 10 200 1000 50 5 6 7 30 0
cpu0 60 10 120 400 20 5 0 7 30 0
cpu3 40 0 80 600 30 0 6 0 0 0
intr 5000 0 1 2 3
ctxt 7000
btime 1796050873
processes 15761
procs_running 3
procs_blocked 1
softirq 384253 0 38232";

    fn stat() -> Machine {
        Machine::parse(STAT).unwrap()
    }

    #[test]
    fn each_field_of_proc_stat_is_where_proc_5_says() {
        let machine = stat();
        let all = ProcessorTimes {
            user: 100,
            nice: 10,
            system: 200,
            idle: 1000,
            wait: 50,
            interrupts: 5,
            soft_interrupts: 6,
            stolen: 7,
        };
        assert_eq!(machine.all, all);
        let numbers: Vec<_> = machine.each.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 3]);
        assert_eq!(
            (machine.interrupts, machine.context_switches),
            (Some(5000), Some(7000))
        );
        assert_eq!((machine.running, machine.blocked), (Some(3), Some(1)));
    }

    #[test]
    fn waiting_for_a_disk_is_idle_and_stolen_time_is_not() {
        let times = ProcessorTimes {
            user: 20,
            wait: 30,
            stolen: 10,
            idle: 40,
            ..ProcessorTimes::default()
        };
        assert_eq!(times.busy(), Some(0.3));
        assert_eq!(ProcessorTimes::default().busy(), None);
    }

    #[test]
    fn a_processor_that_came_or_went_has_no_share_and_a_counter_that_went_back_is_no_time() {
        let (mut earlier, mut now) = (stat(), stat());
        now.each[0].1.user += 25;
        now.each[0].1.idle += 75;
        now.each[0].1.wait -= 1;
        earlier.each[1].0 = 2;
        assert_eq!(now.each_busy_since(&earlier), [0.25]);
    }

    #[test]
    fn odd_texts_are_absent_or_lack_what_they_do_not_say() {
        for text in [
            "",
            "nonsense",
            "cpu",
            "cpu 1 2 3",
            "cpu 1 2 3 18446744073709551615",
            "cpu a b c d",
            "intr 5\nctxt 6",
            "cpux 1 2 3 4",
        ] {
            assert_eq!(Machine::parse(text), None, "{text:?}");
        }
        let old = Machine::parse("cpu 1 2 3 4\nintr\nctxt x\ncpu0 1\n\ncpu99999999999 1 2 3 4").unwrap();
        assert_eq!((old.all.idle, old.all.stolen), (4, 0));
        assert_eq!(
            (old.interrupts, old.context_switches, old.running),
            (None, None, None)
        );
        assert_eq!(old.each, []);
    }
}
