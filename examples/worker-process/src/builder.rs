//! The settings of a worker.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::launch::Launch;
use crate::worker::Worker;

/// The variables of the host's environment that the program gets.
const KEPT_VARIABLES: [&str; 3] = ["PATH", "HOME", "LANG"];

/// Builds a [`Worker`].
#[derive(Debug, Clone)]
pub struct WorkerBuilder {
    pub(crate) launch: Launch,
    pub(crate) processes: usize,
    pub(crate) queue: usize,
}

impl WorkerBuilder {
    pub(crate) fn new(program: OsString) -> Self {
        let kept = |name: &str| Some((OsString::from(name), std::env::var_os(name)?));
        let launch = Launch {
            program,
            args: Vec::new(),
            environment: KEPT_VARIABLES.into_iter().filter_map(kept).collect::<BTreeMap<_, _>>(),
            current_dir: None,
            memory_limit: None,
            cpu_seconds: None,
            network: true,
            start_timeout: Duration::from_secs(30),
            line_limit: 16 << 20,
        };
        Self { launch, processes: 1, queue: 64 }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.launch.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets variables of the environment. Of the host's the program gets `PATH`, `HOME` and `LANG`
    /// only.
    #[must_use]
    pub fn environment<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.launch.environment.extend(variables);
        self
    }

    /// Sets the directory in which the program runs, in place of the host's.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.launch.current_dir = Some(directory.into());
        self
    }

    /// Sets how many bytes of address space (`RLIMIT_AS`) each process of the program may have. An
    /// allocation above it fails: Python raises `MemoryError`.
    #[must_use]
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.launch.memory_limit = Some(bytes);
        self
    }

    /// Sets how many seconds of processor time (`RLIMIT_CPU`) a process may use, for all its requests
    /// together. The system ends it by a signal, and the next request starts another one.
    #[must_use]
    pub fn cpu_seconds(mut self, seconds: u64) -> Self {
        self.launch.cpu_seconds = Some(seconds);
        self
    }

    /// Runs the program in a network namespace of its own, without any network, also without that of
    /// the machine itself. Sockets in the file system still work.
    ///
    /// It needs Linux with `unshare` of util-linux and with user namespaces for the host's user;
    /// where they are missing, each request is a [`WorkerError::Start`](crate::WorkerError::Start).
    /// The program runs as root of the user namespace, which is the host's user outside of it.
    #[must_use]
    pub fn without_network(mut self) -> Self {
        self.launch.network = false;
        self
    }

    /// Sets the time within which the program must be ready; 30 seconds by default.
    #[must_use]
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.launch.start_timeout = timeout;
        self
    }

    /// Sets the most bytes of a line, in both directions; 16 MiB by default.
    #[must_use]
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.launch.line_limit = bytes;
        self
    }

    /// Sets how many processes may run, each with one request at a time; 1 by default.
    #[must_use]
    pub fn processes(mut self, limit: usize) -> Self {
        self.processes = limit.clamp(1, 1024);
        self
    }

    /// Sets how many requests may wait for a process; 64 by default.
    #[must_use]
    pub fn queue(mut self, limit: usize) -> Self {
        self.queue = limit.min(1 << 20);
        self
    }

    /// Builds the worker. Its program is started by the first request.
    #[must_use]
    pub fn build(self) -> Worker {
        Worker::new(self)
    }
}
