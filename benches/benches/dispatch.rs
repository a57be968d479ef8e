//! Times the same work in three styles: `cargo bench -p tool-benches`.

use divan::{Bencher, black_box};
use tool_benches::work;
use tool_tests::run;

fn main() {
    divan::main();
}

#[divan::bench(args = [3, 10])]
fn by_hand(bencher: Bencher<'_, '_>, items: usize) {
    let index = work::Index::new(items);
    bencher.bench(|| work::by_hand(black_box(&index), black_box(work::ARGUMENTS)));
}

#[divan::bench(args = [3, 10])]
fn by_runtime(bencher: Bencher<'_, '_>, items: usize) {
    let (runtime, cx) = (work::runtime(items, 0), run::context());
    bencher.bench(|| work::by_runtime(&runtime, &cx, black_box(work::ARGUMENTS)));
}

#[divan::bench(args = [3, 10])]
fn by_value(bencher: Bencher<'_, '_>, items: usize) {
    let index = work::Index::new(items);
    bencher.bench(|| work::by_value(black_box(&index), black_box(work::ARGUMENTS)));
}
