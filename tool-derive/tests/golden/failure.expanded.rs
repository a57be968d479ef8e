enum DeskError<E> {
    #[failure(UNAVAILABLE, retry_after = "2s", effect = "unknown")]
    Rebuilding,
    #[failure(UPSTREAM_ERROR, hide, upstream_status = status, endpoint = "search")]
    Http { status: u16, body: E },
    #[failure(RATE_LIMITED, message = "wait {0} ms", retry_after_ms = _0)]
    Busy(u64),
    #[failure(
        code = "SEAT_TAKEN",
        type = RETRYABLE,
        message = "{{{row:>3}}}",
        details(row)
    )]
    Taken { row: u8 },
    #[failure(UPSTREAM_ERROR, hide, effect = "none")]
    Unreached,
}
const _: () = {
    use ::tool_runtime::__private as __p;
    #[automatically_derived]
    impl<E> __p::ToolFailure for DeskError<E> {
        fn failure(&self) -> __p::Failure {
            match self {
                Self::Rebuilding { .. } => {
                    let __failure = __p::Failure::new(
                            __p::FailureCode::standard(__p::ErrorCode::Unavailable),
                        )
                        .with_message(__p::public_message(self))
                        .with_effect_unknown();
                    let __failure = __failure.with_retry_after_ms(2000u64);
                    __failure
                }
                Self::Http { status, body } => {
                    let _ = (status, body);
                    {
                        let __failure = __p::Failure::new(
                                __p::FailureCode::standard(__p::ErrorCode::UpstreamError),
                            )
                            .with_endpoint("search");
                        let __given: ::core::option::Option<u16> = ::core::convert::From::from(
                            ::core::clone::Clone::clone(status),
                        );
                        let __failure = match __given {
                            ::core::option::Option::Some(__value) => {
                                __failure.with_upstream_status(__value)
                            }
                            ::core::option::Option::None => __failure,
                        };
                        __failure
                    }
                }
                Self::Busy(_0) => {
                    let _ = (_0,);
                    {
                        let __failure = __p::Failure::new(
                                __p::FailureCode::standard(__p::ErrorCode::RateLimited),
                            )
                            .with_message(::std::format!("wait {_0} ms"));
                        let __given: ::core::option::Option<u64> = ::core::convert::From::from(
                            ::core::clone::Clone::clone(_0),
                        );
                        let __failure = match __given {
                            ::core::option::Option::Some(__value) => {
                                __failure.with_retry_after_ms(__value)
                            }
                            ::core::option::Option::None => __failure,
                        };
                        __failure
                    }
                }
                Self::Taken { row } => {
                    let _ = (row,);
                    __p::Failure::new(
                            __p::FailureCode::own(
                                "SEAT_TAKEN",
                                __p::ToolErrorType::Retryable,
                            ),
                        )
                        .with_message(::std::format!("{{{row:>3}}}"))
                        .with_detail("row", row)
                }
                Self::Unreached { .. } => {
                    __p::Failure::new(
                            __p::FailureCode::standard(__p::ErrorCode::UpstreamError),
                        )
                        .with_effect_none()
                }
            }
        }
        fn codes() -> &'static [__p::FailureCode] {
            const {
                &[
                    __p::FailureCode::standard(__p::ErrorCode::Unavailable),
                    __p::FailureCode::standard(__p::ErrorCode::UpstreamError),
                    __p::FailureCode::standard(__p::ErrorCode::RateLimited),
                    __p::FailureCode::own("SEAT_TAKEN", __p::ToolErrorType::Retryable),
                ]
            }
        }
    }
};
#[failure(transparent, crate = renamed)]
struct Outer(Inner);
const _: () = {
    use renamed::__private as __p;
    #[automatically_derived]
    impl __p::ToolFailure for Outer {
        fn failure(&self) -> __p::Failure {
            match self {
                Self(_0) => __p::ToolFailure::failure(_0),
            }
        }
        fn codes() -> &'static [__p::FailureCode] {
            static __CODES: ::std::sync::OnceLock<__p::Vec<__p::FailureCode>> = ::std::sync::OnceLock::new();
            __CODES
                .get_or_init(|| {
                    let mut __codes: __p::Vec<__p::FailureCode> = ::core::convert::From::from([]);
                    __codes.extend_from_slice(<Inner as __p::ToolFailure>::codes());
                    __codes
                })
        }
    }
};
