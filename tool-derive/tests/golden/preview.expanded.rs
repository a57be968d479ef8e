/// Deletes a page.
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
pub fn delete_page(page: u64) -> Result<(), PageError> {
    pages::delete(page)
}
///Deletes a page.
///
///Identifies the tool `delete_page` ([`delete_page`](fn@delete_page)) at compile time. This type has no values; pass it as a type parameter.
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
pub enum DeletePageTool {}
const _: () = {
    use renamed::runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "delete_page"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < u64 > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<u64>(&mut __s, "page", "Which.");
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <Result<
                    (),
                    PageError,
                > as __p::Select<
                    { __p::Probe::<Result<(), PageError>>::IS_RESULT },
                >>::Value,
            >(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<Result<(), PageError>>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (u64,),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "page" => 0usize,
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
                if __call.dry_run() {
                    return match __p::Returned(pages::preview_delete((__args.0,).0))
                        .split()
                    {
                        ::core::result::Result::Ok(__value) => {
                            __p::previewed(&__call, &(__value))
                        }
                        ::core::result::Result::Err(__error) => {
                            __call.failed((&&&&&&&&__p::FaultProbe(&__error)).fault())
                        }
                    };
                }
                match __p::Returned(delete_page(__args.0)).split() {
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
            name: "delete_page",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Deletes a page.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::None,
            examples: &[],
            effect: __p::Effect::Destructive,
            idempotent: false,
            open_world: false,
            ttl: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            requires_auth: true,
            ai_callable: true,
            dry_run: true,
            has_preview: true,
            reconciles: false,
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "delete_page"),
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
    impl ::core::fmt::Debug for DeletePageTool {
        fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __f.write_str("DeletePageTool")
        }
    }
    impl __p::Tool for DeletePageTool {
        fn definition() -> &'static __p::Definition {
            &__TOOL
        }
    }
    impl __p::TypedTool for DeletePageTool {
        type Output = <Result<
            (),
            PageError,
        > as __p::Select<{ __p::Probe::<Result<(), PageError>>::IS_RESULT }>>::Value;
    }
    #[used]
    static __HANDLE: ::core::marker::PhantomData<DeletePageTool> = ::core::marker::PhantomData;
    __p::discover! {
        & __TOOL
    }
};
