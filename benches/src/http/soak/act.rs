//! The actions of a client, and their frequencies.

use super::request::{Call, KEY, Request, head};
use tool_tests::rng::SeededRng;

/// An action of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Echo,
    NewTenant,
    Large,
    Wait,
    Compute,
    Stall,
    Fail,
    Panic,
    PanicOnAThread,
    Note,
    NoteAgain,
    Stream,
    StreamAPanic,
    List,
    Look,
    UnknownTool,
    BadArguments,
    BadUtf8,
    BadJson,
    DeepJson,
    NoTenant,
    NoKey,
    WrongKey,
    WrongType,
    WrongMethod,
    UnknownPath,
    Oversized,
    HalfAHead,
    HalfABody,
    Garbage,
    Drip,
    HangUpInARead,
    HangUpInAWrite,
    HangUpInAStream,
    NeverRead,
}

use Act::{
    BadArguments, BadJson, BadUtf8, Compute, DeepJson, Drip, Echo, Fail, Garbage, HalfABody,
    HalfAHead, HangUpInARead, HangUpInAStream, HangUpInAWrite, Large, List, Look, NeverRead,
    NewTenant, NoKey, NoTenant, Note, NoteAgain, Oversized, Panic, PanicOnAThread, Stall, Stream,
    StreamAPanic, UnknownPath, UnknownTool, Wait, WrongKey, WrongMethod, WrongType,
};

/// The number of actions of each kind in a thousand.
pub(super) const WEIGHTS: [(Act, u64); 35] = [
    (Echo, 340),
    (NewTenant, 20),
    (Large, 20),
    (Wait, 60),
    (Compute, 30),
    (Stall, 15),
    (Fail, 50),
    (Panic, 25),
    (PanicOnAThread, 15),
    (Note, 70),
    (NoteAgain, 50),
    (Stream, 40),
    (StreamAPanic, 10),
    (List, 10),
    (Look, 15),
    (UnknownTool, 15),
    (BadArguments, 20),
    (BadUtf8, 15),
    (BadJson, 15),
    (DeepJson, 10),
    (NoTenant, 10),
    (NoKey, 10),
    (WrongKey, 15),
    (WrongType, 10),
    (WrongMethod, 5),
    (UnknownPath, 5),
    (Oversized, 10),
    (HalfAHead, 15),
    (HalfABody, 15),
    (Garbage, 5),
    (Drip, 5),
    (HangUpInARead, 20),
    (HangUpInAWrite, 15),
    (HangUpInAStream, 10),
    (NeverRead, 5),
];

impl Act {
    pub(super) fn roll(rng: &mut SeededRng) -> Self {
        let mut left = rng.below(WEIGHTS.iter().map(|(_, weight)| weight).sum());
        for (act, weight) in WEIGHTS {
            if left < weight {
                return act;
            }
            left -= weight;
        }
        Echo
    }

    /// Returns whether it violates the protocol or breaks the connection, so that there is no answer.
    pub(super) fn breaks_off(self) -> bool {
        matches!(
            self,
            HalfAHead
                | HalfABody
                | Garbage
                | Drip
                | HangUpInARead
                | HangUpInAWrite
                | HangUpInAStream
                | NeverRead
        )
    }

    /// Returns whether it is anything but a correct call of a well-behaved tool.
    pub(super) fn is_a_fault(self) -> bool {
        !matches!(
            self,
            Echo | NewTenant | Large | Wait | Compute | Note | NoteAgain | Stream | List | Look
        )
    }

    /// Returns the request of an action that is answered.
    pub(super) fn request(self, number: u64, rng: &mut SeededRng) -> Request {
        let call = |tool, input: String| Call::of(number, tool, input);
        match self {
            NewTenant => {
                let tenant = format!("passing-by-{number}");
                Call { tenant, ..call("echo", echo(number)) }.holding(format!("said {number}\""))
            }
            Large => {
                let bytes = rng.below(300_000) + 1;
                call("large", format!(r#"{{"bytes":{bytes}}}"#)).holding("77")
            }
            Wait => call("wait", wait(rng)).answered(&[200]),
            Compute => call("compute", format!(r#"{{"ms":{}}}"#, rng.below(30))).answered(&[200]),
            Stall => call("stall", "{}".into()).failing(&[504], "TIMEOUT"),
            Fail => failing(number, rng),
            Panic => call("panic", format!(r#"{{"late":{}}}"#, rng.one_in(2)))
                .failing(&[500], "INTERNAL"),
            PanicOnAThread => call("panic_on_a_thread", "{}".into()).failing(&[500], "INTERNAL"),
            Stream => call("wait", wait(rng)).streaming().holding(r#""success":true"#),
            StreamAPanic => {
                call("panic", r#"{"late":true}"#.into()).streaming().holding(r#""success":false"#)
            }
            UnknownTool => call("nobody", "{}".into()).answered(&[404]),
            BadArguments => call("wait", r#"{"steps":"many","stop":1}"#.into()).answered(&[422]),
            BadUtf8 | BadJson | DeepJson | Oversized => broken_body(self, number),
            List | Look | NoTenant | NoKey | WrongKey | WrongType | WrongMethod | UnknownPath => {
                other(self, number, rng)
            }
            _ => call("echo", echo(number)).holding(format!("said {number}\"")),
        }
    }
}

fn echo(number: u64) -> String {
    format!(r#"{{"text":"said {number}"}}"#)
}

fn wait(rng: &mut SeededRng) -> String {
    format!(r#"{{"steps":{},"step_ms":{}}}"#, rng.below(5) + 1, rng.below(20))
}

fn failing(number: u64, rng: &mut SeededRng) -> Request {
    let (how, statuses, code): (_, &[u16], _) = match rng.below(4) {
        0 => ("Upstream", &[502], "UPSTREAM_ERROR"),
        1 => ("Missing", &[404], "NOT_FOUND"),
        2 => ("Unavailable", &[503], "UNAVAILABLE"),
        _ => ("Internal", &[500], "INTERNAL"),
    };
    Call::of(number, "fail", format!(r#"{{"how":"{how}"}}"#)).failing(statuses, code)
}

fn broken_body(act: Act, number: u64) -> Request {
    let call = Call::of(number, "echo", "{}");
    let (body, length, statuses): (Vec<u8>, Option<usize>, &[u16]) = match act {
        BadUtf8 => {
            (b"{\"tool_name\":\"echo\",\"input\":{\"text\":\"\xff\xfe\"}}".into(), None, &[400])
        }
        BadJson => (b"{\"tool_name\":\"echo\",\"input\":{\"text\":".into(), None, &[400]),
        DeepJson => {
            let deep = "[".repeat(50_000) + &"]".repeat(50_000);
            (call.body().replace("{}", &deep).into_bytes(), None, &[400, 422])
        }
        // The announced length is enough to reject it; the rest is never sent.
        _ => (vec![b' '; 1_000], Some(64 << 20), &[413]),
    };
    let mut bytes = call.head(length.unwrap_or(body.len())).into_bytes();
    bytes.extend(body);
    Request::other(bytes, statuses)
}

fn other(act: Act, number: u64, rng: &mut SeededRng) -> Request {
    let key = format!("X-Internal-API-Key: {KEY}\r\n");
    let tenant = "X-Tenant-ID: tenant-1\r\n";
    let json = "Content-Type: application/json\r\n";
    let body = format!(r#"{{"tool_name":"echo","input":{}}}"#, echo(number));
    let post = |path: &str, headers: String, body: &str| {
        let headers = format!("{headers}Content-Length: {}\r\n", body.len());
        head("POST", path, number, &headers) + body
    };
    let call = |headers: String| post("/tools/call", headers, &body);
    let (text, statuses): (String, &[u16]) = match act {
        List => (post("/tools/list", format!("{json}{key}{tenant}"), "{}"), &[200]),
        Look => {
            let path = ["/healthz", "/readyz", "/metrics", "/openapi.json"];
            let path = path[usize::try_from(rng.below(4)).unwrap_or_default()];
            (head("GET", path, number, &key), &[200])
        }
        NoTenant => (call(format!("{json}{key}")), &[400, 422]),
        NoKey => (call(format!("{json}{tenant}")), &[401]),
        WrongKey => {
            (call(format!("{json}{tenant}X-Internal-API-Key: {}x\r\n", &KEY[1..])), &[401, 429])
        }
        WrongType => (call(format!("Content-Type: text/plain\r\n{key}{tenant}")), &[415]),
        WrongMethod => (head("GET", "/tools/call", number, &key), &[405]),
        _ => (head("GET", "/no/such/path", number, &key), &[404]),
    };
    Request::other(text, statuses)
}
