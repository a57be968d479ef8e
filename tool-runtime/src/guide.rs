// The guide, one module per page, so that docs.rs shows it. The code of every page is compiled, and run
// where it can be.
//
// A page links to another by a label (`[text][stores#damage]`), which its last lines define as a file,
// for readers of the repository. Here `links.txt` comes first and defines it as a module, and the first
// definition counts.
#![doc = include_str!("../docs/links.txt")]
#![doc = include_str!("../docs/README.md")]

/// One line per page. A page whose code needs features names them; without them it is not compiled.
macro_rules! pages {
    ($($(#[$($condition:tt)*])? $name:ident: $page:literal;)*) => {$(
        $(#[cfg(any(not(doctest), $($condition)*))])?
        // Without it in doctests, so that a failure names the page and its line.
        #[cfg_attr(not(doctest), doc = include_str!("../docs/links.txt"))]
        #[doc = include_str!(concat!("../docs/", $page))]
        pub mod $name {}
    )*};
}

pages! {
    first_tool: "first-tool.md";
    #[all(feature = "adapters", feature = "http", feature = "ledger", feature = "testing")]
    cookbook: "cookbook.md";
    compile_errors: "compile-errors.md";
    effects: "effects.md";
    errors: "errors.md";
    #[all(feature = "discovery", feature = "export")]
    schemas: "schemas.md";
    calls: "calls.md";
    #[feature = "adapters"]
    adapters: "adapters.md";
    #[feature = "adapters"]
    adapters_schemas: "adapters-schemas.md";
    #[feature = "adapters"]
    adapters_requests: "adapters-requests.md";
    #[feature = "adapters"]
    adapters_libraries: "adapters-libraries.md";
    #[all(feature = "adapters", feature = "attachments")]
    attachments: "attachments.md";
    #[feature = "search"]
    choosing_tools: "choosing-tools.md";
    #[all(feature = "adapters", feature = "policy", feature = "toon")]
    articulate: "articulate.md";
    #[feature = "openai"]
    agent: "agent.md";
    #[feature = "ag-ui"]
    ag_ui: "ag-ui.md";
    #[feature = "agent"]
    context: "context.md";
    envelopes: "envelopes.md";
    #[feature = "sqlite"]
    safe_execution: "safe-execution.md";
    #[feature = "budgets"]
    budgets: "budgets.md";
    #[feature = "http"]
    http: "http.md";
    #[feature = "http"]
    http_clients: "http-clients.md";
    #[feature = "http"]
    http_approvals: "http-approvals.md";
    #[feature = "console"]
    console: "console.md";
    #[feature = "webhooks"]
    webhooks: "webhooks.md";
    #[feature = "http"]
    http_records: "http-records.md";
    #[feature = "jwks-url"]
    http_security: "http-security.md";
    #[feature = "tls"]
    http_operation: "http-operation.md";
    #[feature = "mcp"]
    mcp: "mcp.md";
    #[feature = "mcp-client"]
    mcp_client: "mcp-client.md";
    #[feature = "testing"]
    stores: "stores.md";
    #[feature = "postgres"]
    postgres: "postgres.md";
    #[feature = "testing"]
    testing: "testing.md";
    #[all(feature = "evidence", feature = "sqlite")]
    record: "record.md";
    redaction: "redaction.md";
    #[feature = "trace"]
    traces: "traces.md";
    key_rotation: "key-rotation.md";
    #[feature = "canonical"]
    canonical: "canonical.md";
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod package_readme {}
