/// Lists squares.
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
async fn squares<'a>(
    _: &ToolContext,
    count: u32,
    name: &'a str,
) -> Result<impl Serialize + JsonSchema, Error> {
    Ok(name.repeat(count))
}
///Lists squares.
///
///Identifies the tool `squares` ([`squares`](fn@squares)) at compile time. This type has no values; pass it as a type parameter.
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
enum SquaresTool {}
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "squares"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < u32 > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<u32>(&mut __s, "count", "How many.").example(&(3));
            const _: () = ::core::assert!(
                ! __p::Probe:: < __p::String > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<__p::String>(&mut __s, "name", "Their name.");
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            fn __returned<F: ::core::future::Future>(
                _: impl ::core::ops::FnOnce() -> F,
            ) -> __p::Probe<F::Output> {
                __p::Probe::NEW
            }
            (&__returned(|| squares(
                __p::never_passed(),
                __p::never_passed(),
                __p::never_passed(),
            )))
                .output_schema(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([
                {
                    __p::assert_host_value::<ToolContext>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < ToolContext > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<ToolContext>::NEW)
                        .need();
                    __need
                },
            ])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            &[]
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (u32, __p::Text<'_>),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "count" => 0usize,
                                "name" => 1usize,
                                _ => __p::UNKNOWN_FIELD,
                            },
                            open: false,
                        },
                        (::core::option::Option::None, ::core::option::Option::None),
                    )
                {
                    ::core::result::Result::Ok(__args) => __args,
                    ::core::result::Result::Err(__refused) => return __refused,
                };
                __call.gate().await;
                let __h0 = match (&&__p::Probe::<ToolContext>::NEW).take(&__call, 0usize)
                {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                match __p::Returned(squares(__h0.deref(), __args.0, &__args.1).await)
                    .split()
                {
                    ::core::result::Result::Ok(__value) => {
                        __p::opaque_answered(&__call, &(__value))
                    }
                    ::core::result::Result::Err(__error) => {
                        __call.failed((&&&&&&&&__p::FaultProbe(&__error)).fault())
                    }
                }
            })
        }
        __p::Definition {
            name: "squares",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Lists squares.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::None,
            examples: &[],
            effect: __p::Effect::Read,
            idempotent: false,
            open_world: false,
            ttl: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            requires_auth: true,
            ai_callable: true,
            dry_run: __p::Probe::<ToolContext>::HANDLES_DRY_RUN,
            has_preview: false,
            reconciles: false,
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "squares"),
            file: ::core::file!(),
            line: ::core::line!(),
            input: __input,
            output: __output,
            host: __host,
            codes: __codes,
            estimate: ::core::option::Option::None,
            start: __start,
        }
    };
    impl ::core::fmt::Debug for SquaresTool {
        fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __f.write_str("SquaresTool")
        }
    }
    impl __p::Tool for SquaresTool {
        fn definition() -> &'static __p::Definition {
            &__TOOL
        }
    }
    #[used]
    static __HANDLE: ::core::marker::PhantomData<SquaresTool> = ::core::marker::PhantomData;
    __p::discover! {
        & __TOOL
    }
};
