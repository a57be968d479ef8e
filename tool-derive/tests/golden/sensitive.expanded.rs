#[derive(
    ::tool_runtime::__private::serde::Serialize,
    ::tool_runtime::__private::serde::Deserialize,
    ::tool_runtime::__private::schemars::JsonSchema
)]
#[serde(crate = "::tool_runtime::__private::serde")]
#[schemars(crate = "::tool_runtime::__private::schemars")]
#[schemars(transform = ::tool_runtime::__private::title::<Self>)]
#[schemars(title = "", description = "A login.")]
#[serde(deny_unknown_fields)]
/// A login.
#[derive(Clone)]
struct Login<T: Copy, const N: usize>
where
    T: Into<String>,
{
    /// Who.
    #[schemars(extend("x-sensitivity" = "pii"))]
    #[schemars(title = "", description = "Who.")]
    r#type: String,
    /// By what.
    #[cfg(test)]
    #[schemars(extend("x-sensitivity" = "secret"))]
    #[schemars(transform = ::tool_runtime::__private::title::<[u8;N]>)]
    #[schemars(title = "", description = "By what.")]
    pin: [u8; N],
    /// The rest.
    #[schemars(transform = ::tool_runtime::__private::title::<T>)]
    #[schemars(title = "", description = "The rest.")]
    r#ref: T,
}
#[automatically_derived]
impl<T: Copy + ::core::fmt::Debug, const N: usize> ::core::fmt::Debug for Login<T, N>
where
    T: Into<String>,
{
    fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            Self { r#type: _, #[cfg(test)] pin: _, r#ref: __field2 } => {
                let mut __debug = __f.debug_struct("Login");
                __debug.field("type", &::core::format_args!("***"));
                #[cfg(test)] __debug.field("pin", &::core::format_args!("***"));
                __debug.field("ref", __field2);
                __debug.finish()
            }
        }
    }
}
#[derive(
    ::tool_runtime::__private::serde::Serialize,
    ::tool_runtime::__private::serde::Deserialize,
    ::tool_runtime::__private::schemars::JsonSchema
)]
#[serde(crate = "::tool_runtime::__private::serde")]
#[schemars(crate = "::tool_runtime::__private::schemars")]
#[schemars(transform = ::tool_runtime::__private::title::<Self>)]
#[schemars(title = "", description = "A way to pay.")]
#[serde(deny_unknown_fields)]
/// A way to pay.
#[derive()]
enum Payment {
    /// None.
    Free,
    /// By card.
    Card(#[schemars(extend("x-sensitivity" = "secret"))] String, u8),
    /// By bill.
    #[cfg(test)]
    Bill {
        /// To whom.
        #[schemars(extend("x-sensitivity" = "pii"))]
        #[schemars(title = "", description = "To whom.")]
        name: String,
    },
}
#[automatically_derived]
impl ::core::fmt::Debug for Payment {
    fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            Self::Free => __f.write_str("Free"),
            Self::Card { 0: _, 1: __field1 } => {
                let mut __debug = __f.debug_tuple("Card");
                __debug.field(&::core::format_args!("***"));
                __debug.field(__field1);
                __debug.finish()
            }
            #[cfg(test)]
            Self::Bill { name: _ } => {
                let mut __debug = __f.debug_struct("Bill");
                __debug.field("name", &::core::format_args!("***"));
                __debug.finish()
            }
        }
    }
}
#[derive(
    ::tool_runtime::__private::serde::Serialize,
    ::tool_runtime::__private::schemars::JsonSchema
)]
#[serde(crate = "::tool_runtime::__private::serde")]
#[schemars(crate = "::tool_runtime::__private::schemars")]
#[schemars(transform = ::tool_runtime::__private::title::<Self>)]
#[schemars(title = "", description = "Nothing to hide.")]
#[serde(deny_unknown_fields)]
/// Nothing to hide.
#[derive(Debug)]
struct Plain {
    /// Words.
    #[schemars(title = "", description = "Words.")]
    words: String,
}
const _: () = {
    use ::tool_runtime::__private as __p;
    #[automatically_derived]
    impl<'de> __p::serde::Deserialize<'de> for Plain {
        fn deserialize<__D: __p::serde::Deserializer<'de>>(
            __deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let __fields = __p::read_struct::<
                (String,),
                _,
            >(
                __deserializer,
                __p::StructFields {
                    name: "Plain",
                    fields: &["words"],
                    open: false,
                },
                (::core::option::Option::None,),
            )?;
            ::core::result::Result::Ok(Self { words: __fields.0 })
        }
    }
};
#[derive(
    ::tool_runtime::__private::serde::Serialize,
    ::tool_runtime::__private::schemars::JsonSchema
)]
#[serde(crate = "::tool_runtime::__private::serde")]
#[schemars(crate = "::tool_runtime::__private::schemars")]
#[schemars(transform = ::tool_runtime::__private::title::<Self>)]
#[schemars(title = "", description = "Without a visible `Debug`.")]
#[serde(deny_unknown_fields)]
/// Without a visible `Debug`.
struct Silent {
    /// By what.
    #[schemars(extend("x-sensitivity" = "secret"))]
    #[schemars(title = "", description = "By what.")]
    pin: String,
}
const _: () = <Silent as ::tool_runtime::__private::DeriveDebugStandsBelowAiType<
    _,
>>::HOLDS;
const _: () = {
    use ::tool_runtime::__private as __p;
    #[automatically_derived]
    impl<'de> __p::serde::Deserialize<'de> for Silent {
        fn deserialize<__D: __p::serde::Deserializer<'de>>(
            __deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let __fields = __p::read_struct::<
                (String,),
                _,
            >(
                __deserializer,
                __p::StructFields {
                    name: "Silent",
                    fields: &["pin"],
                    open: false,
                },
                (::core::option::Option::None,),
            )?;
            ::core::result::Result::Ok(Self { pin: __fields.0 })
        }
    }
};
