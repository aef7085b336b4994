use super::marker::{Draft, Lock, Marker, State};
use super::*;
use std::sync::Barrier;

fn marker() -> Marker {
    Marker::of_this_process("rbench 4 -D /mnt\n-t 60")
}

#[test]
fn a_marker_is_read_as_it_was_written_and_a_part_of_one_is_none() {
    let scratch = tempfile::tempdir().unwrap();
    let clients = File::open(scratch.path()).unwrap();
    for state in [State::Running, State::Kept] {
        let written = Marker { state, ..marker() };
        let draft = Draft::write(clients.as_fd(), &written).unwrap();
        draft.replace(clients.as_fd()).unwrap();
        let text = std::fs::read(scratch.path().join(".rbench")).unwrap();
        assert_eq!(Marker::parse(&text), Some(written));
        for length in 0..text.len() {
            assert_eq!(Marker::parse(&text[..length]), None);
        }
    }
    assert_eq!(Marker::parse(b"rbench marker 1\nstate running\npid x\n"), None);
    assert_eq!(Marker::parse(&[0xff; 100]), None);
}

#[test]
fn this_process_lives_and_one_that_started_at_another_time_does_not() {
    assert!(marker().writer_lives());
    let other = Marker {
        process: Some(1),
        ..marker()
    };
    assert!(!other.writer_lives());
}

#[test]
fn of_markers_published_at_the_same_moment_one_wins_and_no_draft_stays() {
    for _ in 0..50 {
        let scratch = tempfile::tempdir().unwrap();
        let clients = File::open(scratch.path()).unwrap();
        let start = Barrier::new(4);
        let results: Vec<_> = std::thread::scope(|scope| {
            let publish = || {
                let draft = Draft::write(clients.as_fd(), &marker()).unwrap();
                start.wait();
                draft.publish_first(clients.as_fd(), &marker())
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(publish)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let won: Vec<_> = results.iter().filter(|result| result.is_ok()).collect();
        assert_eq!(won.len(), 1, "{results:?}");
        assert_eq!(won[0].as_ref().unwrap().1, Lock::Held);
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    }
}
