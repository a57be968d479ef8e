//! Every form that serde gives an enum, as an argument and as an answer.

use serde_json::{Value, json};
use tool_runtime::prelude::*;

use super::{data, error, runtime};

macro_rules! representation {
    ($test:ident, $tool:ident, $handle:ident, $serde:meta, $right:expr, $wrong:expr) => {
        #[test]
        fn $test() {
            /// A shape.
            #[ai_type]
            #[$serde]
            enum Shape {
                /// Nothing.
                Empty,
                /// Round.
                Circle {
                    /// Its radius.
                    #[arg(range(0.0..=10.0))]
                    radius: f64,
                },
                /// Square.
                Square(Side),
            }

            /// A side.
            #[ai_type]
            struct Side {
                /// Its length.
                length: u32,
            }

            /// Gives back.
            #[ai_tool(effect = "read")]
            fn $tool(
                /// A shape.
                shape: Shape,
            ) -> Shape {
                shape
            }

            let runtime = runtime::<$handle>();
            let name = stringify!($tool);
            for right in $right {
                let arguments = json!({ "shape": right }).to_string();
                assert_eq!(data(&runtime, name, &arguments), right, "{arguments}");
            }
            let wrong: &[Value] = &$wrong;
            for wrong in wrong {
                let arguments = json!({ "shape": wrong }).to_string();
                assert_eq!(error(&runtime, name, &arguments)["code"], "INVALID_ARGUMENT");
            }
        }
    };
}

representation!(
    external,
    external_shape,
    ExternalShapeTool,
    serde(rename_all = "snake_case"),
    [json!("empty"), json!({"circle": {"radius": 1.5}}), json!({"square": {"length": 2}})],
    [
        json!("round"),
        json!({"circle": {"radius": 11.0}}),
        json!({"circle": {"radius": 1.0, "extra": 1}}),
        json!({"square": {"length": 2, "extra": 1}}),
    ]
);

representation!(
    internal,
    internal_shape,
    InternalShapeTool,
    serde(tag = "kind"),
    [
        json!({"kind": "Empty"}),
        json!({"kind": "Circle", "radius": 1.5}),
        json!({"kind": "Square", "length": 2}),
    ],
    [
        json!({"kind": "Round"}),
        json!({"radius": 1.5}),
        json!({"kind": "Circle", "radius": 1.0, "extra": 1}),
        json!({"kind": "Empty", "extra": 1}),
    ]
);

representation!(
    adjacent,
    adjacent_shape,
    AdjacentShapeTool,
    serde(tag = "kind", content = "of"),
    [
        json!({"kind": "Empty"}),
        json!({"kind": "Circle", "of": {"radius": 1.5}}),
        json!({"kind": "Square", "of": {"length": 2}}),
    ],
    [
        json!({"kind": "Circle"}),
        json!({"kind": "Circle", "of": {"radius": 1.5}, "extra": 1}),
        json!({"kind": "Circle", "of": {"radius": 1.5, "extra": 1}}),
    ]
);

representation!(
    untagged,
    untagged_shape,
    UntaggedShapeTool,
    serde(untagged),
    [json!(null), json!({"radius": 1.5}), json!({"length": 2})],
    [json!({"radius": "wide"}), json!({"radius": 1.5, "extra": 1}), json!(7)]
);
