/// Keeps notes.
impl Notes {
    const MOST: usize = 3;
    /// Lists the notes.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::ptr_arg,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
    )]
    async fn list(&self, limit: usize) -> Vec<Self> {
        self.take(limit)
    }
    /// Adds a note.
    #[cfg(unix)]
    #[allow(
        clippy::needless_pass_by_value,
        clippy::ptr_arg,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
    )]
    fn add(&self, note: Self) -> <Self as Store>::Key {
        self.insert(note)
    }
    /// Counts the notes there can be.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::ptr_arg,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
    )]
    fn most() -> usize {
        Self::MOST
    }
    fn would_add(&self, note: Self) -> bool {
        self.fits(note)
    }
    fn find(&self, note: Self) -> Reconciled<<Self as Store>::Key> {
        self.key_of(note)
    }
}
const _: () = {
    use ::tool_runtime::__private as __p;
    use __p::traits::*;
    static __TOOL_0: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "Notes::list"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < usize > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<usize>(&mut __s, "limit", "Most notes to list.")
                .default((&&__p::DefaultProbe(&__default_limit())).to_json())
                .range::<<usize as __p::AsNumber>::Number>(&(1..=<Notes>::MOST));
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <Vec<
                    Notes,
                > as __p::Select<{ __p::Probe::<Vec<Notes>>::IS_RESULT }>>::Value,
            >(__g)
        }
        #[allow(clippy::unnecessary_wraps)]
        fn __default_limit() -> usize {
            <Notes>::MOST
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([__p::HostNeed::toolkit::<Notes>()])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<Vec<Notes>>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (usize,),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "limit" => 0usize,
                                _ => __p::UNKNOWN_FIELD,
                            },
                            open: false,
                        },
                        (::core::option::Option::Some(__default_limit),),
                    )
                {
                    ::core::result::Result::Ok(__args) => __args,
                    ::core::result::Result::Err(__refused) => return __refused,
                };
                if !(__p::in_range(&__args.0, &(1..=<Notes>::MOST))) {
                    return __call.out_of_bounds();
                }
                __call.gate().await;
                let __h0 = match __call.toolkit::<Notes>(0) {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                match __p::Returned(<Notes>::list(__h0.deref(), __args.0).await).split()
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
            name: "desk.notes.list",
            title: ::core::option::Option::Some("List notes"),
            version: "1.0.0",
            description: "Lists the notes.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::Some(
                __p::ToolkitFacts::for_toolkit::<Notes>(),
            ),
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
            rust_path: ::core::concat!(::core::module_path!(), "::", "Notes::list"),
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
    #[cfg(unix)]
    static __TOOL_1: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let mut __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "Notes::add"),
            );
            const _: () = ::core::assert!(
                ! __p::Probe:: < Notes > ::IS_HOST_ONLY,
                "an owned parameter is filled by the model, which must never choose its own context: borrow it, `&ToolContext`"
            );
            __p::property::<Notes>(&mut __s, "note", "The note.");
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <<Notes as Store>::Key as __p::Select<
                    { __p::Probe::<<Notes as Store>::Key>::IS_RESULT },
                >>::Value,
            >(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([__p::HostNeed::toolkit::<Notes>()])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<<Notes as Store>::Key>::NEW.codes()
        }
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            ::std::boxed::Box::pin(async move {
                let __args = match __call
                    .read::<
                        (Notes,),
                    >(
                        __p::Fields {
                            index_of: |__name| match __name {
                                "note" => 0usize,
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
                let __h0 = match __call.toolkit::<Notes>(0) {
                    ::core::result::Result::Ok(__held) => __held,
                    ::core::result::Result::Err(__failed) => return __failed,
                };
                if __call.reconciles() {
                    return match __p::Returned(
                            <Notes>::find((__h0.deref(),).0, (__args.0,).0),
                        )
                        .split()
                    {
                        ::core::result::Result::Ok(__value) => {
                            __call
                                .reconciled(
                                    __p::finding(
                                        ::core::marker::PhantomData::<
                                            <<Notes as Store>::Key as __p::Select<
                                                { __p::Probe::<<Notes as Store>::Key>::IS_RESULT },
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
                            <Notes>::would_add((__h0.deref(),).0, (__args.0,).0),
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
                match __p::Returned(<Notes>::add(__h0.deref(), __args.0)).split() {
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
            name: "desk.notes.add",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Adds a note.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::Some(
                __p::ToolkitFacts::for_toolkit::<Notes>(),
            ),
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
            forwards_key: false,
            retention: ::core::option::Option::None,
            shared: false,
            source_hash: ::core::option::Option::None,
            requires_evidence: false,
            rust_path: ::core::concat!(::core::module_path!(), "::", "Notes::add"),
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
    static __TOOL_2: __p::Definition = {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let __s = __p::InputSchema::new(
                __g,
                ::core::concat!(::core::module_path!(), "::", "Notes::most"),
            );
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            __p::output_schema::<
                <usize as __p::Select<{ __p::Probe::<usize>::IS_RESULT }>>::Value,
            >(__g)
        }
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([])
        }
        fn __codes() -> &'static [__p::FailureCode] {
            __p::Probe::<usize>::NEW.codes()
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
                match __p::Returned(<Notes>::most()).split() {
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
            name: "desk.notes.most",
            title: ::core::option::Option::None,
            version: "1.0.0",
            description: "Counts the notes there can be.",
            category: ::core::option::Option::None,
            toolkit: ::core::option::Option::Some(
                __p::ToolkitFacts::for_toolkit::<Notes>(),
            ),
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
            rust_path: ::core::concat!(::core::module_path!(), "::", "Notes::most"),
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
    static __TOOLS: &[&__p::Definition] = &[
        &__TOOL_0,
        #[cfg(unix)]
        &__TOOL_1,
        &__TOOL_2,
    ];
    impl __p::Toolkit for Notes {
        const NAME: &'static str = "desk.notes";
        const DESCRIPTION: &'static str = "Keeps notes.";
        fn definitions() -> &'static [&'static __p::Definition] {
            __TOOLS
        }
    }
};
