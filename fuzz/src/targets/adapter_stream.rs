//! Streamed responses of every dialect; each line is the data of one event.

use tool_runtime::adapters::{Adapter, Delta, Dialect};

/// A response may be this long; longer ones are refused.
const MAX_BYTES: usize = 4 * 1024;

pub(super) fn run(data: &[u8]) {
    split_bytes(data);
    let Ok(data) = std::str::from_utf8(data) else { return };
    for dialect in Dialect::ALL {
        let adapter = Adapter::builder(dialect).max_response_bytes(MAX_BYTES).build(&[]);
        let mut stream = adapter.stream();
        let (mut taken, mut shown, mut failed) = (0, Vec::new(), None);
        for event in data.lines() {
            match stream.push(event) {
                Ok(deltas) => {
                    assert_eq!(failed, None, "{dialect:?}: a stream that failed goes on");
                    taken += event.len();
                    for delta in deltas {
                        if let Delta::Text(text) = delta {
                            shown.push(text);
                        }
                    }
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(failed.as_ref().is_none_or(|first| *first == error), "another error");
                    failed = Some(error);
                }
            }
        }
        // `[DONE]` and blank lines are no events, and count for nothing.
        let idle = data.lines().filter(|line| matches!(line.trim(), "" | "[DONE]"));
        let idle: usize = idle.map(str::len).sum();
        assert!(taken <= MAX_BYTES + idle, "{dialect:?}: more was taken than the adapter admits");
        match (stream.finish(), failed) {
            (Ok(turn), None) => {
                let whole = shown.iter().all(|text| turn.text().contains(text));
                assert!(whole, "{dialect:?}: the turn lacks what was shown");
                for asked in turn.calls() {
                    let names = asked.request().map(tool_runtime::contracts::ToolCallRequest::name);
                    assert!(names.is_none_or(|name| name == asked.name()), "{dialect:?}");
                }
            }
            (Ok(_), Some(error)) => panic!("{dialect:?}: a turn is made in spite of {error}"),
            (Err(_), _) => {}
        }
    }
}

/// The bytes of a body are read alike in one piece and in two.
fn split_bytes(data: &[u8]) {
    let (head, tail) = data.split_at(data.len() / 2);
    for dialect in Dialect::ALL {
        let adapter = Adapter::builder(dialect).max_response_bytes(MAX_BYTES).build(&[]);
        let (mut whole, mut split) = (adapter.stream(), adapter.stream());
        let read = whole.push_bytes(data).map_err(|error| error.to_string());
        let first = split.push_bytes(head).map_err(|error| error.to_string());
        let both = first.and_then(|mut deltas| {
            deltas.extend(split.push_bytes(tail).map_err(|error| error.to_string())?);
            Ok(deltas)
        });
        match (&read, &both) {
            (Ok(read), Ok(both)) => assert_eq!(read, both, "{dialect:?}"),
            (Err(_), Err(_)) => {}
            (_, _) => panic!("{dialect:?}: in one piece {read:?}, in two {both:?}"),
        }
    }
}
