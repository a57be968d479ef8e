//! The conformance suite of output stores.

use tool_runtime_core::store::{OutputSlice, OutputStore, StoredOutput, UnixMillis};
use uuid::Uuid;

use super::samples::{START, at, before, bytes, done, names};

/// Checks every promise of an [`OutputStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn outputs(store: &dyn OutputStore) {
    an_output_is_read_byte_for_byte(&OutputChecks::new(store)).await;
    an_output_is_read_in_slices(&OutputChecks::new(store)).await;
    beyond_the_end_there_is_nothing(&OutputChecks::new(store)).await;
    an_output_is_for_its_tenant_and_principal(&OutputChecks::new(store)).await;
    principals_are_told_apart(&OutputChecks::new(store)).await;
    an_output_that_is_over_is_not_read(&OutputChecks::new(store)).await;
    putting_an_output_again_changes_nothing(&OutputChecks::new(store)).await;
    an_output_is_kept_for_its_time(&OutputChecks::new(store)).await;
    a_sweep_deletes_no_more_than_it_may(&OutputChecks::new(store)).await;
}

/// The outputs of a tenant that one check owns.
struct OutputChecks<'a> {
    store: &'a dyn OutputStore,
    tenant: Uuid,
}

impl<'a> OutputChecks<'a> {
    fn new(store: &'a dyn OutputStore) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    fn output(&self, text: &[u8]) -> StoredOutput {
        StoredOutput::new(Uuid::now_v7(), self.tenant, "user:42", text.to_vec(), at(100))
    }

    async fn keep(&self, text: &[u8]) -> StoredOutput {
        let output = self.output(text);
        self.put(&output).await;
        output
    }

    async fn put(&self, output: &StoredOutput) {
        done("put_output", self.store.put_output(output.clone()).await);
    }

    async fn read(&self, output: &StoredOutput, offset: u64, limit: usize) -> Option<OutputSlice> {
        let StoredOutput { id, tenant, principal, .. } = output;
        let read = self.store.read_output(*id, *tenant, principal, offset, limit, START).await;
        done("read_output", read)
    }

    async fn whole(&self, output: &StoredOutput, now: UnixMillis) -> Option<Vec<u8>> {
        let StoredOutput { id, tenant, principal, .. } = output;
        let read = self.store.read_output(*id, *tenant, principal, 0, usize::MAX, now).await;
        done("read_output", read).map(|slice| slice.bytes)
    }

    async fn sweep(&self, now: UnixMillis, limit: usize) -> usize {
        done("sweep_outputs", self.store.sweep_outputs(now, limit).await)
    }

    async fn sweep_all(&self, now: UnixMillis) {
        for _ in 0..1_000 {
            if self.sweep(now, 1_000).await == 0 {
                return;
            }
        }
        panic!("sweeping ends; there were more after a million outputs");
    }
}

async fn an_output_is_read_byte_for_byte(outputs: &OutputChecks<'_>) {
    for text in bytes() {
        let length = text.len();
        let output = outputs.keep(&text).await;
        let same = outputs.whole(&output, START).await == Some(text);
        assert!(same, "an output is read byte for byte; {length} bytes came back changed");
    }
}

async fn an_output_is_read_in_slices(outputs: &OutputChecks<'_>) {
    let text = "1 \u{e9} 2 \u{1f980} 3".as_bytes();
    let (output, total) = (outputs.keep(text).await, text.len());
    for limit in 0..=total + 1 {
        for start in 0..=total {
            let end = total.min(start + limit);
            let slice = OutputSlice::new(text[start..end].to_vec(), number(total));
            let stored_slice = outputs.read(&output, number(start), limit).await;
            let promise = "an output is read in slices of bytes";
            assert_eq!(stored_slice, Some(slice), "{promise}: at most {limit} from {start}");
        }
    }
}

async fn beyond_the_end_there_is_nothing(outputs: &OutputChecks<'_>) {
    for text in [&b""[..], b"text"] {
        let output = outputs.keep(text).await;
        let nothing = OutputSlice::new(Vec::new(), number(text.len()));
        for offset in [number(text.len()), 5, u64::MAX] {
            let slice = outputs.read(&output, offset, usize::MAX).await;
            let promise = "beyond the end, a slice is empty and has the length";
            assert_eq!(slice, Some(nothing.clone()), "{promise}: from {offset}");
        }
    }
}

async fn an_output_is_for_its_tenant_and_principal(outputs: &OutputChecks<'_>) {
    let output = outputs.keep(b"text").await;
    let others = [
        StoredOutput { id: Uuid::now_v7(), ..output.clone() },
        StoredOutput { tenant: Uuid::now_v7(), ..output.clone() },
        StoredOutput { principal: "user:43".into(), ..output.clone() },
    ];
    for other in &others {
        let slice = outputs.read(other, 0, 1).await;
        assert_eq!(slice, None, "an output is read only by its tenant and principal");
        let slice = outputs.read(other, u64::MAX, 0).await;
        assert_eq!(slice, None, "others learn neither of an output nor of its length");
    }
}

async fn principals_are_told_apart(outputs: &OutputChecks<'_>) {
    let output = outputs.output(b"text");
    for pair in names().windows(2) {
        let [principal, other] = [&pair[0], &pair[1]].map(|name| name.as_str().into());
        let stored_output = StoredOutput { id: Uuid::now_v7(), principal, ..output.clone() };
        outputs.put(&stored_output).await;
        let other = StoredOutput { principal: other, ..stored_output.clone() };
        assert_eq!(outputs.read(&other, 0, 10).await, None, "principals are told apart");
        let text = outputs.whole(&stored_output, START).await;
        assert_eq!(text.as_deref(), Some(&b"text"[..]), "a principal reads its own output");
    }
}

async fn an_output_that_is_over_is_not_read(outputs: &OutputChecks<'_>) {
    let output = outputs.keep(b"text").await;
    let text = outputs.whole(&output, before(at(100))).await;
    assert_eq!(text.as_deref(), Some(&b"text"[..]), "an output is kept for its time");
    let text = outputs.whole(&output, at(100)).await;
    assert_eq!(text, None, "an output that is over is not read, swept or not");
}

async fn putting_an_output_again_changes_nothing(outputs: &OutputChecks<'_>) {
    let output = outputs.keep(b"text").await;
    outputs.put(&output).await;
    let theirs = StoredOutput { tenant: Uuid::now_v7(), text: b"other".to_vec(), ..output.clone() };
    // The store may take or refuse another's handle, and must not change the output behind it.
    let _ = outputs.store.put_output(theirs).await;
    let text = outputs.whole(&output, START).await;
    assert_eq!(text.as_deref(), Some(&b"text"[..]), "putting an output again changes nothing");
}

async fn an_output_is_kept_for_its_time(outputs: &OutputChecks<'_>) {
    let output = outputs.keep(b"text").await;
    outputs.sweep_all(before(at(100))).await;
    let text = outputs.whole(&output, START).await;
    assert_eq!(text.as_deref(), Some(&b"text"[..]), "an output is kept for its time");
    outputs.sweep_all(at(100)).await;
    let text = outputs.whole(&output, START).await;
    assert_eq!(text, None, "an output is swept when its time is over");
}

async fn a_sweep_deletes_no_more_than_it_may(outputs: &OutputChecks<'_>) {
    outputs.sweep_all(at(100)).await;
    for _ in 0..5 {
        outputs.keep(b"text").await;
    }
    let mut swept = vec![outputs.sweep(START, 10).await];
    for limit in [0, 2, 2, 2, 2] {
        swept.push(outputs.sweep(at(100), limit).await);
    }
    assert_eq!(
        swept,
        [0, 0, 2, 2, 1, 0],
        "a sweep removes at most the given number, and returns how many"
    );
}

fn number(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
