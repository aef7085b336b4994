//! The clients' threads: started, watched, woken when the run ends, and joined.

use super::isolate::{self, Shared};
use super::pinning;
use super::plan::Plan;
use super::signals;
use crate::measure::LiveCell;
use crate::measure::clock::Nanos;
use crate::measure::seconds::Seconds;
use crate::replay::data::WriteData;
use crate::replay::fs::Filesystem;
use crate::replay::gate::{Gate, StopReason};
use crate::replay::{Assignment, ClientRecord, Replayer, Scratch};
use nix::sys::pthread::{Pthread, pthread_kill, pthread_self};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

/// Small, so that 10,000 clients fit; the timed loop needs a fraction of it.
const STACK_BYTES: usize = if cfg!(debug_assertions) {
    512 << 10
} else {
    128 << 10
};
/// How often clients that have not seen the end of the run are woken.
const WAKE_EVERY: Duration = Duration::from_millis(20);

/// What a client's thread tells.
enum Message<'m> {
    Started(u32, Pthread),
    Shared(Shared),
    Done(u32, Box<ClientRecord<'m>>),
    /// It could not start; the gate knows why.
    Lost,
}

/// What all clients of a crew are given.
pub struct Supplies<'r> {
    pub plan: &'r Plan,
    /// One for each program.
    pub data: &'r [WriteData],
    /// The processor of each client; empty where they are not bound.
    pub processors: &'r [u32],
    pub gate: &'r Gate,
    /// One for each client.
    pub live: &'r [LiveCell],
    pub seconds: &'r Seconds,
}

/// Clients at work.
pub struct Crew<'scope, 'env> {
    threads: Vec<ScopedJoinHandle<'scope, ()>>,
    /// Valid until the threads are joined; absent before they have told.
    ids: Vec<Option<Pthread>>,
    messages: Receiver<Message<'env>>,
    records: Vec<Option<ClientRecord<'env>>>,
    ended: u32,
    shared: Option<Shared>,
}

impl<'scope, 'env> Crew<'scope, 'env> {
    /// Starts a thread for each client; `make` opens the client's file system, in its own thread.
    ///
    /// Clients that cannot be started stop the gate; those that run end by it.
    pub fn start<F, M>(
        scope: &'scope Scope<'scope, 'env>,
        supplies: &'scope Supplies<'env>,
        scratch: impl Iterator<Item = Scratch<'env>>,
        make: &'scope M,
    ) -> Crew<'scope, 'env>
    where
        F: Filesystem,
        M: Fn(u32) -> Result<F, String> + Sync,
    {
        let clients = supplies.plan.clients;
        let (sender, messages) = channel();
        let mut crew = Crew {
            threads: Vec::with_capacity(clients as usize),
            ids: vec![None; clients as usize],
            messages,
            records: (0..clients).map(|_| None).collect(),
            ended: 0,
            shared: None,
        };
        for (client, scratch) in (0..clients).zip(scratch) {
            let sender = sender.clone();
            let thread = std::thread::Builder::new()
                .name(format!("client{client}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || work(supplies, client, scratch, make, &sender));
            match thread {
                Ok(thread) => crew.threads.push(thread),
                Err(error) => {
                    let started = crew.threads.len();
                    supplies.gate.stop(StopReason::Failed(format!(
                        "only {started} of {clients} clients could be started: {error}; \
                         raise the limits on threads (ulimit -u, kernel.threads-max) and memory"
                    )));
                    for _ in started..clients as usize {
                        supplies.gate.arrive();
                    }
                    crew.ended += clients - started as u32;
                    break;
                }
            }
        }
        crew
    }

    /// Clients that are still at work.
    pub fn at_work(&self) -> u32 {
        self.records.len() as u32 - self.ended
    }

    /// Waits until all clients have ended, or until `time`. After `wake_from`, or once the gate is stopped, clients
    /// are woken out of blocking calls.
    pub fn wait(&mut self, gate: &Gate, time: Nanos, wake_from: Nanos) {
        while self.ended < self.records.len() as u32 {
            let now = Nanos::now();
            if now >= time {
                return;
            }
            let wakes = gate.is_stopped() || now >= wake_from;
            if wakes {
                self.wake();
            }
            let left = Duration::from_nanos(time.since(now));
            let patience = if wakes {
                left.min(WAKE_EVERY)
            } else {
                left.min(Duration::from_millis(100))
            };
            match self.messages.recv_timeout(patience) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.ended = self.records.len() as u32,
            }
        }
    }

    fn take(&mut self, message: Message<'env>) {
        match message {
            Message::Started(client, id) => self.ids[client as usize] = Some(id),
            Message::Shared(shared) => {
                self.shared.get_or_insert(shared);
            }
            Message::Done(client, record) => {
                self.records[client as usize] = Some(*record);
                self.ended += 1;
            }
            Message::Lost => self.ended += 1,
        }
    }

    fn wake(&self) {
        let threads = self.threads.iter().zip(&self.ids);
        for (_, &id) in threads.filter(|(thread, _)| !thread.is_finished()) {
            // A thread that ends at this moment needs no waking.
            let _ = id.map(|id| pthread_kill(id, signals::WAKE));
        }
    }

    /// The clients' records, and what they had to share.
    pub fn finish(self) -> (Vec<Option<ClientRecord<'env>>>, Option<Shared>) {
        for thread in self.threads {
            let _ = thread.join();
        }
        (self.records, self.shared)
    }
}

/// A client that panics fails the run, which would wait for it otherwise (where a panic does not abort).
struct Panics<'t, 'm> {
    gate: &'t Gate,
    client: u32,
    sender: &'t Sender<Message<'m>>,
}

impl Drop for Panics<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let client = self.client;
            self.gate.stop(StopReason::Failed(format!(
                "client {client} has panicked: this is a bug in rbench"
            )));
            self.gate.arrive();
            self.gate.end_points(client);
            let _ = self.sender.send(Message::Lost);
        }
    }
}

/// A client's thread.
fn work<'m, F, M>(
    supplies: &Supplies<'m>,
    client: u32,
    scratch: Scratch<'m>,
    make: &M,
    sender: &Sender<Message<'m>>,
) where
    F: Filesystem,
    M: Fn(u32) -> Result<F, String>,
{
    signals::only_wake();
    let _panics = Panics {
        gate: supplies.gate,
        client,
        sender,
    };
    let _ = sender.send(Message::Started(client, pthread_self()));
    if let Err(shared) = isolate::isolate() {
        let _ = sender.send(Message::Shared(shared));
    }
    let plan = supplies.plan;
    let program = plan.program(client);
    let assignment = Assignment {
        client,
        clients: plan.clients,
        program,
        settings: &plan.settings,
        data: &supplies.data[client as usize % plan.programs.len()],
        gate: supplies.gate,
        live: &supplies.live[client as usize],
        seconds: supplies.seconds,
        takes_turns: plan.takes_turns(),
    };
    // First of all, so that its memory is near it.
    let bound = supplies
        .processors
        .get(client as usize)
        .map_or(Ok(()), |&processor| bind(client, processor));
    let replayer = bound.and_then(|()| make(client)).and_then(|fs| {
        Replayer::new(fs, &assignment, scratch).map_err(|error| format!("client {client}: {error}"))
    });
    let message = match replayer {
        Ok(replayer) => Message::Done(client, Box::new(replayer.run())),
        Err(what) => {
            supplies.gate.stop(StopReason::Failed(what));
            supplies.gate.arrive();
            supplies.gate.end_points(client);
            Message::Lost
        }
    };
    // The receiver lives until all threads are joined.
    let _ = sender.send(message);
}

fn bind(client: u32, processor: u32) -> Result<(), String> {
    pinning::bind(processor).map_err(|errno| {
        format!(
            "client {client} cannot be bound to processor {processor}: {}",
            errno.desc()
        )
    })
}
