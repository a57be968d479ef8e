//! The guide in `docs/`: the code of every page is compiled, and run where it can be.
//!
//! One line a page. A page whose code needs a feature stands under that feature.

macro_rules! pages {
    ($($(#[$condition:meta])* $name:ident: $page:literal;)*) => {$(
        $(#[$condition])*
        #[doc = include_str!(concat!("../../docs/", $page))]
        #[derive(Debug)]
        pub struct $name;
    )*};
}

pages! {
    Index: "README.md";
    FirstTool: "first-tool.md";
    Calls: "calls.md";
    Effects: "effects.md";
    Errors: "errors.md";
    Envelopes: "envelopes.md";
    Redaction: "redaction.md";
    #[cfg(feature = "canonical")]
    Canonical: "canonical.md";
    #[cfg(feature = "search")]
    ChoosingTools: "choosing-tools.md";
    #[cfg(feature = "sqlite")]
    SafeExecution: "safe-execution.md";
    #[cfg(all(feature = "testing", feature = "policy"))]
    Stores: "stores.md";
    #[cfg(all(feature = "evidence", feature = "sqlite"))]
    Record: "record.md";
    #[cfg(feature = "trace")]
    Traces: "traces.md";
}
