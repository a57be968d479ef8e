//! Draws the figures that compare, as bars, from the lines that the commands print for machines.
//!
//! Needs nothing but the standard library, so that a test includes this file and compares the drawings
//! that are under version control with the recorded lines.

use std::fmt::Write as _;

/// A drawing: its file, the line that it reads, and its bars.
struct Plot {
    file: &'static str,
    /// The name before the colon of the line.
    line: &'static str,
    title: &'static str,
    unit: &'static str,
    bars: &'static [Bar],
}

/// A bar: its label, the key of its value in the line, and its colour.
struct Bar {
    label: &'static str,
    value: Source,
    class: &'static str,
}

enum Source {
    Key(&'static str),
    /// The value to which the others are relative.
    One,
}

const fn bar(label: &'static str, value: Source, class: &'static str) -> Bar {
    Bar { label, value, class }
}

const PLOTS: [Plot; 3] = [
    Plot {
        file: "dispatch.svg",
        line: "peers",
        title: "Instructions of a call whose answer has 10 items, relative to hand-written code",
        unit: "×",
        bars: &[
            bar("by hand", Source::One, "base"),
            bar("tool-runtime", Source::Key("ours"), "ours"),
            bar("llm-tool, RustTool", Source::Key("llm_tool_lean"), "peer"),
            bar("rig, ToolSet, text", Source::Key("rig_lean"), "peer"),
            bar("rmcp, text", Source::Key("rmcp_lean"), "peer"),
            bar("rig, ToolServer", Source::Key("rig"), "peer"),
            bar("llm-tool, #[llm_tool]", Source::Key("llm_tool"), "peer"),
            bar("rmcp, Json<T>", Source::Key("rmcp"), "peer"),
        ],
    },
    Plot {
        file: "http.svg",
        line: "http",
        title: "Processor time of an HTTP request with 1.2 kB of answer",
        unit: "µs",
        bars: &[
            bar("axum, by hand", Source::Key("us_by_hand"), "base"),
            bar("tool-runtime", Source::Key("us"), "ours"),
            bar("tool-runtime, with the ledger", Source::Key("us_with_ledger"), "ours"),
            bar("FastAPI, pydantic, uvicorn", Source::Key("us_fastapi"), "peer"),
        ],
    },
    Plot {
        file: "compile.svg",
        line: "compile",
        title: "Building a crate of 200 tools, dependencies built",
        unit: "s",
        bars: &[
            bar("tool-runtime, clean", Source::Key("ours_clean"), "ours"),
            bar("rmcp, clean", Source::Key("rmcp_clean"), "peer"),
            bar("tool-runtime, one change", Source::Key("ours_touch"), "ours"),
            bar("rmcp, one change", Source::Key("rmcp_touch"), "peer"),
        ],
    },
];

const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}\
.base{fill:#8c959f}.ours{fill:#0969da}.peer{fill:#bf8700}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.base{fill:#6e7681}.ours{fill:#58a6ff}.peer{fill:#d29922}}";

/// The left edge of the bars, the width of the longest, and the height of a row, in pixels.
const LEFT: f64 = 210.0;
const WIDEST: f64 = 420.0;
const ROW: f64 = 26.0;

/// Draws every figure whose line is in the text, as file names and SVG documents.
///
/// # Errors
/// A text that says which value a line lacks.
pub fn draw(recorded: &str) -> Result<Vec<(&'static str, String)>, String> {
    let lines = PLOTS.iter().filter_map(|plot| {
        let values =
            |line: &str| line.strip_prefix(plot.line)?.strip_prefix(": ").map(str::to_owned);
        recorded.lines().filter_map(values).next_back().map(|values| (plot, values))
    });
    lines.map(|(plot, values)| Ok((plot.file, svg(plot, &values)?))).collect()
}

fn svg(plot: &Plot, values: &str) -> Result<String, String> {
    let values = plot.bars.iter().map(|bar| Ok((bar, value(plot, bar, values)?)));
    let values: Vec<(&Bar, f64)> = values.collect::<Result<_, String>>()?;
    let most = values.iter().map(|(_, value)| *value).fold(f64::MIN_POSITIVE, f64::max);
    let (title, unit) = (plot.title, plot.unit);
    let mut height = 40.0;
    let mut bars = String::new();
    for (bar, value) in values {
        let (label, class) = (bar.label.replace('<', "&lt;"), bar.class);
        let (width, text) = ((value / most * WIDEST).max(1.0), height + 14.0);
        let _ = writeln!(
            bars,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{label}</text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{height}\" width=\"{width:.1}\" height=\"18\"/>\
             <text x=\"{:.1}\" y=\"{text}\">{value} {unit}</text>",
            LEFT - 8.0,
            LEFT + width + 6.0,
        );
        height += ROW;
    }
    let width = LEFT + WIDEST + 90.0;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <text class=\"title\" x=\"8\" y=\"22\">{title}</text>\n{bars}</svg>\n"
    ))
}

/// Reads a bar's value from the line, without its unit.
fn value(plot: &Plot, bar: &Bar, values: &str) -> Result<f64, String> {
    let Source::Key(key) = bar.value else { return Ok(1.0) };
    let mut pairs = values.split(' ').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(name, _)| *name == key).map(|(_, value)| value);
    let number = found.map(|value| value.trim_end_matches(|it: char| it.is_alphabetic()).parse());
    number.and_then(Result::ok).ok_or_else(|| format!("`{}:` has no number `{key}`", plot.line))
}
