//! `rbench man` and `rbench completions`.

use crate::scratch::Scratch;
use clap::CommandFactory;
use rbench::cli::Cli;

#[test]
fn there_is_a_manual_page_for_each_command_and_it_names_every_option() {
    let scratch = Scratch::new();
    scratch.rbench(&["man", "pages/man1"]).assert_well();
    let mut command = Cli::command();
    command.build();
    let mut commands: Vec<&clap::Command> = command.get_subcommands().collect();
    commands.retain(|command| command.get_name() != "help");
    assert!(commands.len() > 5);
    for one in commands.into_iter().chain([&command]) {
        let page = match one.get_name() {
            "rbench" => "rbench.1".to_owned(),
            name => format!("rbench-{name}.1"),
        };
        let text = std::fs::read_to_string(scratch.path().join("pages/man1").join(&page)).unwrap();
        for argument in one.get_arguments().filter_map(|argument| argument.get_long()) {
            let option = format!("--{argument}").replace('-', "\\-");
            assert!(text.contains(&option), "{page} does not name {option}");
        }
    }
}

#[test]
fn pages_that_cannot_be_written_are_told_with_their_place() {
    let scratch = Scratch::new();
    scratch.write("file", "");
    scratch
        .rbench(&["man", "file/man1"])
        .assert_code(1)
        .assert_says("file/man1: the manual pages cannot be written");
}

#[test]
fn every_shell_has_completions_that_know_the_options_and_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Scratch::new().rbench(&["completions", shell]);
        ran.assert_well();
        for word in ["final-sync", "skip-cleanup", "completions", "convert"] {
            assert!(ran.stdout.contains(word), "{shell} does not complete {word}");
        }
    }
    Scratch::new()
        .rbench(&["completions", "nosuch"])
        .assert_refused("nosuch");
}

#[test]
fn a_shell_accepts_the_completions() {
    let script = Scratch::new().rbench(&["completions", "bash"]).stdout;
    let output = std::process::Command::new("bash")
        .args(["-n", "-c", &script])
        .output();
    match output {
        Ok(output) => assert!(output.status.success() && output.stderr.is_empty(), "{output:?}"),
        Err(error) => eprintln!("skipped, bash cannot be started: {error}"),
    }
}
