//! Tools in six dialects, and their calls back.

use tool_runtime::adapters::Dialect;
use tool_tests::bfcl;
use tool_tests::dialects::{Widened, tour};
use tool_tests::run::Tally;

#[test]
fn real_tools_and_calls_go_to_every_dialect_and_back() {
    let Some(files) = bfcl::files_beside_the_project() else { return };
    let cases: Vec<_> = files.iter().flat_map(|file| bfcl::read(file).unwrap()).collect();
    for dialect in Dialect::ALL {
        let (mut tally, mut widened) = (Tally::default(), Widened::new());
        for case in &cases {
            tour(case, dialect, &mut tally, &mut widened).unwrap();
        }
        assert!(tally.all_right(), "{dialect}: {:#?}", tally.wrong);
    }
}
