//! The two generated crates: the same tools with the project's macros and with rmcp's.
//!
//! Each is written as its documentation shows: modules of ten tools, a description for every tool
//! and parameter, an answer type with a schema, and a main function that prints the number of
//! tools.

use std::fmt::Write;

use super::build::{Files, TOUCHED};
use super::shapes::{self, Shape};

const A_MODULE: usize = 10;

/// The tools as functions under `#[ai_tool]`.
pub(super) fn ours(tools: usize) -> Files {
    let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tool-runtime");
    let manifest = manifest("compile-ours", &format!("tool-runtime = {{ path = {runtime:?} }}\n"));
    let main = r#"use tool_runtime::prelude::*;

/// The error of a tool.
#[derive(Debug, ToolFailure)]
pub enum Refused {
    /// The arguments make no sense together.
    #[failure(INVALID_ARGUMENT, message = "the arguments make no sense together")]
    Senseless,
}

fn main() {
    let runtime = Runtime::builder().discover().build().expect("every tool is complete");
    println!("{}", runtime.specs().count());
}
"#;
    let module = |numbers| {
        let mut text = String::from("use tool_runtime::prelude::*;\n\nuse crate::Refused;\n");
        for number in numbers {
            ours_tool(&mut text, number);
        }
        text
    };
    Files { name: "compile-ours", manifest, sources: sources(tools, main, module) }
}

fn ours_tool(text: &mut String, number: usize) {
    let shape = shapes::of(number);
    let mut parameters = String::new();
    for parameter in shapes::parameters(number) {
        let (name, ty, about) = (parameter.name, parameter.ty, parameter.about);
        push(&mut parameters, format_args!("    /// {about}\n    {name}: {ty},\n"));
    }
    push(text, format_args!("\n{}", answer_type(number, "#[ai_type]")));
    push(
        text,
        format_args!(
            "
/// Performs the action of tool {number}.
#[ai_tool(effect = \"read\")]
pub async fn tool_{number}(
{parameters}) -> Result<Answer{number}, Refused> {{
    if {} {{
        return Err(Refused::Senseless);
    }}
    Ok({})
}}
",
            shape.fails_if,
            answer(number, shape),
        ),
    );
}

/// The tools as methods under `#[tool]`, in one `#[tool_router]` a module.
pub(super) fn rmcp(tools: usize) -> Files {
    let manifest = manifest(
        "compile-rmcp",
        "rmcp = { version = \"=3.11.0\", features = [\"macros\", \"server\", \"schemars\"] }\n\
         schemars = \"1.2\"\nserde = { version = \"1.0.228\", features = [\"derive\"] }\n",
    );
    let mut routers = String::new();
    for number in 0..modules(tools) {
        push(&mut routers, format_args!("\n            + Self::router_{number}()"));
    }
    let main = format!(
        r#"use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::{{ServerHandler, tool_handler}};

/// The server that has the tools.
#[derive(Debug, Clone)]
pub struct Server {{
    tools: ToolRouter<Self>,
}}

impl Server {{
    fn new() -> Self {{
        let tools = ToolRouter::new(){routers};
        Self {{ tools }}
    }}
}}

#[tool_handler(router = self.tools)]
impl ServerHandler for Server {{}}

fn main() {{
    println!("{{}}", Server::new().tools.list_all().len());
}}
"#
    );
    let module = |numbers: std::ops::Range<usize>| {
        let router = numbers.start / A_MODULE;
        let (mut types, mut methods) = (String::new(), String::new());
        for number in numbers {
            rmcp_tool(&mut types, &mut methods, number);
        }
        format!(
            "use rmcp::handler::server::wrapper::{{Json, Parameters}};
use rmcp::{{ErrorData, tool, tool_router}};
use schemars::JsonSchema;
use serde::{{Deserialize, Serialize}};

use crate::Server;
{types}
#[tool_router(router = router_{router}, vis = \"pub(crate)\")]
impl Server {{{methods}}}
"
        )
    };
    Files { name: "compile-rmcp", manifest, sources: sources(tools, &main, module) }
}

fn rmcp_tool(types: &mut String, methods: &mut String, number: usize) {
    let shape = shapes::of(number);
    let (mut fields, mut names) = (String::new(), Vec::new());
    for parameter in shapes::parameters(number) {
        let (name, ty, about) = (parameter.name, parameter.ty, parameter.about);
        push(&mut fields, format_args!("    /// {about}\n    pub {name}: {ty},\n"));
        names.push(name);
    }
    push(
        types,
        format_args!(
            "
/// The arguments of tool {number}.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments{number} {{
{fields}}}

{}",
            answer_type(number, "#[derive(Serialize, JsonSchema)]"),
        ),
    );
    push(
        methods,
        format_args!(
            "
    /// Performs the action of tool {number}.
    #[tool(annotations(read_only_hint = true))]
    pub async fn tool_{number}(
        &self,
        Parameters(Arguments{number} {{ {} }}): Parameters<Arguments{number}>,
    ) -> Result<Json<Answer{number}>, ErrorData> {{
        if {} {{
            return Err(ErrorData::invalid_params(\"the arguments make no sense together\", None));
        }}
        Ok(Json({}))
    }}
",
            names.join(", "),
            shape.fails_if,
            answer(number, shape),
        ),
    );
}

fn answer_type(number: usize, attribute: &str) -> String {
    format!(
        "/// The answer of tool {number}.
{attribute}
pub struct Answer{number} {{
    /// The results.
    pub items: Vec<String>,
    /// The total number of results.
    pub total: u32,
    /// A note on the results.
    pub note: Option<String>,
}}
"
    )
}

fn answer(number: usize, shape: &Shape) -> String {
    let Shape { items, total, note, .. } = shape;
    let total = if number == 0 { format!("{total} + {TOUCHED}") } else { (*total).to_owned() };
    format!("Answer{number} {{ items: {items}, total: {total}, note: {note} }}")
}

fn modules(tools: usize) -> usize {
    tools.div_ceil(A_MODULE)
}

fn sources(
    tools: usize,
    main: &str,
    module: impl Fn(std::ops::Range<usize>) -> String,
) -> Vec<(String, String)> {
    let mut head = String::from("//! Generated: many tools.\n\n");
    let mut sources = Vec::new();
    for number in 0..modules(tools) {
        push(&mut head, format_args!("mod m{number};\n"));
        let first = number * A_MODULE;
        let text = module(first..tools.min(first + A_MODULE));
        sources.push((format!("m{number}.rs"), text));
    }
    sources.push(("main.rs".to_owned(), format!("{head}\n{main}")));
    sources
}

fn manifest(name: &str, dependencies: &str) -> String {
    format!(
        "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[dependencies]
{dependencies}
[workspace]
"
    )
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("writing to a string does not fail");
}
