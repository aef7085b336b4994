//! The gate: clients are released by one wake of all, and told to stop by one store.

use crate::measure::clock::Nanos;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Added to the count of arrivals by each stop: far above any number of clients.
const STOPPED: u32 = 1 << 24;

/// Why a run stops before its clients are done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// This signal came.
    Signal(i32),
    /// Going on would mean nothing; says what happened and where.
    Failed(String),
    /// Nobody reads our output any more.
    OutputClosed,
    /// What the run was to accompany has ended: its measured window ends at the time of the stop, and it is complete.
    Enough,
}

/// A client's sequence point (SETSP, WAITSP).
#[derive(Debug, Default)]
#[repr(align(64))]
struct Point {
    value: AtomicU32,
    ended: AtomicBool,
}

/// What all clients of a run share.
#[derive(Debug)]
pub struct Gate {
    ready: AtomicU32,
    released: AtomicU32,
    start: AtomicU64,
    /// Start of the measured window where it is not known beforehand; 0: not yet.
    window: AtomicU64,
    stopped: AtomicBool,
    /// When it was stopped because that was enough; 0: it was not.
    enough: AtomicU64,
    reason: Mutex<Option<StopReason>>,
    points: Box<[Point]>,
}

/// How a wait for another client's sequence point ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointWait {
    Reached,
    /// The other client ended at another point, so that it will never come.
    Never,
    Stopped,
}

impl Gate {
    pub fn new(clients: u32) -> Gate {
        Gate {
            ready: AtomicU32::new(0),
            released: AtomicU32::new(0),
            start: AtomicU64::new(0),
            window: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            enough: AtomicU64::new(0),
            reason: Mutex::new(None),
            points: (0..clients).map(|_| Point::default()).collect(),
        }
    }

    /// A client is prepared (or could not be, and has said why with [`Gate::stop`]).
    pub fn arrive(&self) {
        self.ready.fetch_add(1, Ordering::Release);
        atomic_wait::wake_all(&self.ready);
    }

    /// Waits until as many clients have arrived, or the run is stopped.
    pub fn wait_for_arrivals(&self, clients: u32) {
        loop {
            let ready = self.ready.load(Ordering::Acquire);
            if ready >= clients || self.is_stopped() {
                return;
            }
            atomic_wait::wait(&self.ready, ready);
        }
    }

    /// Releases all clients with one wake, and answers the time of it.
    pub fn release(&self) -> Nanos {
        let now = Nanos::now();
        self.start.store(now.0, Ordering::Relaxed);
        self.released.store(1, Ordering::Release);
        atomic_wait::wake_all(&self.released);
        now
    }

    /// Waits for the release and answers its time.
    pub fn wait_for_release(&self) -> Nanos {
        while self.released.load(Ordering::Acquire) == 0 {
            atomic_wait::wait(&self.released, 0);
        }
        Nanos(self.start.load(Ordering::Relaxed))
    }

    /// `--warmup auto`: the measured window starts at `start`, which is still to come: each client looks at the first
    /// end of a second of the warm-up from then on.
    pub fn open_window(&self, start: Nanos) {
        self.window.store(start.0, Ordering::SeqCst);
    }

    /// The start of the measured window, once it has been told.
    pub fn window(&self) -> Option<Nanos> {
        let start = self.window.load(Ordering::Acquire);
        (start > 0).then_some(Nanos(start))
    }

    /// Tells all clients to stop. The first reason is kept.
    pub fn stop(&self, reason: StopReason) {
        let mut kept = self.reason.lock().unwrap_or_else(|poison| poison.into_inner());
        if kept.is_none() && reason == StopReason::Enough {
            self.enough.store(Nanos::now().0, Ordering::Relaxed);
        }
        kept.get_or_insert(reason);
        self.stopped.store(true, Ordering::Release);
        // Whoever waits for arrivals looks again: the count changes, so that the wake cannot be missed.
        self.ready.fetch_add(STOPPED, Ordering::Release);
        atomic_wait::wake_all(&self.ready);
    }

    /// The end of the measured window, where clients are to stop because that is enough.
    pub fn enough(&self) -> Option<Nanos> {
        // Whoever has seen the stop sees the time too, which was stored before it.
        let stopped = self.stopped.load(Ordering::Acquire);
        let end = self.enough.load(Ordering::Relaxed);
        (stopped && end > 0).then_some(Nanos(end))
    }

    /// Whether clients are to stop.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// What [`Gate::is_stopped`] reads, for work that knows no gates.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stopped
    }

    /// Why the run was stopped, if it was.
    pub fn reason(&self) -> Option<StopReason> {
        self.reason
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
            .clone()
    }

    /// SETSP: client `client` is at `point`.
    pub fn set_point(&self, client: u32, point: u32) {
        if let Some(own) = self.points.get(client as usize) {
            own.value.store(point, Ordering::Release);
            atomic_wait::wake_all(&own.value);
        }
    }

    /// Client `client` has ended and sets no more points.
    pub fn end_points(&self, client: u32) {
        if let Some(own) = self.points.get(client as usize) {
            own.ended.store(true, Ordering::Release);
            atomic_wait::wake_all(&own.value);
        }
    }

    /// WAITSP: waits until client `client` is at `point`, or `until`. A signal to the thread makes it look again.
    pub fn wait_point(&self, client: u32, point: u32, until: Nanos) -> PointWait {
        let Some(other) = self.points.get(client as usize) else {
            return PointWait::Never;
        };
        loop {
            let ended = other.ended.load(Ordering::Acquire);
            let value = other.value.load(Ordering::Acquire);
            if value == point {
                return PointWait::Reached;
            }
            if ended {
                return PointWait::Never;
            }
            if self.is_stopped() || Nanos::now() >= until {
                return PointWait::Stopped;
            }
            atomic_wait::wait(&other.value, value);
        }
    }
}
