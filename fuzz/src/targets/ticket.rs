//! A text that is read as a ticket is one that the runtime writes so.

use tool_runtime::policy::Ticket;

pub(super) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(ticket) = Ticket::parse(text) else { return };
    let written = ticket.to_json();
    let again = Ticket::parse(&written);
    let again = again.expect("what is written is read as a ticket");
    assert_eq!(again.to_json(), written, "there is one way to write a ticket");
    assert_eq!(compact(text), compact(&written), "a ticket says nothing beside what is read");
    assert!(!format!("{ticket:?}").contains(signature(&written)), "`Debug` shows a signature");
}

/// Reads a text as JSON; an object's members have no order.
fn compact(text: &str) -> Option<serde_json::Value> {
    serde_json::from_str(text).ok()
}

fn signature(written: &str) -> &str {
    let (_, rest) = written.split_once("\"signature\":\"").expect("a signature");
    rest.trim_end_matches("\"}")
}
