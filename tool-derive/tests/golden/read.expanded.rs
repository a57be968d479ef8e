/// Searches the published content of a site.
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
async fn search_content(
    cx: &ToolContext,
    index: &Index,
    query: &str,
    limit: u32,
    tags: Vec<String>,
) -> Result<Hits, SearchError> {
    index.search(cx, query, limit, tags).await
}
///Searches the published content of a site.
///
///Identifies the tool `search_content` ([`search_content`](fn@search_content)) at compile time. This type has no values; pass it as a type parameter.
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
enum SearchContentTool {}
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "search_content"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < __p::String > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<__p::String>(&mut __s, "query", "Words to look for.");
            const _: () = ::core::assert!(
                ! __p::Probe:: < u32 > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<u32>(&mut __s, "limit", "Most hits to return.")
                .default((&&__p::DefaultProbe(&__default_limit())).to_json())
                .range::<<u32 as __p::AsNumber>::Number>(&(1..=50));
            const _: () = ::core::assert!(
                ! __p::Probe:: < Vec < String > > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<Vec<String>>(&mut __s, "tags", "Only these tags.")
                .default(
                    (&&__p::DefaultProbe(
                        &<Vec<String> as ::core::default::Default>::default(),
                    ))
                        .to_json(),
                )
                .length(&(..=20));
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <Result<
                    Hits,
                    SearchError,
                > as __p::Select<
                    { __p::Probe::<Result<Hits, SearchError>>::IS_RESULT },
                >>::Value,
            >(__g)
        }
        #[allow(clippy::unnecessary_wraps)]
        fn __default_limit() -> u32 {
            10
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
                {
                    __p::assert_host_value::<Index>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < Index > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<Index>::NEW).need();
                    __need
                },
            ])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<Result<Hits, SearchError>>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (__p::Text<'_>, u32, Vec<String>),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "query" => 0usize,
                                "limit" => 1usize,
                                "tags" => 2usize,
                                _ => __p::UNKNOWN_FIELD,
                            },
                            open: false,
                        },
                        (
                            ::core::option::Option::None,
                            ::core::option::Option::Some(__default_limit),
                            ::core::option::Option::Some(
                                ::core::default::Default::default,
                            ),
                        ),
                    )
                {
                    ::core::result::Result::Ok(__args) => __args,
                    ::core::result::Result::Err(__refused) => return __refused,
                };
                if !(__p::in_range(&__args.1, &(1..=50))
                    && __p::has_length(&__args.2, &(..=20)))
                {
                    return __call.out_of_bounds();
                }
                __call.gate().await;
                let __h0 = match (&&__p::Probe::<ToolContext>::NEW).take(&__call, 0usize)
                {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                let __h1 = match (&&__p::Probe::<Index>::NEW).take(&__call, 1usize) {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                match __p::Returned(
                        search_content(
                                __h0.deref(),
                                __h1.deref(),
                                &__args.0,
                                __args.1,
                                __args.2,
                            )
                            .await,
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
            name: "search_content",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Searches the published content of a site.",
            category: ::core::option::Option::Some("content"),
            toolkit: ::core::option::Option::None,
            examples: &[r#"{"query":"tea"}"#, r#"{"query":"jam","limit":3}"#],
            effect: __p::Effect::Read,
            idempotent: false,
            open_world: false,
            ttl: ::core::option::Option::Some(60000u64),
            timeout: ::core::option::Option::Some(5000u64),
            requires_auth: true,
            ai_callable: true,
            dry_run: __p::Probe::<ToolContext>::HANDLES_DRY_RUN
                | __p::Probe::<Index>::HANDLES_DRY_RUN,
            has_preview: false,
            reconciles: false,
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: true,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "search_content"),
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
    impl ::core::fmt::Debug for SearchContentTool {
        fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __f.write_str("SearchContentTool")
        }
    }
    impl __p::Tool for SearchContentTool {
        fn definition() -> &'static __p::Definition {
            &__TOOL
        }
    }
    impl __p::TypedTool for SearchContentTool {
        type Output = <Result<
            Hits,
            SearchError,
        > as __p::Select<{ __p::Probe::<Result<Hits, SearchError>>::IS_RESULT }>>::Value;
    }
    #[used]
    static __HANDLE: ::core::marker::PhantomData<SearchContentTool> = ::core::marker::PhantomData;
    __p::discover! {
        & __TOOL
    }
};
