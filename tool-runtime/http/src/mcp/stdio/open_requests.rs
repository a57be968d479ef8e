//! The requests of a client that have no answer yet.

use std::collections::{HashMap, HashSet};

use rmcp::model::RequestId;

/// The most requests without an answer that are no calls: they are answered at once, by lists that are
/// longer than the requests.
const MAX_SHORT: usize = 8;

/// The most calls and subscriptions without an answer.
const MAX_CALLS: usize = 1_024;

/// The most bytes of the messages of these calls.
const MAX_CALL_BYTES: usize = 64 * 1024 * 1024;

/// The requests of a client that have no answer yet.
#[derive(Debug, Default)]
pub(super) struct OpenRequests {
    short: HashSet<RequestId>,
    calls: HashMap<RequestId, usize>,
    call_bytes: usize,
}

impl OpenRequests {
    /// Returns whether another message may be read: too many answers that wait for the client alone
    /// stop the reading. Running calls do not, since their cancellation is a message too.
    pub(super) fn admit_reading(&self) -> bool {
        self.short.len() < MAX_SHORT
    }

    /// Adds a request that is answered at once.
    pub(super) fn add_short(&mut self, id: RequestId) {
        self.short.insert(id);
    }

    /// Adds a call or a subscription with the length of its message; false if there are too many.
    pub(super) fn add_call(&mut self, id: RequestId, bytes: usize) -> bool {
        let sum = self.call_bytes + bytes;
        let is_first = self.calls.is_empty();
        if self.calls.len() >= MAX_CALLS || (sum > MAX_CALL_BYTES && !is_first) {
            return false;
        }
        self.call_bytes = sum - self.calls.insert(id, bytes).unwrap_or_default();
        true
    }

    /// Forgets a request that is answered, or that its client has cancelled, which then has no answer.
    pub(super) fn remove(&mut self, id: &RequestId) {
        self.short.remove(id);
        self.call_bytes -= self.calls.remove(id).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::{MAX_CALL_BYTES, MAX_CALLS, MAX_SHORT, OpenRequests};

    fn id(id: usize) -> RequestId {
        RequestId::Number(i64::try_from(id).expect("it is small"))
    }

    #[test]
    fn calls_are_bounded_in_number_and_in_bytes() {
        let mut open = OpenRequests::default();
        assert!((0..MAX_CALLS).all(|call| open.add_call(id(call), 1)));
        assert!(!open.add_call(id(MAX_CALLS), 1));
        open.remove(&id(0));
        assert!(open.add_call(id(MAX_CALLS), 1));
        let mut open = OpenRequests::default();
        assert!(open.add_call(id(0), MAX_CALL_BYTES));
        assert!(!open.add_call(id(1), 1));
        open.remove(&id(0));
        assert!(open.add_call(id(1), 1) && open.admit_reading());
    }

    #[test]
    fn reading_waits_for_answers_that_depend_on_the_client_alone() {
        let mut open = OpenRequests::default();
        (0..MAX_SHORT).for_each(|request| open.add_short(id(request)));
        assert!(!open.admit_reading());
        open.remove(&id(3));
        assert!(open.admit_reading());
    }
}
