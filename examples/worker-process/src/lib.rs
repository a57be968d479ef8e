//! Runs a program that answers requests in JSON Lines, such as a Python script.
//!
//! The program runs in a process group of its own, with limits. A request that is not answered by
//! its deadline ends the group, and the next request starts the program anew.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use serde_json::json;
//! use worker_process::Worker;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), worker_process::WorkerError> {
//! let worker = Worker::builder("python3")
//!     .args(["-u", "script.py"])
//!     .memory_limit(512 << 20)
//!     .without_network()
//!     .build();
//! let answer = worker.request(&json!({"add": [2, 40]}), Duration::from_secs(5)).await?;
//! assert_eq!(answer, 42);
//! # Ok(())
//! # }
//! ```
//!
//! # The protocol
//! Each line is a JSON object in UTF-8. The program writes `{"ready":true}` once it can answer. It
//! then reads a request from its standard input, and writes one answer with the request's id to its
//! standard output, until its input ends:
//!
//! ```text
//! {"id":1,"request":{"add":[2,40]}}
//! {"id":1,"answer":42}
//! ```
//!
//! A request and an answer may be any JSON value; a failure that the program expects is an answer
//! too. In Python:
//!
//! ```python
//! import json, sys
//!
//! output, sys.stdout = sys.stdout, sys.stderr  # so that `print` does not break the protocol
//!
//! def write(line):
//!     print(json.dumps(line), file=output, flush=True)
//!
//! write({"ready": True})
//! for line in sys.stdin:
//!     request = json.loads(line)
//!     write({"id": request["id"], "answer": sum(request["request"]["add"])})
//! ```
//!
//! Standard error is for the log: the last 16 KiB are in [`WorkerError::stderr`].
//!
//! # Limits
//! The limits of memory and processor time are those of `setrlimit`. They are set by `prlimit`
//! directly after the program's start and before it reads a request, because to set them in the
//! child between `fork` and `exec` takes `unsafe` code, and a shell around the program is one more
//! that must be there. So they hold for all that a request does, but not for the first instants of
//! the start, and not for a child that the program starts in them. They need Linux.
//!
//! Limits protect from mistakes, not from attacks: the program reads and writes files with the
//! host's rights, and a child that leaves the process group by `setsid` is not ended with it.

mod builder;
mod error;
mod launch;
mod pool;
mod process;
mod restarts;
mod stderr;
mod worker;

pub use self::builder::WorkerBuilder;
pub use self::error::WorkerError;
pub use self::stderr::Stderr;
pub use self::worker::Worker;
