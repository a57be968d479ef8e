//! Collects the public items of a crate, each with its methods and traits, as the text of a golden file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use proc_macro2::TokenTree;
use syn::{Item, ItemImpl, Type, Visibility};

use super::render;
use crate::source::{ModuleId, Source, Target, attributes, defines, is_hidden};

/// The module and the name of an item.
type ItemKey = (ModuleId, String);

/// The public paths of a crate.
pub(super) struct Surface<'a> {
    source: &'a Source,
    /// The public paths, each with its item.
    paths: BTreeMap<String, Exported>,
    /// The first public path of each item.
    first: HashMap<ItemKey, String>,
    walked: HashSet<(ModuleId, String)>,
}

enum Exported {
    Item(ItemKey),
    /// An item of another path, or of another crate.
    Alias(String),
    Macro,
}

impl<'a> Surface<'a> {
    pub(super) fn of(crate_name: &str, source: &'a Source) -> Self {
        let (paths, first) = (BTreeMap::new(), HashMap::new());
        let mut surface = Self { source, paths, first, walked: HashSet::new() };
        surface.walk(0, crate_name);
        surface.exported_macros(crate_name);
        surface
    }

    /// Adds what a module shows under a path: its names first, then its modules.
    fn walk(&mut self, module: ModuleId, path: &str) {
        if !self.walked.insert((module, path.to_owned())) {
            return;
        }
        let here = &self.source.modules[module];
        for item in &here.items {
            if let Some(name) = public_name(item) {
                self.export(format!("{path}::{name}"), (module, name));
            }
        }
        let mut modules = Vec::new();
        for import in here.imports.iter().filter(|import| import.public) {
            let at = |name: &String| format!("{path}::{name}");
            match (self.source.resolve(module, &import.path), &import.name) {
                (Some(Target::Items(of, item)), Some(name)) => self.export(at(name), (of, item)),
                (Some(Target::Module(found)), Some(name)) => {
                    let visibility = &self.source.modules[found].visibility;
                    let is_public = matches!(visibility, Visibility::Public(_));
                    assert!(is_public, "{} is listed, but is a private module", at(name));
                    modules.push((found, at(name)));
                }
                (Some(Target::Module(found)), None) => modules.push((found, path.to_owned())),
                (Some(Target::Foreign(foreign)), Some(name)) => {
                    self.paths.insert(at(name), Exported::Alias(foreign.join("::")));
                }
                (found, _) => {
                    let found = if found.is_some() { "that" } else { "nothing" };
                    panic!("`pub use {}` in {path} means {found}", import.path.join("::"));
                }
            }
        }
        for item in &here.items {
            if let Item::Mod(child) = item {
                if matches!(child.vis, Visibility::Public(_)) && !is_hidden(&child.attrs) {
                    let name = child.ident.to_string();
                    modules.push((here.children[&name], format!("{path}::{name}")));
                }
            }
        }
        for (found, path) in modules {
            self.walk(found, &path);
        }
    }

    fn export(&mut self, path: String, item: ItemKey) {
        let mut named = self.source.modules[item.0].items.iter().filter(|i| defines(i, &item.1));
        if named.any(|item| is_hidden(attributes(item))) {
            return;
        }
        let first = self.first.entry(item.clone()).or_insert_with(|| path.clone());
        let exported =
            if *first == path { Exported::Item(item) } else { Exported::Alias(first.clone()) };
        self.paths.insert(path, exported);
    }

    fn exported_macros(&mut self, crate_name: &str) {
        for item in self.source.modules.iter().flat_map(|module| &module.items) {
            let is_exported = attributes(item).iter().any(|a| a.path().is_ident("macro_export"));
            if let (Item::Macro(item), true) = (item, is_exported) {
                let name = item.ident.as_ref().expect("an exported macro has a name").to_string();
                if name.starts_with("__") {
                    continue;
                }
                self.paths.insert(format!("{crate_name}::{name}!"), Exported::Macro);
            }
        }
    }

    /// Returns the golden file's text.
    pub(super) fn to_text(&self) -> String {
        let impls = self.impls();
        let mut text = String::new();
        for (path, exported) in &self.paths {
            match exported {
                Exported::Alias(of) => writeln!(text, "// {path} = {of}\n"),
                Exported::Macro => writeln!(text, "// {path}\n"),
                Exported::Item(key) => {
                    let items = self.source.modules[key.0].items.iter();
                    let items = items.filter(|item| defines(item, &key.1));
                    let impls = impls.get(key).into_iter().flatten().copied();
                    writeln!(text, "// {path}\n{}", render::item(items, impls))
                }
            }
            .expect("a string takes all text");
        }
        text
    }

    /// Returns the impls of each public item: those of a type, those of a trait for a type of
    /// another crate, and the macro calls that write a type's methods.
    fn impls(&self) -> HashMap<ItemKey, Vec<&'a Item>> {
        let mut impls: HashMap<ItemKey, Vec<&Item>> = HashMap::new();
        for (id, module) in self.source.modules.iter().enumerate() {
            for item in &module.items {
                let owner = match item {
                    Item::Impl(found) => self.owner(id, found),
                    Item::Macro(call) => {
                        let of = self.item_in(id, Some(first_path(call)));
                        of.filter(|key| self.first.contains_key(key))
                    }
                    _ => None,
                };
                if let Some(key) = owner {
                    impls.entry(key).or_default().push(item);
                }
            }
        }
        impls
    }

    /// Returns the item of this crate that a path means.
    fn item_in(&self, module: ModuleId, path: Option<Vec<String>>) -> Option<ItemKey> {
        match self.source.resolve(module, &path?)? {
            Target::Items(of, name) => Some((of, name)),
            Target::Module(_) | Target::Foreign(_) => None,
        }
    }

    fn owner(&self, module: ModuleId, found: &ItemImpl) -> Option<ItemKey> {
        let of_type = self.item_in(module, type_path(&found.self_ty));
        let of_trait = found.trait_.as_ref().map(|(path, _)| path);
        let of_trait = self.item_in(module, of_trait.map(segments));
        let is_private =
            |key: &Option<ItemKey>| key.as_ref().is_some_and(|key| !self.first.contains_key(key));
        if is_private(&of_type) || is_private(&of_trait) {
            return None;
        }
        of_type.or(of_trait)
    }
}

fn public_name(item: &Item) -> Option<String> {
    let (visibility, name) = match item {
        Item::Const(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        Item::Fn(item) => (&item.vis, &item.sig.ident),
        Item::Static(item) => (&item.vis, &item.ident),
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Trait(item) => (&item.vis, &item.ident),
        Item::Type(item) => (&item.vis, &item.ident),
        Item::Union(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    matches!(visibility, Visibility::Public(_)).then(|| name.to_string())
}

fn type_path(of: &Type) -> Option<Vec<String>> {
    match of {
        Type::Path(path) if path.qself.is_none() => Some(segments(&path.path)),
        Type::Reference(reference) => type_path(&reference.elem),
        Type::Paren(inner) => type_path(&inner.elem),
        _ => None,
    }
}

/// Returns the path at which the tokens of a macro call begin.
fn first_path(call: &syn::ItemMacro) -> Vec<String> {
    let tokens = call.mac.tokens.clone().into_iter();
    let path = tokens.take_while(|token| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    });
    let idents = path.filter(|token| matches!(token, TokenTree::Ident(_)));
    idents.map(|token| token.to_string()).collect()
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}
