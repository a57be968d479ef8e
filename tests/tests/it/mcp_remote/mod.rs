//! The tools of other servers as tools of a runtime, with servers of rmcp and with servers whose every
//! byte is chosen.

mod answers;
mod bad_calls;
mod connection;
mod findings;
mod foreign;
mod http;
mod lock;
mod own;
mod process;
mod raw;
mod registered;
mod scripted;
mod server;
mod unreadable;
mod web;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::DuplexStream;
use tokio::sync::Notify;
use tool_runtime::mcp::{Remote, RemoteBuilder, RemoteEvent, RemoteProtocol, RemoteToolState};
use tool_runtime::prelude::*;

use crate::support::{cx, envelope};

/// Both eras of the protocol.
const ERAS: [RemoteProtocol; 2] = [RemoteProtocol::Stateless, RemoteProtocol::Session];

/// A runtime that runs the tools of a server without asking.
fn runtime() -> Runtime {
    let builder = Runtime::builder().permission("far", Permission::Allow);
    builder.expect_more_tools().build().unwrap()
}

/// Describes a server of this process, which accepts a connection by a stream.
fn remote(accept: impl Fn() -> DuplexStream + Send + Sync + 'static) -> RemoteBuilder {
    Remote::stream(move || {
        let stream = accept();
        async move { Ok(stream) }
    })
    .prefix("far")
}

async fn answer(runtime: &Runtime, tool: &str, arguments: &str) -> Value {
    envelope(runtime.call(tool, arguments, &cx()).execute().await)
}

fn names(runtime: &Runtime) -> Vec<String> {
    runtime.specs().map(|spec| spec.name().to_owned()).collect()
}

#[track_caller]
fn state(remote: &Remote, tool: &str) -> RemoteToolState {
    remote.status().tool(tool).unwrap_or_else(|| panic!("`{tool}` is known")).state
}

/// Keeps the events of a server, and waits for them.
#[derive(Clone, Default)]
struct Events(Arc<(Mutex<Vec<RemoteEvent>>, Notify)>);

impl Events {
    fn of(&self, builder: RemoteBuilder) -> RemoteBuilder {
        let events = self.clone();
        builder.on_event(move |event| {
            events.0.0.lock().unwrap().push(event.clone());
            events.0.1.notify_one();
        })
    }

    /// Waits for an event that has not been waited for, and drops those before it.
    async fn wait(&self, is: impl Fn(&RemoteEvent) -> bool) -> RemoteEvent {
        loop {
            let found = {
                let mut events = self.0.0.lock().unwrap();
                let at = events.iter().position(&is);
                at.and_then(|at| events.drain(..=at).next_back())
            };
            match found {
                Some(event) => return event,
                None => self.0.1.notified().await,
            }
        }
    }

    async fn disabled(&self, name: &str) -> RemoteEvent {
        self.wait(|event| matches!(event, RemoteEvent::Disabled { tool } if tool.name == name))
            .await
    }

    async fn available(&self, name: &str) {
        self.wait(|event| matches!(event, RemoteEvent::Available { tool } if tool == name)).await;
    }

    fn texts(&self) -> String {
        let events = self.0.0.lock().unwrap();
        events.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// A file of a lock in a folder of its own, which is removed with it.
struct LockFile(PathBuf);

impl LockFile {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("remote-lock-{}", Uuid::new_v4()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder.join("tools.lock.json"))
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}
