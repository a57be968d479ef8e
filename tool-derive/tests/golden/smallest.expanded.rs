/// Tells the time.
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
fn now() {}
///Tells the time.
///
///Identifies the tool `now` ([`now`](fn@now)) at compile time. This type has no values; pass it as a type parameter.
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
enum NowTool {}
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "now"),
            );
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <() as __p::Select<{ __p::Probe::<()>::IS_RESULT }>>::Value,
            >(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<()>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (),
                    >(
                        __p::Fields {
                            index_of: |_| __p::UNKNOWN_FIELD,
                            open: false,
                        },
                        (),
                    )
                {
                    ::core::result::Result::Ok(__args) => __args,
                    ::core::result::Result::Err(__refused) => return __refused,
                };
                __call.gate().await;
                match __p::Returned(now()).split() {
                    ::core::result::Result::Ok(__value) => {
                        __p::answered(&__call, &__value)
                    }
                    ::core::result::Result::Err(__error) => {
                        __call.failed((&&&&&&&&__p::FaultProbe(&__error)).fault())
                    }
                }
            })
        }
        __p::Definition {
            name: "now",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Tells the time.",
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
            dry_run: false,
            has_preview: false,
            reconciles: false,
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "now"),
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
    impl ::core::fmt::Debug for NowTool {
        fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __f.write_str("NowTool")
        }
    }
    impl __p::Tool for NowTool {
        fn definition() -> &'static __p::Definition {
            &__TOOL
        }
    }
    impl __p::TypedTool for NowTool {
        type Output = <() as __p::Select<{ __p::Probe::<()>::IS_RESULT }>>::Value;
    }
    #[used]
    static __HANDLE: ::core::marker::PhantomData<NowTool> = ::core::marker::PhantomData;
    __p::discover! {
        & __TOOL
    }
};
