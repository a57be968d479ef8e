/// Reads a file.
#[allow(
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
)]
pub(crate) fn read_file(
    disk: &dyn Disk,
    path: &str,
    key: Option<String>,
) -> std::io::Result<String> {
    disk.read(path, key)
}
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "read_file"),
            );
            __s.open();
            const _: () = ::core::assert!(
                ! __p::Probe:: < __p::String > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<__p::String>(&mut __s, "file-path", "Which.")
                .default((&&__p::DefaultProbe(&__default_path())).to_json())
                .pattern("^[a-z/]+$");
            const _: () = ::core::assert!(
                ! __p::Probe:: < Option < String > > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<Option<String>>(&mut __s, "key", "The key.")
                .sensitivity("secret");
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <std::io::Result<
                    String,
                > as __p::Select<
                    { __p::Probe::<std::io::Result<String>>::IS_RESULT },
                >>::Value,
            >(__g)
        }
        #[allow(clippy::unnecessary_wraps)]
        fn __default_path() -> __p::String {
            ::core::convert::From::from("index")
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([
                {
                    __p::assert_host_value::<dyn Disk>();
                    const _: () = ::core::assert!(
                        ! __p::Probe:: < dyn Disk > ::IS_STRING,
                        "`&String` is neither an argument nor a host value: for text from the model take `&str` or `String`, for text from the host a newtype around `String`"
                    );
                    let __need: __p::HostNeed = (&&__p::Probe::<dyn Disk>::NEW).need();
                    __need
                },
            ])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<std::io::Result<String>>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (__p::String, Option<String>),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "file-path" => 0usize,
                                "key" => 1usize,
                                _ => __p::UNKNOWN_FIELD,
                            },
                            open: true,
                        },
                        (
                            ::core::option::Option::Some(__default_path),
                            ::core::option::Option::None,
                        ),
                    )
                {
                    ::core::result::Result::Ok(__args) => __args,
                    ::core::result::Result::Err(__refused) => return __refused,
                };
                __call.gate().await;
                ::core::clone::Clone::clone(&__call)
                    .run_blocking(move |__call| {
                        let __h0 = match (&&__p::Probe::<dyn Disk>::NEW)
                            .take(&__call, 0usize)
                        {
                            ::core::result::Result::Ok(__held) => __held,
                            ::core::result::Result::Err(__failed) => return __failed,
                        };
                        match __p::Returned(read_file(__h0.deref(), &__args.0, __args.1))
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
                    .await
            })
        }
        __p::Definition {
            name: "read_file",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Reads a file.",
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
            dry_run: __p::Probe::<dyn Disk>::HANDLES_DRY_RUN,
            has_preview: false,
            reconciles: false,
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "read_file"),
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
    __p::discover! {
        & __TOOL
    }
};
