//! The unchecked model of a tool: options, signature and parameters.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, FnArg, ItemFn, LitStr, Pat, Path, Receiver, Signature, Type,
    Visibility, parse_quote,
};

use crate::errors::Errors;
use crate::syntax::arg::RawArg;
use crate::syntax::docs::{Description, is_doc};
use crate::syntax::options::{AllowedOptions, DOC_COMMENT, Evidence, KeyedValue, Options};

const ALLOWED_OPTIONS: AllowedOptions = AllowedOptions {
    attribute: "#[ai_tool]",
    keys: &[
        ("ai_callable", "ai_callable = false"),
        ("blocking", "blocking"),
        ("category", "category = \"content\""),
        ("cost", "cost = \"0.02 USD\"` or `cost = estimate"),
        ("crate", "crate = ::tool_runtime"),
        ("destructive", "effect = \"destructive\""),
        ("effect", "effect = \"read\""),
        ("evidence", "evidence` or `evidence = \"required\""),
        ("example", "example = r#\"{\"query\":\"tea\"}\"#"),
        ("forwards_key", "forwards_key"),
        ("handle", "handle = SearchContentTool"),
        ("idempotent", "idempotent"),
        ("name", "name = \"search_content\""),
        ("open_world", "open_world"),
        ("preview", "preview = preview_search"),
        ("read", "effect = \"read\""),
        ("reconcile", "reconcile = find_order"),
        ("requires_auth", "requires_auth = false"),
        ("retention", "retention = \"48h\""),
        ("shared", "shared"),
        ("timeout", "timeout = \"5s\""),
        ("title", "title = \"Search content\""),
        ("ttl", "ttl = \"60s\""),
        ("unknown_fields", "unknown_fields = \"ignore\""),
        ("version", "version = \"1.0.0\""),
        ("write", "effect = \"write\""),
    ],
    misplaced: &["read", "write", "destructive"],
    repeatable: &["example"],
    synonyms: &[
        ("desc", DOC_COMMENT),
        ("description", DOC_COMMENT),
        ("doc", DOC_COMMENT),
        ("examples", "`example = …` once for each"),
        ("read_only", "`effect = \"read\"`"),
        ("readonly", "`effect = \"read\"`"),
    ],
};

/// A function with `#[ai_tool]`, as written.
#[derive(Debug)]
pub(crate) struct RawTool {
    pub(crate) options: RawOptions,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) vis: Visibility,
    /// A hash of the function as it was written.
    pub(crate) source: String,
    /// Without the macro's own attributes on parameters.
    pub(crate) signature: Signature,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) parameters: Vec<RawParameter>,
}

/// The options of `#[ai_tool(…)]`, as written.
#[derive(Debug)]
pub(crate) struct RawOptions {
    pub(crate) effect: Option<KeyedValue<LitStr>>,
    /// True if it was given in another form than text.
    pub(crate) effect_malformed: bool,
    /// `read`, `write` or `destructive` as a separate word.
    pub(crate) effect_words: Vec<KeyedValue<bool>>,
    pub(crate) crate_: Option<KeyedValue<Path>>,
    pub(crate) name: Option<KeyedValue<LitStr>>,
    pub(crate) title: Option<KeyedValue<LitStr>>,
    pub(crate) version: Option<KeyedValue<LitStr>>,
    pub(crate) category: Option<KeyedValue<LitStr>>,
    pub(crate) cost: Option<KeyedValue<Expr>>,
    /// Examples of all arguments, as JSON.
    pub(crate) examples: Vec<LitStr>,
    pub(crate) ttl: Option<KeyedValue<LitStr>>,
    pub(crate) timeout: Option<KeyedValue<LitStr>>,
    pub(crate) retention: Option<KeyedValue<LitStr>>,
    pub(crate) unknown_fields: Option<KeyedValue<LitStr>>,
    pub(crate) preview: Option<KeyedValue<Path>>,
    pub(crate) reconcile: Option<KeyedValue<Path>>,
    pub(crate) handle: Option<KeyedValue<Path>>,
    pub(crate) idempotent: Option<KeyedValue<bool>>,
    pub(crate) forwards_key: Option<KeyedValue<bool>>,
    pub(crate) shared: Option<KeyedValue<bool>>,
    pub(crate) evidence: Option<KeyedValue<Evidence>>,
    pub(crate) open_world: Option<KeyedValue<bool>>,
    pub(crate) requires_auth: Option<KeyedValue<bool>>,
    pub(crate) ai_callable: Option<KeyedValue<bool>>,
    pub(crate) blocking: Option<KeyedValue<bool>>,
}

/// A parameter, as written.
#[derive(Debug)]
pub(crate) struct RawParameter {
    pub(crate) pattern: Pat,
    /// The span of `:`.
    pub(crate) colon: Span,
    pub(crate) ty: Type,
    pub(crate) description: Option<Description>,
    pub(crate) arg: Option<RawArg>,
    /// Attributes that do not belong to the macro and stay on the function.
    pub(crate) foreign: Vec<Attribute>,
}

impl RawTool {
    /// Parses a free function, and removes the macro's own attributes.
    pub(crate) fn parse_fn(options: TokenStream, function: &mut ItemFn, errors: &Errors) -> Self {
        let ItemFn { attrs, vis, sig, block, .. } = function;
        let raw = Self::parse(options, attrs, vis, (sig, block), errors);
        attrs.push(lints());
        raw
    }

    /// Parses the parts of a function, and removes the macro's own attributes.
    pub(crate) fn parse(
        options: TokenStream,
        attributes: &[Attribute],
        vis: &Visibility,
        (signature, body): (&mut Signature, &Block),
        errors: &Errors,
    ) -> Self {
        let source = source_hash(signature, body);
        let options = Options::read(options, ALLOWED_OPTIONS, errors);
        let mut receiver = None;
        let mut parameters = Vec::new();
        for input in &mut signature.inputs {
            match input {
                FnArg::Receiver(found) => receiver = Some(found.clone()),
                FnArg::Typed(found) => parameters.push(RawParameter::take(found, errors)),
            }
        }
        Self {
            options: RawOptions::take(options, errors),
            attributes: attributes.to_vec(),
            vis: vis.clone(),
            source,
            signature: signature.clone(),
            receiver,
            parameters,
        }
    }
}

/// Hashes a function as it was written (FNV-1a, 64 bits): it changes when the code does.
fn source_hash(signature: &Signature, body: &Block) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut tokens = signature.to_token_stream();
    body.to_tokens(&mut tokens);
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    format!("fnv1a64:{:016x}", tokens.to_string().bytes().fold(OFFSET, mix))
}

/// Suppresses lints that suggest passing parameters by value, because `&` marks the host's ones.
pub(crate) fn lints() -> Attribute {
    parse_quote! {
        #[allow(
            clippy::needless_pass_by_value,
            clippy::ptr_arg,
            clippy::too_many_arguments,
            clippy::trivially_copy_pass_by_ref,
        )]
    }
}

impl RawParameter {
    fn take(parameter: &mut syn::PatType, errors: &Errors) -> Self {
        let arg = RawArg::take(&mut parameter.attrs, errors);
        let description = Description::from_attributes(&parameter.attrs);
        parameter.attrs.retain(|attribute| !is_doc(attribute));
        Self {
            pattern: parameter.pat.as_ref().clone(),
            colon: parameter.colon_token.span,
            ty: parameter.ty.as_ref().clone(),
            description,
            arg,
            foreign: parameter.attrs.clone(),
        }
    }
}

impl RawOptions {
    fn take(mut options: Options, errors: &Errors) -> Self {
        let options = &mut options;
        let words = ["read", "write", "destructive"];
        let given = options.has("effect");
        let effect = options.text("effect", errors);
        Self {
            effect_malformed: given && effect.is_none(),
            effect,
            effect_words: words.iter().filter_map(|word| options.flag(word, errors)).collect(),
            crate_: options.path("crate", errors),
            name: options.text("name", errors),
            title: options.text("title", errors),
            version: options.text("version", errors),
            category: options.text("category", errors),
            cost: options.expr("cost", errors),
            examples: options.texts("example", errors),
            ttl: options.text("ttl", errors),
            timeout: options.text("timeout", errors),
            retention: options.text("retention", errors),
            unknown_fields: options.text("unknown_fields", errors),
            preview: options.path("preview", errors),
            reconcile: options.path("reconcile", errors),
            handle: options.path("handle", errors),
            idempotent: options.flag("idempotent", errors),
            forwards_key: options.flag("forwards_key", errors),
            shared: options.flag("shared", errors),
            evidence: options.evidence("evidence", errors),
            open_world: options.flag("open_world", errors),
            requires_auth: options.flag("requires_auth", errors),
            ai_callable: options.flag("ai_callable", errors),
            blocking: options.flag("blocking", errors),
        }
    }
}
