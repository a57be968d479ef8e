#[derive(
    ::tool_runtime::__private::serde::Serialize,
    ::tool_runtime::__private::serde::Deserialize,
    ::tool_runtime::__private::schemars::JsonSchema
)]
#[serde(crate = "::tool_runtime::__private::serde")]
#[schemars(crate = "::tool_runtime::__private::schemars")]
#[schemars(transform = ::tool_runtime::__private::title::<Self>)]
#[schemars(title = "", description = "A filter.")]
#[serde(deny_unknown_fields)]
/// A filter.
#[derive()]
#[serde(rename_all = "camelCase")]
pub struct Filter<T> {
    /// Least score.
    #[serde(default = "Filter :: < T >::__default_score")]
    #[schemars(extend("minimum" = 0))]
    #[schemars(extend("maximum" = 100))]
    #[schemars(title = "", description = "Least score.")]
    score: u8,
    /// Words.
    #[serde(default)]
    #[schemars(extend("maxItems" = (3)-1))]
    #[schemars(transform = ::tool_runtime::__private::title::<Vec<T>>)]
    #[schemars(title = "", description = "Words.")]
    words: Vec<T>,
    /// A name.
    #[serde(rename = "called")]
    #[schemars(extend("minLength" = 1))]
    #[schemars(extend("maxLength" = 5))]
    #[schemars(extend("pattern" = "^[a-z]+$"))]
    #[schemars(extend("x-sensitivity" = "pii"))]
    #[schemars(example = &("ada"))]
    #[schemars(title = "", description = "A name.")]
    name: Option<String>,
    /// The rest.
    #[serde(skip)]
    #[schemars(title = "", description = "The rest.")]
    rest: Vec<u8>,
}
impl<T> Filter<T> {
    #[doc(hidden)]
    #[allow(clippy::unnecessary_wraps)]
    fn __default_score() -> u8 {
        50
    }
}
#[automatically_derived]
impl<T: ::core::fmt::Debug> ::core::fmt::Debug for Filter<T> {
    fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            Self { score: __field0, words: __field1, name: _, rest: __field3 } => {
                let mut __debug = __f.debug_struct("Filter");
                __debug.field("score", __field0);
                __debug.field("words", __field1);
                __debug.field("name", &::core::format_args!("***"));
                __debug.field("rest", __field3);
                __debug.finish()
            }
        }
    }
}
#[derive(renamed::__private::serde::Serialize, renamed::__private::schemars::JsonSchema)]
#[serde(crate = "renamed::__private::serde")]
#[schemars(crate = "renamed::__private::schemars")]
#[schemars(transform = renamed::__private::title::<Self>)]
#[schemars(title = "", description = "A shape.")]
#[schemars(transform = renamed::__private::open)]
/// A shape.
enum Shape {
    /// None.
    Empty,
    /// Round.
    Circle {
        /// Its radius.
        #[schemars(extend("minimum" = 0.0))]
        #[schemars(extend("exclusiveMaximum" = 10.0))]
        #[schemars(title = "", description = "Its radius.")]
        radius: f64,
    },
}
