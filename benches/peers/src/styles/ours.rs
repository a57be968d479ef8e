//! Hand-written code, and the project's own runtime.

use tool_benches::work::{self, ARGUMENTS, Index};
use tool_tests::run;

use super::Style;

/// Hand-written: parse, check, call, serialise.
pub(super) const BY_HAND: Style = Style {
    key: "hand",
    label: "by hand",
    data_at: "",
    takes_further: false,
    prepare: |items, _| {
        let index = Index::new(items);
        Ok(Box::new(move || work::by_hand(&index, ARGUMENTS)))
    },
};

/// `runtime.call(..).execute()`, to the serialised envelope.
pub(super) const RUNTIME: Style = Style {
    key: "ours",
    label: "tool-runtime",
    data_at: "/data",
    takes_further: true,
    prepare: |items, further| {
        let (runtime, cx) = (work::runtime(items, further), run::context());
        Ok(Box::new(move || work::by_runtime(&runtime, &cx, ARGUMENTS)))
    },
};
