/// Places an order.
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
async fn place_order(
    orders: &Orders,
    idempotency: &Idempotency,
    item: &str,
) -> Result<Order, OrderError> {
    orders.place(idempotency, item).await
}
///Places an order.
///
///Identifies the tool `place_order` ([`place_order`](fn@place_order)) at compile time. This type has no values; pass it as a type parameter.
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
enum PlaceOrderTool {}
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "place_order"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < __p::String > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<__p::String>(&mut __s, "item", "What.");
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <Result<
                    Order,
                    OrderError,
                > as __p::Select<
                    { __p::Probe::<Result<Order, OrderError>>::IS_RESULT },
                >>::Value,
            >(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([
                {
                    __p::assert_host_value::<Orders>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < Orders > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<Orders>::NEW).need();
                    __need
                },
                {
                    __p::assert_host_value::<Idempotency>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < Idempotency > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<Idempotency>::NEW)
                        .need();
                    __need
                },
            ])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<Result<Order, OrderError>>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (__p::Text<'_>,),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "item" => 0usize,
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
                let __h0 = match (&&__p::Probe::<Orders>::NEW).take(&__call, 0usize) {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                let __h1 = match (&&__p::Probe::<Idempotency>::NEW).take(&__call, 1usize)
                {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                if __call.reconciles() {
                    return match __p::Returned(
                            __p::option_future(
                                    orders::find(
                                        (__h0.deref(),).0,
                                        (__h1.deref(),).0,
                                        (&__args.0,).0,
                                    ),
                                )
                                .await,
                        )
                        .split()
                    {
                        ::core::result::Result::Ok(__value) => {
                            __call
                                .reconciled(
                                    __p::finding(
                                        ::core::marker::PhantomData::<
                                            <Result<
                                                Order,
                                                OrderError,
                                            > as __p::Select<
                                                { __p::Probe::<Result<Order, OrderError>>::IS_RESULT },
                                            >>::Value,
                                        >,
                                        &(__value),
                                    ),
                                )
                        }
                        ::core::result::Result::Err(__error) => {
                            __call.failed((&&&&&&&&__p::FaultProbe(&__error)).fault())
                        }
                    };
                }
                if __call.dry_run() {
                    return match __p::Returned(
                            __p::option_future(
                                    orders::show(
                                        (__h0.deref(),).0,
                                        (__h1.deref(),).0,
                                        (&__args.0,).0,
                                    ),
                                )
                                .await,
                        )
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
                match __p::Returned(
                        place_order(__h0.deref(), __h1.deref(), &__args.0).await,
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
            name: "place_order",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Places an order.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::None,
            examples: &[],
            effect: __p::Effect::Write,
            idempotent: false,
            open_world: false,
            ttl: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            requires_auth: true,
            ai_callable: true,
            dry_run: true,
            has_preview: true,
            reconciles: true,
            forwards_key: {
                ::core::assert!(
                    __p::Probe:: < Orders > ::READS_KEY | __p::Probe:: < Idempotency >
                    ::READS_KEY,
                    "`forwards_key` needs the idempotency key: take an `&Idempotency` parameter and send its key on, or remove `forwards_key`"
                );
                true
            },
            retention: ::core::option::Option::Some(172800000u64),
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "place_order"),
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
    impl ::core::fmt::Debug for PlaceOrderTool {
        fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __f.write_str("PlaceOrderTool")
        }
    }
    impl __p::Tool for PlaceOrderTool {
        fn definition() -> &'static __p::Definition {
            &__TOOL
        }
    }
    impl __p::TypedTool for PlaceOrderTool {
        type Output = <Result<
            Order,
            OrderError,
        > as __p::Select<{ __p::Probe::<Result<Order, OrderError>>::IS_RESULT }>>::Value;
    }
    #[used]
    static __HANDLE: ::core::marker::PhantomData<PlaceOrderTool> = ::core::marker::PhantomData;
    __p::discover! {
        & __TOOL
    }
};
