//! Writes the Markdown reference of all tools.

mod fields;
mod markdown;

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;
use tool_contracts::ToolkitSpec;

use self::fields::{SchemaField, fields, kind};
use self::markdown::{anchor, cell, code, paragraph};
use super::contract::Contract;
use super::instance;

/// Writes a page with a section per tool, and one per toolkit before its first tool.
pub(super) fn reference(tools: &[Contract]) -> String {
    let mut page = MarkdownPage(String::from(
        "# Tools\n\n<!-- Generated from the tools' code; do not edit. -->\n",
    ));
    page.contents(tools);
    let mut seen = BTreeSet::new();
    for tool in tools {
        if let Some(toolkit) = tool.spec.toolkit() {
            // Two toolkits may have the same name and different descriptions.
            if seen.insert((toolkit.name(), toolkit.description())) {
                page.toolkit(toolkit);
            }
        }
        page.tool(tool);
    }
    page.0
}

/// Describes each field of a tool's arguments and data in a line, for a reader of a lock's changes.
pub(super) fn field_lines(tool: &Contract) -> Vec<String> {
    let line = |side: &str, field: SchemaField| {
        let SchemaField { path, kind, required, default, rules, .. } = field;
        let default = default.map(|value| format!("default {value}"));
        let required = required.then(|| "required".to_owned());
        let facts: Vec<_> =
            [kind].into_iter().chain(rules).chain(default).chain(required).collect();
        format!("{} {side} {path}: {}", tool.name(), facts.join(", "))
    };
    let taken = fields(&tool.input()).into_iter().map(|field| line("takes", field));
    let returned = fields(&tool.output()).into_iter().map(|field| line("returns", field));
    taken.chain(returned).collect()
}

struct MarkdownPage(String);

impl MarkdownPage {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Appends a paragraph, a list or a table, separated by a blank line.
    fn block(&mut self, text: &str) {
        self.0.push('\n');
        self.line(text.trim_end());
    }

    fn table<const N: usize>(&mut self, head: [&str; N], rows: impl Iterator<Item = [String; N]>) {
        let mut table = format!("| {} |\n|{}", head.join(" | "), " --- |".repeat(N));
        for row in rows {
            let _ = write!(table, "\n| {} |", row.join(" | "));
        }
        self.block(&table);
    }

    fn contents(&mut self, tools: &[Contract]) {
        let row = |tool: &Contract| {
            let name = format!("[{}](#{})", code(tool.name()), anchor(tool.name()));
            let first = tool.spec.description().lines().next().unwrap_or_default();
            [name, tool.spec.effect().to_string(), cell(first)]
        };
        self.table(["tool", "effect", "description"], tools.iter().map(row));
    }

    fn toolkit(&mut self, toolkit: &ToolkitSpec) {
        self.block(&format!("## Toolkit {}", code(toolkit.name())));
        self.block(&paragraph(toolkit.description()));
    }

    fn tool(&mut self, tool: &Contract) {
        self.block(&format!("## {}", code(tool.name())));
        self.block(&paragraph(tool.spec.description()));
        self.facts(tool);
        self.parameters(tool);
        self.answer(tool);
        self.failures(tool);
    }

    fn facts(&mut self, tool: &Contract) {
        let spec = &tool.spec;
        let mut facts = vec![("version", spec.version().to_owned())];
        facts.extend(spec.title().map(|title| ("title", cell(title))));
        facts.extend(spec.category().map(|category| ("category", cell(category))));
        facts.extend(spec.toolkit().map(|toolkit| ("toolkit", code(toolkit.name()))));
        facts.push(("effect", effect(tool)));
        facts.push(("permission", format!("{}; the host may override it", spec.permission())));
        facts.push(("caller", caller(tool).to_owned()));
        facts.extend(spec.timeout_ms().map(|time| ("time limit", milliseconds(time))));
        facts.extend(spec.ttl_seconds().map(|time| ("cacheable for", format!("{time} s"))));
        self.table(["", ""], facts.into_iter().map(|(name, fact)| [name.to_owned(), fact]));
    }

    fn parameters(&mut self, tool: &Contract) {
        let fields = fields(&tool.input());
        self.block("### Parameters");
        if fields.is_empty() {
            return self.block("None.");
        }
        let row = |field: SchemaField| {
            let required = if field.required { "yes" } else { "no" };
            let default = field.default.map(|value| code(&value.to_string())).unwrap_or_default();
            let rules = field.rules.join(", ");
            [code(&field.path), field.kind, required.to_owned(), default, rules, cell(&field.text)]
        };
        let head = ["name", "type", "required", "default", "rules", "description"];
        self.table(head, fields.into_iter().map(row));
        let examples = tool.spec.input_examples();
        if !examples.is_empty() {
            self.block("Examples:");
            let lines = examples.iter().map(|it| Value::Object(it.clone()).to_string());
            let lines = lines.collect::<Vec<_>>().join("\n");
            return self.block(&format!("```json\n{lines}\n```"));
        }
        if let Some(arguments) = instance::arguments(tool) {
            self.block("A minimal call, generated from the schema:");
            self.block(&format!("```json\n{arguments}\n```"));
        }
    }

    fn answer(&mut self, tool: &Contract) {
        self.block("### Answer");
        if tool.spec.output_schema().is_none() {
            return self.block("Any JSON.");
        }
        let schema = tool.output();
        self.block(&format!("`data` is {}.", kind(&schema, &schema)));
        let fields = fields(&schema);
        if !fields.is_empty() {
            let row = |field: SchemaField| {
                let rules = field.rules.join(", ");
                let always = if field.required { "yes" } else { "no" };
                [code(&field.path), field.kind, always.to_owned(), rules, cell(&field.text)]
            };
            let head = ["name", "type", "always present", "rules", "description"];
            self.table(head, fields.into_iter().map(row));
        }
    }

    fn failures(&mut self, tool: &Contract) {
        self.block("### Failures");
        if tool.codes.is_empty() {
            return self.block("None of its own; a call may fail with any code of the runtime.");
        }
        let codes =
            tool.codes.iter().map(|(name, error_type)| [code(name), error_type.to_string()]);
        self.table(["code", "type"], codes);
        self.block("A call may also fail with any code of the runtime.");
    }
}

fn effect(tool: &Contract) -> String {
    let annotations = tool.spec.annotations();
    let mut words = vec![tool.spec.effect().to_string()];
    words.extend(
        annotations.idempotent().then(|| "repeating a call has no further effect".to_owned()),
    );
    words.extend(annotations.open_world().then(|| "accesses other systems".to_owned()));
    words.join("; ")
}

fn caller(tool: &Contract) -> &'static str {
    match (tool.spec.requires_auth(), tool.spec.ai_callable()) {
        (true, true) => "authenticated users, including models",
        (true, false) => "authenticated users, not models",
        (false, true) => "any caller, including models",
        (false, false) => "any caller, not models",
    }
}

fn milliseconds(time: u64) -> String {
    if time % 1_000 == 0 { format!("{} s", time / 1_000) } else { format!("{time} ms") }
}
