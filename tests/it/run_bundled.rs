//! The load that `rbench N` runs by default.

use crate::scratch::Scratch;
use regex::Regex;
use std::sync::Arc;

#[test]
fn the_bundled_load_runs_as_its_trace_says_and_ends_in_the_classic_line() {
    let scratch = Scratch::in_memory();
    let ran = scratch.rbench(&["2", "--per-client-results"]);
    ran.assert_well();
    let number = r"\d[\d.e+]*";
    let classic = format!("^Throughput {number} MB/sec \\(NB={number} MB/sec  {number} MBit/sec\\)$");
    assert!(Regex::new(&classic).unwrap().is_match(ran.last_line()), "{ran}");
    assert!(ran.stdout.starts_with("2 clients started\n"), "{ran}");
    scratch.assert_clean();
    for (bytes, passes) in ran.per_client() {
        assert_eq!(passes, 1);
        assert!(
            (131_987_000..=133_313_000).contains(&bytes),
            "{bytes} bytes are not 132.65 MB"
        );
    }
}

#[test]
fn every_outcome_of_the_bundled_load_comes_again_in_each_pass_of_each_client() {
    let scratch = Scratch::in_memory();
    let ran = scratch.rbench(&["3", "-t", "4", "--warmup", "0", "--per-client-results"]);
    ran.assert_well();
    assert!(ran.per_client().iter().all(|&(bytes, _)| bytes > 0), "{ran}");
    scratch.assert_clean();
}

#[test]
fn what_is_counted_over_the_elapsed_time_is_the_throughput() {
    let scratch = Scratch::in_memory();
    let text = rbench::bundled::text("client").unwrap();
    let source = rbench::loadfile::Source::new("client", text);
    let file = rbench::loadfile::parse(source, &Default::default()).unwrap();
    let program = rbench::program::compile(&file, Default::default()).unwrap();
    let nothing = r#"Mkdir "\clients\client1\d" NT_STATUS_OK"#;
    let result = scratch.execute(nothing, |plan| {
        plan.programs = vec![Arc::new(program)];
        plan.clients = 2;
    });
    let bytes = (result.bytes_read + result.bytes_written) as f64;
    assert!((bytes / 2.0 / 132.65e6 - 1.0).abs() < 0.005, "{bytes}");
    let throughput = bytes / result.elapsed.as_secs_f64();
    assert!((result.bytes_per_second / throughput - 1.0).abs() < 1e-9);
    assert_eq!((result.outcomes.differed, result.outcomes.skipped), (0, 0));
}
