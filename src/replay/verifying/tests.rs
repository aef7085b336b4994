use super::model::Model;
use super::*;
use crate::loadfile::{ReadOptions, Source, parse};
use crate::program::{CompileOptions, PlaceBuf, compile};
use crate::replay::failing::{Call, Failing, Fault};
use crate::replay::verification::Verification;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const CLIENTS: u32 = 3;
const SLOTS: usize = 3;
const CREATE: i32 = libc::O_RDWR | libc::O_CREAT;

fn program() -> Program {
    let load = "NTCreateX \"/f\" 0x40 0x2 1 NT_STATUS_OK\nReadX 1 0 1 0 NT_STATUS_OK\n";
    let file = parse(Source::new("x.load", load), &ReadOptions::default()).unwrap();
    compile(&file, CompileOptions::default()).unwrap()
}

/// Something that a client does; what the numbers mean depends on the kind.
#[derive(Debug, Clone, Copy)]
struct Action {
    client: usize,
    kind: u8,
    slot: usize,
    name: u8,
    other: u8,
    offset: u64,
    length: usize,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = (
        0..CLIENTS as usize,
        0..17u8,
        0..SLOTS,
        any::<u8>(),
        any::<u8>(),
        0..300u64,
        0..200usize,
    );
    let action = action.prop_map(|(client, kind, slot, name, other, offset, length)| Action {
        client,
        kind,
        slot,
        name,
        other,
        offset,
        length,
    });
    proptest::collection::vec(action, 0..60)
}

/// A few names in the shared tree, and a few of the client's own.
fn place(name: u8) -> PlaceBuf {
    let paths = ["/a", "/b", "/c", r"\clients\client1\a", r"\clients\client1\b"];
    PlaceBuf::of(paths[usize::from(name) % paths.len()].as_bytes(), 0).unwrap()
}

/// A client with its handles.
struct Client<'r> {
    fs: Verifying<'r, Model>,
    handles: [Option<Checked<model::Handle>>; SLOTS],
}

impl<'r> Client<'r> {
    fn new(model: Model, program: &'r Program, ledger: &'r Ledger) -> Client<'r> {
        let client = model.client;
        Client {
            fs: Verifying::new(model, client, program, ledger, None),
            handles: Default::default(),
        }
    }

    fn close(&mut self, slot: usize) {
        if let Some(file) = self.handles[slot].take() {
            self.fs.close(file).unwrap();
        }
    }

    fn open(&mut self, slot: usize, place: Place<'_>, flags: i32) {
        self.close(slot);
        self.handles[slot] = self.fs.open(place, flags, 0o600).ok();
    }

    fn act(&mut self, action: Action) {
        let Action {
            client: _,
            kind,
            slot,
            name,
            other,
            offset,
            length,
        } = action;
        let (first, second) = (place(name), place(other));
        let (first, second) = (first.place(), second.place());
        let fs = &mut self.fs;
        let _ = match (kind, &self.handles[slot]) {
            (0..3, _) => return self.open(slot, first, CREATE),
            (3, _) => return self.open(slot, first, CREATE | libc::O_TRUNC),
            (4, _) => return self.open(slot, first, libc::O_RDWR | libc::O_APPEND),
            (5, _) => return self.close(slot),
            (6, _) => fs.unlink(first),
            (7, _) => fs.rename(first, second),
            (8, _) => fs.link(first, second),
            (9, _) if other < 30 => {
                let root = PlaceBuf::of(br"\clients\client1", 0).unwrap();
                fs.remove_tree(root.place(), true, &mut [])
            }
            (10, _) => {
                fs.inner.disk().limit = (other < 50).then_some(length);
                Ok(())
            }
            (11, Some(file)) => fs.truncate(file, offset),
            (12..15, Some(file)) => fs.write(file, &vec![0; length], offset).map(drop),
            (_, Some(file)) => fs.read(file, &mut vec![0; length], offset).map(drop),
            (_, None) => Ok(()),
        };
    }
}

/// Clients of one model after some actions.
fn after<'r>(actions: &[Action], program: &'r Program, ledger: &'r Ledger) -> Vec<Client<'r>> {
    let disk = Model::new(0).disk;
    let model = |client| Model {
        client,
        disk: disk.clone(),
    };
    let clients = (0..CLIENTS).map(|client| Client::new(model(client), program, ledger));
    let mut clients: Vec<_> = clients.collect();
    for &action in actions {
        clients[action.client].act(action);
    }
    clients
}

/// What is known of a file: which of its bytes this run has written.
fn known(ledger: &Ledger, inode: u64, size: usize) -> Vec<bool> {
    let mut known = vec![false; size];
    if let Some(written) = ledger.get(Identity::new(0, inode)) {
        for stretch in written.reading().within(0..u64::MAX) {
            known[stretch.start as usize..stretch.end as usize].fill(true);
        }
    }
    known
}

proptest! {
    #[test]
    fn a_file_system_that_keeps_what_is_written_never_raises_an_alarm(actions in actions()) {
        let (program, ledger) = (program(), Ledger::default());
        let clients = after(&actions, &program, &ledger);
        drop(clients);
        prop_assert_eq!(ledger.verification().examples, []);
    }

    #[test]
    fn all_bytes_that_were_written_are_known_and_no_others(actions in actions()) {
        let (program, ledger) = (program(), Ledger::default());
        let clients = after(&actions, &program, &ledger);
        let disk = clients[0].fs.inner.disk();
        for &inode in disk.names.values() {
            let written = &disk.files[&inode].written;
            prop_assert_eq!(&known(&ledger, inode, written.len()), written);
        }
    }

    #[test]
    fn a_byte_that_is_changed_in_what_was_written_is_found_when_it_is_read(
        actions in actions(), pick in any::<proptest::sample::Index>(), bits in 1..=255u8, around in (0..100u64, 1..100u64),
    ) {
        let (program, ledger) = (program(), Ledger::default());
        let mut clients = after(&actions, &program, &ledger);
        let disk = clients[0].fs.inner.disk.clone();
        let written: Vec<_> = {
            let disk = disk.lock().unwrap();
            let all = disk.names.iter().filter(|(name, _)| !name.contains('/'));
            all.flat_map(|(name, &inode)| {
                let written = disk.files[&inode].written.iter().enumerate();
                let places: Vec<_> = written.filter(|(_, written)| **written).map(|(at, _)| at as u64).collect();
                places.into_iter().map(move |at| (name.clone(), inode, at))
            })
            .collect()
        };
        prop_assume!(!written.is_empty());
        let (name, inode, at) = &written[pick.index(written.len())];
        clients[0].fs.inner.change(*inode, *at, bits);
        let path = PlaceBuf::of(format!("/{name}").as_bytes(), 0).unwrap();
        let start = at.saturating_sub(around.0);
        let reader = &mut clients[1];
        reader.open(0, path.place(), libc::O_RDWR);
        let mut buffer = vec![0; (at - start + around.1) as usize];
        reader.fs.read(reader.handles[0].as_ref().unwrap(), &mut buffer, start).unwrap();
        let Verification { corrupt_reads, examples, .. } = ledger.verification();
        prop_assert_eq!(corrupt_reads, 1);
        prop_assert_eq!((examples[0].offset, examples[0].client), (*at, 1));
        prop_assert_eq!(&examples[0].path, &format!("shared/{name}"));
        prop_assert_eq!(Some(examples[0].expected_byte ^ bits), examples[0].got_byte);
    }
}

#[test]
fn clients_that_work_on_the_same_files_at_the_same_time_raise_no_alarm() {
    let (program, ledger) = (program(), Ledger::default());
    let disk = Model::new(0).disk;
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (disk, program, ledger) = (disk.clone(), &program, &ledger);
            scope.spawn(move || {
                let mut random = ChaCha8Rng::seed_from_u64(u64::from(client));
                let mut client = Client::new(Model { client, disk }, program, ledger);
                for _ in 0..5000 {
                    let number = random.next_u64();
                    let byte = |at: u32| (number >> (8 * at)) as u8;
                    client.act(Action {
                        client: 0,
                        // No changes of the limit, which is the disk's.
                        kind: [0, 1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16][usize::from(byte(0)) % 15],
                        slot: usize::from(byte(1)) % SLOTS,
                        name: byte(2),
                        other: byte(3),
                        offset: u64::from(byte(4)),
                        length: usize::from(byte(5)),
                    });
                }
            });
        }
    });
    let verification = ledger.verification();
    assert_eq!(verification.examples, []);
    assert!(verification.reads_checked > 100, "{verification:?}");
}

#[test]
fn nothing_is_kept_of_files_that_are_gone() {
    let (program, ledger) = (program(), Ledger::default());
    let mut client = Client::new(Model::new(0), &program, &ledger);
    let (a, b) = (place(0), place(1));
    let write = |client: &mut Client<'_>, slot: usize| {
        let file = client.handles[slot].as_ref().unwrap();
        client.fs.write(file, &[0; 100], 0).unwrap();
    };
    // Removed when closed, when open, and by a rename over it.
    client.open(0, a.place(), CREATE);
    write(&mut client, 0);
    client.close(0);
    client.fs.unlink(a.place()).unwrap();
    assert_eq!(ledger.known(), 0);
    client.open(0, a.place(), CREATE);
    write(&mut client, 0);
    client.fs.unlink(a.place()).unwrap();
    assert_eq!(ledger.known(), 1);
    client.close(0);
    assert_eq!(ledger.known(), 0);
    for (slot, name) in [(0, &a), (1, &b)] {
        client.open(slot, name.place(), CREATE);
        write(&mut client, slot);
        client.close(slot);
    }
    client.fs.rename(a.place(), b.place()).unwrap();
    assert_eq!(ledger.known(), 1);
    client.fs.rename(b.place(), b.place()).unwrap();
    assert_eq!(ledger.known(), 1);
}

#[test]
fn a_write_that_fails_leaves_its_place_unchecked_and_its_number_unused() {
    let (program, ledger) = (program(), Ledger::default());
    let fault = Fault::Fail {
        call: Call::Write,
        nth: 2,
        every: 0,
        errno: Errno::EIO,
    };
    let failing = Failing::new(Model::new(0), vec![fault]);
    let mut fs = Verifying::new(failing, 0, &program, &ledger, None);
    let a = place(0);
    let file = fs.open(a.place(), CREATE, 0o600).unwrap();
    fs.write(&file, &[0; 100], 0).unwrap();
    assert_eq!(fs.write(&file, &[0; 50], 50), Err(Errno::EIO));
    let stretches = |file: &Checked<model::Handle>| -> Vec<_> {
        let (_, written) = file.written.as_ref().unwrap();
        written
            .reading()
            .within(0..200)
            .map(|one| (one.start, one.end, one.write))
            .collect()
    };
    assert_eq!(stretches(&file), [(0, 50, 1)]);
    fs.write(&file, &[0; 50], 50).unwrap();
    assert_eq!(stretches(&file), [(0, 50, 1), (50, 100, 3)]);
}
