//! What only disturbs: it should agree between runs that are compared, and is warned of where it does not.

use super::property::{Property, Tolerance};
use crate::result::{ContainerLimits, Environment, Nuisance, RunResult};
use std::collections::BTreeMap;

/// Memory as kernels tell it: what they keep for themselves differs.
const MEMORY: Tolerance = Tolerance::Share(0.01);
/// How much fuller one file system may be: a tenth of it.
const FILL: Tolerance = Tolerance::Distance(0.10);
/// How much more of the time tasks may have waited, in percent of the 10 s before and after a run.
const PRESSURE: Tolerance = Tolerance::Distance(10.0);
/// How much greater the load average may be for each processor, and at the least.
const LOAD_A_PROCESSOR: f64 = 0.25;
const LOAD: f64 = 0.5;

/// Of a run: what stays as it is from run to run.
pub(super) fn nuisance(run: &RunResult) -> Vec<Property> {
    run.environment.as_ref().map(of_machine).unwrap_or_default()
}

/// Of a run: what is another one with each. Of several runs, the median counts.
pub(super) fn moment(run: &RunResult) -> Vec<Property> {
    let environment = run.environment.as_ref();
    environment
        .map(|environment| of_moment(&environment.nuisance))
        .unwrap_or_default()
}

/// Each difference counts. All fields of [`Nuisance`] stand in this function or in
/// [`of_moment`] by name, so that a new one cannot be forgotten.
fn of_machine(environment: &Environment) -> Vec<Property> {
    let Nuisance {
        cpu_model,
        processors_online,
        cpu_governor,
        smt,
        mitigations,
        numa_nodes,
        memory_bytes,
        swap_bytes,
        transparent_hugepages,
        sysctls,
        queue,
        fill_level: _,
        load_average_before: _,
        load_average_after: _,
        pressure_before: _,
        pressure_after: _,
        container,
        virtual_machine,
        taint,
    } = &environment.nuisance;
    let mut all = Vec::new();
    let mut text = |name: &str, text: Option<String>| {
        all.extend(text.map(|text| Property::text(name, text)));
    };
    text("processor", cpu_model.clone());
    text(
        "processors online",
        processors_online.map(|count| count.to_string()),
    );
    text("governor", cpu_governor.clone());
    text("SMT", smt.clone());
    text("NUMA nodes", numa_nodes.map(|count| count.to_string()));
    text("transparent huge pages", transparent_hugepages.clone());
    text(
        "virtual machine",
        Some(virtual_machine.clone().unwrap_or("none".into())),
    );
    text("taint of the kernel", taint.map(|flags| flags.to_string()));
    let rotational = environment
        .identity
        .devices
        .first()
        .and_then(|device| device.rotational);
    text(
        "rotational",
        rotational.map(|yes| if yes { "yes" } else { "no" }.to_owned()),
    );
    all.extend(settings("mitigations", mitigations));
    all.extend(settings("sysctls", sysctls));
    all.extend(settings("queue of the device", queue));
    all.push(Property::items(
        "limits of the container",
        limits(container.as_ref()),
    ));
    let mut size = |name: &str, bytes: Option<u64>| {
        all.extend(bytes.map(|bytes| {
            Property::amount(
                name,
                bytes as f64,
                MEMORY,
                format!("{:.1} GB", bytes as f64 / 1e9),
            )
        }));
    };
    size("memory", *memory_bytes);
    size("swap", *swap_bytes);
    let file_system = environment.identity.file_system.as_ref();
    size(
        "size of the file system",
        file_system.and_then(|of| of.size_bytes),
    );
    all
}

/// A map that is empty was not found out.
fn settings(name: &str, settings: &BTreeMap<String, String>) -> Option<Property> {
    let items = settings.iter().map(|(name, value)| format!("{name}={value}"));
    (!settings.is_empty()).then(|| Property::items(name, items))
}

fn limits(container: Option<&ContainerLimits>) -> Vec<String> {
    let Some(ContainerLimits {
        memory_bytes,
        processors,
        io,
    }) = container
    else {
        return Vec::new();
    };
    let memory = memory_bytes.map(|bytes| format!("{:.1} GB of memory", bytes as f64 / 1e9));
    let processors = processors.map(|count| format!("{count} processors"));
    memory
        .into_iter()
        .chain(processors)
        .chain(io.iter().cloned())
        .collect()
}

fn of_moment(nuisance: &Nuisance) -> Vec<Property> {
    let Nuisance {
        processors_online,
        fill_level,
        load_average_before,
        load_average_after,
        pressure_before,
        pressure_after,
        ..
    } = nuisance;
    let processors = processors_online.unwrap_or(1) as f64;
    let load = Tolerance::Distance((LOAD_A_PROCESSOR * processors).max(LOAD));
    let mut all = Vec::new();
    all.extend(fill_level.map(|share| {
        let shown = format!("{:.0} %", share * 100.0);
        Property::amount("fill level of the file system", share, FILL, shown)
    }));
    for (moment, average) in [("before", load_average_before), ("after", load_average_after)] {
        all.extend(average.map(|average| {
            let shown = format!("{average:.1}");
            Property::amount(format!("load average {moment} the run"), average, load, shown)
        }));
    }
    for (moment, pressure) in [("before", pressure_before), ("after", pressure_after)] {
        for (resource, &percent) in pressure {
            let name = format!("pressure on {resource} {moment} the run");
            all.push(Property::amount(
                name,
                percent,
                PRESSURE,
                format!("{percent:.0} %"),
            ));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_many_processors_may_have_a_greater_load() {
        let of = |processors| Nuisance {
            processors_online: Some(processors),
            load_average_before: Some(3.0),
            ..Nuisance::default()
        };
        let agrees = |nuisance: &Nuisance| {
            let quiet = Nuisance {
                load_average_before: Some(1.0),
                ..nuisance.clone()
            };
            of_moment(nuisance)[0].value.agrees(&of_moment(&quiet)[0].value)
        };
        assert!(agrees(&of(16)));
        assert!(!agrees(&of(2)));
    }
}
