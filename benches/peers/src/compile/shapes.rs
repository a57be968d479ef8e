//! The tools of both crates: four shapes of parameters, in turn and in changing order.

/// A parameter of a generated tool.
#[derive(Debug)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: &'static str,
    /// Its type.
    pub(super) ty: &'static str,
    /// The description for the model.
    pub(super) about: &'static str,
}

/// A shape of tool: its parameters, and the code of its answer.
#[derive(Debug)]
pub(super) struct Shape {
    /// The parameters.
    pub(super) parameters: &'static [Parameter],
    /// The condition for the tool's failure.
    pub(super) fails_if: &'static str,
    /// The answer's `items`, a `Vec<String>`.
    pub(super) items: &'static str,
    /// The answer's `total`, a `u32`.
    pub(super) total: &'static str,
    /// The answer's `note`, an `Option<String>`.
    pub(super) note: &'static str,
}

const fn parameter(name: &'static str, ty: &'static str, about: &'static str) -> Parameter {
    Parameter { name, ty, about }
}

const SHAPES: [Shape; 4] = [
    Shape {
        parameters: &[
            parameter("query", "String", "Words to look for."),
            parameter("limit", "u32", "Most hits to return."),
            parameter("tags", "Vec<String>", "Only content that carries all of these tags."),
        ],
        fails_if: "query.is_empty()",
        items: "tags",
        total: "limit",
        note: "Some(query)",
    },
    Shape {
        parameters: &[
            parameter("path", "String", "The folder to list."),
            parameter("recursive", "bool", "Whether to list the folders in it as well."),
            parameter("depth", "Option<u32>", "How deep to go."),
        ],
        fails_if: "path.is_empty()",
        items: "vec![path]",
        total: "depth.unwrap_or_default()",
        note: "recursive.then(String::new)",
    },
    Shape {
        parameters: &[
            parameter("city", "String", "The city's name."),
            parameter("latitude", "f64", "Degrees north."),
            parameter("longitude", "f64", "Degrees east."),
            parameter("metric", "bool", "Whether to answer in metric units."),
        ],
        fails_if: "latitude > 90.0 || longitude > 180.0",
        items: "vec![city]",
        total: "u32::from(metric)",
        note: "None",
    },
    Shape {
        parameters: &[
            parameter("number", "u64", "The ticket's number."),
            parameter("title", "String", "The ticket's new title."),
            parameter("body", "Option<String>", "The ticket's new text."),
            parameter("labels", "Vec<String>", "The labels that it carries from now on."),
        ],
        fails_if: "number == 0 || title.is_empty()",
        items: "labels",
        total: "0",
        note: "body",
    },
];

/// Returns the shape of the tool with this number.
pub(super) fn of(number: usize) -> &'static Shape {
    &SHAPES[number % SHAPES.len()]
}

/// Returns the parameters of the tool with this number: their order differs between tools of a
/// shape.
pub(super) fn parameters(number: usize) -> impl Iterator<Item = &'static Parameter> {
    let parameters = of(number).parameters;
    let first = number / SHAPES.len() % parameters.len();
    parameters.iter().cycle().skip(first).take(parameters.len())
}
