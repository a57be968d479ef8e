//! The processes of a server: its program, and those that the program starts, such as the server that a
//! package runner runs.

#[cfg(not(unix))]
pub(super) use self::alone::ProcessGroup;
#[cfg(unix)]
pub(super) use self::unix::ProcessGroup;

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::process::{Child, Command};

    /// The group of a program's processes, which are killed when this is dropped.
    pub(in super::super) struct ProcessGroup(Option<Pid>);

    impl ProcessGroup {
        /// Makes a program start a group.
        pub(in super::super) fn begin(command: &mut Command) {
            command.process_group(0);
        }

        pub(in super::super) fn new(child: &Child) -> Self {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            Self(id.and_then(Pid::from_raw))
        }

        /// Asks the processes to end.
        pub(in super::super) fn terminate(&self) {
            self.send(Signal::TERM);
        }

        fn send(&self, signal: Signal) {
            if let Some(group) = self.0 {
                // A group whose processes have all ended needs no signal.
                let _ = kill_process_group(group, signal);
            }
        }
    }

    impl Drop for ProcessGroup {
        fn drop(&mut self) {
            self.send(Signal::KILL);
        }
    }
}

/// Where there are no groups, the program alone is ended.
#[cfg(not(unix))]
mod alone {
    use tokio::process::{Child, Command};

    pub(in super::super) struct ProcessGroup;

    impl ProcessGroup {
        pub(in super::super) fn begin(_: &mut Command) {}

        pub(in super::super) fn new(_: &Child) -> Self {
            Self
        }

        pub(in super::super) fn terminate(&self) {}
    }
}
