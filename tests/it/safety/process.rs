//! Runs of the program that cannot hang a test.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a run that must end by itself may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process at work; killed when dropped.
pub struct Running {
    child: Child,
    output: Option<(JoinHandle<String>, JoinHandle<String>)>,
}

/// A process that has ended.
#[derive(Debug)]
pub struct Ended {
    /// Absent if a signal killed it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

fn collect(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Running {
    pub fn start(command: &mut Command) -> Running {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = (
            collect(child.stdout.take().unwrap()),
            collect(child.stderr.take().unwrap()),
        );
        Running {
            child,
            output: Some(output),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end, which must be none by a panic.
    pub fn wait(mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                let (_, stderr) = self.output.take().unwrap();
                panic!("it hangs; stderr so far: {}", stderr.join().unwrap());
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let (stdout, stderr) = self.output.take().unwrap();
        let ended = Ended {
            code: status.code(),
            stdout: stdout.join().unwrap(),
            stderr: stderr.join().unwrap(),
        };
        assert!(
            !ended.stderr.contains("panicked") && ended.code != Some(101),
            "{ended:?}"
        );
        ended
    }

    /// Kills it as `kill -9` does, at once.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is no trouble.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// Fails unless it ended with this code.
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Ended {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Fails unless stderr says all of this.
    #[track_caller]
    pub fn assert_says(&self, words: &[&str]) -> &Ended {
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {self:?}");
        }
        self
    }
}
