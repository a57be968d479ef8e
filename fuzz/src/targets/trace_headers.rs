//! Trace headers that are taken are written again as headers that are taken, in every spelling.

use tool_runtime::contracts::trace_context::TraceContext;

/// The first line is a `traceparent`, each further one a `tracestate`.
pub(super) fn run(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let (parent, states) = (lines.next(), lines.collect::<Vec<_>>());
    let Ok(received) = TraceContext::from_headers(parent, &states) else { return };
    let sent: Vec<_> = received.to_headers().collect();
    for (name, value) in &sent {
        let visible = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        assert!(visible && !value.is_empty(), "`{name}` cannot be sent as a header: {value:?}");
    }
    let again = TraceContext::from_fields(sent.iter().map(|(name, value)| (*name, value)));
    assert_eq!(again.as_ref(), Ok(&received), "what is sent is received as it was");
    let longest = states.iter().map(|state| state.len() + 1).sum::<usize>();
    assert!(received.state().as_str().len() <= longest, "`tracestate` does not grow");
}
