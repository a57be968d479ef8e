/// Renames a page.
#[allow(dead_code)]
#[cfg(feature = "pages")]
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
async fn rename_page(dry_run: &DryRun, pages: &Pages, r#type: String) {
    pages.rename(r#type, dry_run).await;
}
#[cfg(feature = "pages")]
///Renames a page.
///
///Identifies the tool `rename_page` ([`rename_page`](fn@rename_page)) at compile time. This type has no values; pass it as a type parameter.
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
enum RenamePageTool {}
#[cfg(feature = "pages")]
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "rename_page"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < String > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<String>(&mut __s, "type", "Which.");
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <() as __p::Select<{ __p::Probe::<()>::IS_RESULT }>>::Value,
            >(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([
                {
                    __p::assert_host_value::<DryRun>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < DryRun > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<DryRun>::NEW).need();
                    __need
                },
                {
                    __p::assert_host_value::<Pages>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < Pages > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<Pages>::NEW).need();
                    __need
                },
            ])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<()>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (String,),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "type" => 0usize,
                                _ => __p::UNKNOWN_FIELD,
                            },
                            open: false,
                        },
                        (::core::option::Option::None,),
                    )
                {
                    ::core::result::Result::Ok(__args) => __args,
                    ::core::result::Result::Err(__refused) => return __refused,
                };
                __call.gate().await;
                let __h0 = match (&&__p::Probe::<DryRun>::NEW).take(&__call, 0usize) {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                let __h1 = match (&&__p::Probe::<Pages>::NEW).take(&__call, 1usize) {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                match __p::Returned(
                        rename_page(__h0.deref(), __h1.deref(), __args.0).await,
                    )
                    .split()
                {
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
            name: "rename_page",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Renames a page.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::None,
            examples: &[],
            effect: __p::Effect::Write,
            idempotent: true,
            open_world: true,
            ttl: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            requires_auth: true,
            ai_callable: true,
            dry_run: {
                ::core::assert!(
                    __p::Probe:: < DryRun > ::HANDLES_DRY_RUN | __p::Probe:: < Pages >
                    ::HANDLES_DRY_RUN,
                    "a write must support dry runs: take a `&DryRun` parameter and perform no effect while it is active, or name a function with the same parameters: `preview = preview_it`"
                );
                true
            },
            has_preview: false,
            reconciles: false,
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "rename_page"),
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
    impl ::core::fmt::Debug for RenamePageTool {
        fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __f.write_str("RenamePageTool")
        }
    }
    impl __p::Tool for RenamePageTool {
        fn definition() -> &'static __p::Definition {
            &__TOOL
        }
    }
    impl __p::TypedTool for RenamePageTool {
        type Output = <() as __p::Select<{ __p::Probe::<()>::IS_RESULT }>>::Value;
    }
    #[used]
    static __HANDLE: ::core::marker::PhantomData<RenamePageTool> = ::core::marker::PhantomData;
    __p::discover! {
        & __TOOL
    }
};
