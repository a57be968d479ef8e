//! The README and the guide in `docs/`: the code of every page is compiled, and run where it can be.
//!
//! One line a page. A page whose code needs a feature stands under that feature.

macro_rules! pages {
    ($($(#[$condition:meta])* $name:ident: $page:literal;)*) => {$(
        $(#[$condition])*
        #[doc = include_str!(concat!("../../", $page))]
        #[derive(Debug)]
        pub struct $name;
    )*};
}

pages! {
    Readme: "README.md";
    Index: "docs/README.md";
    FirstTool: "docs/first-tool.md";
    Calls: "docs/calls.md";
    Effects: "docs/effects.md";
    Errors: "docs/errors.md";
    Envelopes: "docs/envelopes.md";
    Redaction: "docs/redaction.md";
    KeyRotation: "docs/key-rotation.md";
    ThreatModel: "docs/threat-model.md";
    Sources: "docs/sources.md";
    #[cfg(feature = "adapters")]
    Adapters: "docs/adapters.md";
    #[cfg(feature = "discovery")]
    Schemas: "docs/schemas.md";
    #[cfg(feature = "canonical")]
    Canonical: "docs/canonical.md";
    #[cfg(all(feature = "jwks-url", feature = "tls"))]
    Http: "docs/http.md";
    #[cfg(feature = "search")]
    ChoosingTools: "docs/choosing-tools.md";
    #[cfg(feature = "sqlite")]
    SafeExecution: "docs/safe-execution.md";
    #[cfg(feature = "testing")]
    Stores: "docs/stores.md";
    #[cfg(feature = "testing")]
    Testing: "docs/testing.md";
    #[cfg(all(feature = "evidence", feature = "sqlite"))]
    Record: "docs/record.md";
    #[cfg(feature = "trace")]
    Traces: "docs/traces.md";
}
