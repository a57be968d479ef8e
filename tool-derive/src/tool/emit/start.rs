//! Generates the function that starts a call, and its requirements from the host.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Index, Path};

use super::super::model::{
    Argument, ArgumentType, Cost, ExecutionStyle, HostParameter, Output, Parameter, Tool,
};
use super::span_of;

/// Generates the functions.
pub(super) fn emit(tool: &Tool) -> TokenStream {
    let (host, codes, estimate, start) = (host(tool), codes(tool), estimate(tool), start(tool));
    quote!(#host #codes #estimate #start)
}

/// The error for a borrowed `String`, which is meant to be the model's text.
const BORROWED_STRING: &str = "`&String` is neither an argument nor a host value: for text from \
    the model take `&str` or `String`, for text from the host a newtype around `String`";

fn host(tool: &Tool) -> TokenStream {
    let toolkit = tool.function.this.as_ref().filter(|_| tool.function.receiver);
    let toolkit = toolkit.map(|this| quote!(__p::HostNeed::toolkit::<#this>(),));
    let needs = tool.hosts().map(|host| {
        let (ty, need) = (&host.ty, probed(host, "need", &TokenStream::new()));
        let not_text = quote!(!__p::Probe::<#ty>::IS_STRING, #BORROWED_STRING);
        let not_text =
            super::const_assertion(super::call_site_at(host.borrow), span_of(ty), &not_text);
        quote! {{
            __p::assert_host_value::<#ty>();
            const _: () = #not_text;
            let __need: __p::HostNeed = #need;
            __need
        }}
    });
    quote! {
        fn __host() -> __p::Vec<__p::HostNeed> {
            ::core::convert::From::from([#toolkit #(#needs),*])
        }
    }
}

/// Generates a probe of a host parameter's type.
fn probed(host: &HostParameter, method: &str, arguments: &TokenStream) -> TokenStream {
    let (ty, method) = (&host.ty, Ident::new(method, super::call_site_at(host.borrow)));
    let probe = quote!(__p::Probe::<#ty>::NEW);
    quote_spanned!(span_of(ty)=> (&&#probe).#method(#arguments))
}

/// Generates the list of codes that the tool's error declares.
fn codes(tool: &Tool) -> TokenStream {
    let codes = match &tool.output {
        Output::Named(answer) => {
            let ty = &answer.ty;
            quote!(__p::Probe::<#ty>::NEW.codes())
        }
        Output::Opaque(_) => quote!(&[]),
    };
    quote! {
        fn __codes() -> &'static [__p::FailureCode] {
            #codes
        }
    }
}

/// Generates the function that estimates the cost of a call, if the tool names one.
fn estimate(tool: &Tool) -> Option<TokenStream> {
    let Some(Cost::Estimate(path)) = &tool.metadata.cost else { return None };
    let read = super::arguments::read(tool);
    let values = tool.arguments().enumerate();
    let values = values.map(|(place, it)| argument_value(it, place, Some(span_of(path))));
    let function = option_function(tool, path);
    let call = quote_spanned!(span_of(path)=> #function(#(#values),*));
    let estimated = quote!(__p::budgets::estimated);
    let estimated = quote_spanned!(span_of(path)=> #estimated(#call));
    Some(quote! {
        fn __estimate(
            __call: &__p::CallScope,
        ) -> ::core::result::Result<::core::option::Option<__p::CostEstimate>, __p::Finished> {
            let __args = #read?;
            ::core::result::Result::Ok(#estimated)
        }
    })
}

fn start(tool: &Tool) -> TokenStream {
    let read = super::arguments::read(tool);
    let bounds = bounds(tool);
    let run = run(tool);
    let run = match tool.style {
        ExecutionStyle::Blocking => {
            let again = quote!(::core::clone::Clone::clone(&__call));
            quote!(#again.run_blocking(move |__call| { #run }).await)
        }
        ExecutionStyle::Async | ExecutionStyle::Sync => run,
    };
    let body = quote! {
        let __args = match #read {
            ::core::result::Result::Ok(__args) => __args,
            ::core::result::Result::Err(__refused) => return __refused,
        };
        #bounds
        __call.gate().await;
        #run
    };
    let pin = quote!(std::boxed::Box::pin);
    let boxed = quote_spanned!(span_of(&tool.function.name)=> ::#pin(async move { #body }));
    quote! {
        fn __start(__call: __p::CallScope) -> __p::ToolFuture {
            #boxed
        }
    }
}

/// Generates checks of bounds that deserialization does not enforce.
fn bounds(tool: &Tool) -> TokenStream {
    let checks: Vec<TokenStream> = tool.arguments().enumerate().flat_map(argument_bounds).collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    quote! {
        if !(#(#checks)&&*) {
            return __call.out_of_bounds();
        }
    }
}

fn argument_bounds((place, argument): (usize, &Argument)) -> impl Iterator<Item = TokenStream> {
    let place = Index::from(place);
    let range = argument.arg.range.as_ref().map(|it| quote!(__p::in_range(&__args.#place, #it)));
    let length =
        argument.arg.length.as_ref().map(|it| quote!(__p::has_length(&__args.#place, #it)));
    range.into_iter().chain(length)
}

/// Generates the execution of a call.
fn run(tool: &Tool) -> TokenStream {
    let toolkit = toolkit(tool);
    let first = usize::from(tool.function.receiver);
    let hosts = tool.hosts().enumerate().map(|(index, host)| {
        let (slot, host_binding) = (index + first, host_binding(index + first));
        let taken = probed(host, "take", &quote!(&__call, #slot));
        quote! {
            let #host_binding = match #taken {
                ::core::result::Result::Ok(__held) => __held,
                ::core::result::Result::Err(__failed) => return __failed,
            };
        }
    });
    let succeeded = match &tool.output {
        Output::Named(_) => quote!(__p::answered(&__call, &__value)),
        Output::Opaque(place) => opaque_answered(*place),
    };
    let reconcile = tool.reconcile.as_ref().map(|path| {
        option_branch(tool, path, &quote!(__call.reconciles()), &reconciled(tool, path))
    });
    let preview = tool.preview.as_ref();
    let preview_output = preview.map(shown).unwrap_or_default();
    let preview =
        preview.map(|path| option_branch(tool, path, &quote!(__call.dry_run()), &preview_output));
    let call = call(tool, &tool.function.path(), Span::call_site());
    let answer = answer(&call, &succeeded);
    quote! {
        #toolkit
        #(#hosts)*
        #reconcile
        #preview
        #answer
    }
}

/// Generates the conversion of an answer whose type cannot be named; its error is shown at the type.
fn opaque_answered(place: Span) -> TokenStream {
    let (answered, call, value) = (quote!(__p::opaque_answered), quote!(&__call), quote!(__value));
    quote_spanned!(super::call_site_at(place)=> #answered(#call, &(#value)))
}

/// Generates a branch in which an option's function replaces the tool.
fn option_branch(
    tool: &Tool,
    path: &Path,
    when: &TokenStream,
    success: &TokenStream,
) -> TokenStream {
    let call = option_call(tool, path);
    let answer = answer(&call, success);
    quote! {
        if #when {
            return #answer;
        }
    }
}

/// Generates the call of an option's function, which is `async` where the tool is.
fn option_call(tool: &Tool, path: &Path) -> TokenStream {
    let (arguments, function) = (arguments(tool, Some(span_of(path))), option_function(tool, path));
    let call = quote_spanned!(span_of(path)=> #function(#(#arguments),*));
    if tool.style != ExecutionStyle::Async {
        return call;
    }
    let future = quote!(__p::option_future);
    quote_spanned!(span_of(path)=> #future(#call).await)
}

/// Generates the conversion of a preview.
fn shown(path: &Path) -> TokenStream {
    let (previewed, call, value) = (quote!(__p::previewed), quote!(&__call), quote!(__value));
    quote_spanned!(span_of(path)=> #previewed(#call, &(#value)))
}

/// Generates the conversion of a `reconcile` result, whose output type must be the tool's.
fn reconciled(tool: &Tool, path: &Path) -> TokenStream {
    let answer = match &tool.output {
        Output::Named(answer) => super::value(answer),
        Output::Opaque(_) => quote!(_),
    };
    let (reconciled, finding) = (quote!(__call.reconciled), quote!(__p::finding));
    let answer = quote!(::core::marker::PhantomData::<#answer>);
    let value = quote!(__value);
    quote_spanned!(span_of(path)=> #reconciled(#finding(#answer, &(#value))))
}

fn toolkit(tool: &Tool) -> Option<TokenStream> {
    let this = tool.function.this.as_ref().filter(|_| tool.function.receiver)?;
    let host_binding = host_binding(0);
    Some(quote! {
        let #host_binding = match __call.toolkit::<#this>(0) {
            ::core::result::Result::Ok(__held) => __held,
            ::core::result::Result::Err(__failed) => return __failed,
        };
    })
}

fn host_binding(slot: usize) -> Ident {
    format_ident!("__h{slot}")
}

/// Generates the path of an option's function; in a toolkit, a plain name is a method of the same
/// type.
fn option_function(tool: &Tool, path: &Path) -> TokenStream {
    if let (Some(this), Some(method)) = (&tool.function.this, path.get_ident()) {
        return quote!(<#this>::#method);
    }
    quote!(#path)
}

/// Generates the call of a function with the tool's parameters.
fn call(tool: &Tool, function: &TokenStream, span: Span) -> TokenStream {
    let arguments = arguments(tool, None);
    let wait = (tool.style == ExecutionStyle::Async).then(|| quote_spanned!(span=> .await));
    quote_spanned!(span=> #function(#(#arguments),*) #wait)
}

/// Generates the conversion of a return value.
fn answer(call: &TokenStream, success: &TokenStream) -> TokenStream {
    quote! {
        match __p::Returned(#call).split() {
            ::core::result::Result::Ok(__value) => #success,
            ::core::result::Result::Err(__error) => {
                __call.failed((&&&&&&&&__p::FaultProbe(&__error)).fault())
            }
        }
    }
}

/// Generates the arguments of a call, with the span at which an error of their types is shown.
fn arguments(tool: &Tool, span: Option<Span>) -> Vec<TokenStream> {
    let mut slot = 0;
    let mut next = || {
        let host_binding = host_binding(slot);
        slot += 1;
        placed(&quote!(#host_binding.deref()), span)
    };
    let receiver = tool.function.receiver.then(&mut next);
    let mut places = 0..;
    let parameters = tool.parameters.iter().map(|parameter| match parameter {
        Parameter::Host(_) => next(),
        Parameter::Model(argument) => argument_value(argument, places.next().unwrap_or(0), span),
    });
    receiver.into_iter().chain(parameters).collect()
}

/// Gives an expression another span, without any name of that span: see [`span_of`].
fn placed(value: &TokenStream, span: Option<Span>) -> TokenStream {
    match span {
        Some(span) => quote_spanned!(span=> (#value,).0),
        None => value.clone(),
    }
}

fn argument_value(argument: &Argument, place: usize, span: Option<Span>) -> TokenStream {
    let place = Index::from(place);
    let value = match argument.ty {
        ArgumentType::Text => quote!(&__args.#place),
        ArgumentType::Owned(_) => quote!(__args.#place),
    };
    placed(&value, span)
}
