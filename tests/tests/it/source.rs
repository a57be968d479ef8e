//! Reads a crate's sources as a tree of modules, and finds the item that a path means.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens as _;
use syn::{Attribute, Item, ItemMod, UseTree, Visibility, parse_quote};

/// The most imports that one name goes through; beyond it, two modules import each other.
const MAX_IMPORTS: u8 = 12;

/// The index of a module in [`Source::modules`].
pub(super) type ModuleId = usize;

/// All modules of a crate, without those for tests. The root is the first one.
pub(super) struct Source {
    pub(super) modules: Vec<Module>,
}

pub(super) struct Module {
    pub(super) parent: Option<ModuleId>,
    pub(super) visibility: Visibility,
    pub(super) children: BTreeMap<String, ModuleId>,
    pub(super) items: Vec<Item>,
    pub(super) imports: Vec<Import>,
}

/// One name of a `use` declaration.
pub(super) struct Import {
    pub(super) public: bool,
    pub(super) path: Vec<String>,
    /// The name in this module; none for `*`.
    pub(super) name: Option<String>,
}

/// The meaning of a path.
pub(super) enum Target {
    /// Items of one name in one module: alternatives under `cfg`, or a type and a function.
    Items(ModuleId, String),
    Module(ModuleId),
    /// A path into another crate.
    Foreign(Vec<String>),
}

impl Source {
    /// Reads `src/lib.rs` of a package and all of its modules.
    pub(super) fn read(package: &Path) -> Self {
        let mut source = Self { modules: Vec::new() };
        let folder = package.join("src");
        source.add(None, &parse_quote!(pub), &folder.join("lib.rs"), &folder);
        source
    }

    fn add(
        &mut self,
        parent: Option<ModuleId>,
        visibility: &Visibility,
        file: &Path,
        folder: &Path,
    ) -> ModuleId {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.add_items(parent, visibility, parsed.items, folder)
    }

    fn add_items(
        &mut self,
        parent: Option<ModuleId>,
        visibility: &Visibility,
        items: Vec<Item>,
        folder: &Path,
    ) -> ModuleId {
        let id = self.modules.len();
        let (visibility, children, imports) = (visibility.clone(), BTreeMap::new(), Vec::new());
        self.modules.push(Module { parent, visibility, children, items: Vec::new(), imports });
        for item in items {
            if is_for_tests(attributes(&item)) {
                continue;
            }
            match &item {
                Item::Mod(module) => {
                    let child = self.add_module(id, module, folder);
                    self.modules[id].children.insert(module.ident.to_string(), child);
                }
                Item::Use(declaration) => {
                    let public = matches!(declaration.vis, Visibility::Public(_))
                        && !is_hidden(&declaration.attrs);
                    imported(&declaration.tree, &mut Vec::new(), &mut |path, name| {
                        self.modules[id].imports.push(Import { public, path, name });
                    });
                }
                _ => {}
            }
            self.modules[id].items.push(item);
        }
        id
    }

    fn add_module(&mut self, parent: ModuleId, module: &ItemMod, folder: &Path) -> ModuleId {
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            return self.add_items(Some(parent), &module.vis, items.clone(), &folder.join(name));
        }
        let Some(path) = path_attribute(&module.attrs) else {
            let file = module_file(folder, &name);
            return self.add(Some(parent), &module.vis, &file, &folder.join(name));
        };
        let file = folder.join(path);
        self.add(Some(parent), &module.vis, &file, file.parent().unwrap_or(folder))
    }

    /// Returns what a path means in a module.
    pub(super) fn resolve(&self, module: ModuleId, path: &[String]) -> Option<Target> {
        self.resolve_within(MAX_IMPORTS, module, path)
    }

    fn resolve_within(&self, imports: u8, module: ModuleId, path: &[String]) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(module),
            "super" => Target::Module(self.modules[module].parent?),
            // `async_trait` in `use async_trait::async_trait` is the crate.
            name if !rest.is_empty() && self.imports_from_crate(module, name) => {
                return Some(Target::Foreign(path.to_vec()));
            }
            name => match self.named(imports, module, module, name) {
                Some(found) => found,
                None => return Some(Target::Foreign(path.to_vec())),
            },
        };
        match start {
            Target::Module(found) if !rest.is_empty() => match rest[0].as_str() {
                "super" => self.resolve_within(imports, found, rest),
                name => self.step(imports, module, found, name, &rest[1..]),
            },
            Target::Foreign(mut foreign) => {
                foreign.extend_from_slice(rest);
                Some(Target::Foreign(foreign))
            }
            found => Some(found),
        }
    }

    fn step(
        &self,
        imports: u8,
        from: ModuleId,
        module: ModuleId,
        name: &str,
        rest: &[String],
    ) -> Option<Target> {
        match (self.named(imports, from, module, name)?, rest.split_first()) {
            (Target::Module(found), Some((next, rest))) => {
                self.step(imports, from, found, next, rest)
            }
            (found, _) => Some(found),
        }
    }

    /// Returns what a name of a module means in a path of the module `from`: an item, a child that
    /// is visible there, or an import.
    fn named(&self, imports: u8, from: ModuleId, module: ModuleId, name: &str) -> Option<Target> {
        let here = &self.modules[module];
        if here.items.iter().any(|item| defines(item, name)) {
            return Some(Target::Items(module, name.to_owned()));
        }
        let child = here.children.get(name).copied();
        if let Some(child) = child.filter(|child| self.is_visible(*child, from)) {
            return Some(Target::Module(child));
        }
        let imports = imports.checked_sub(1)?;
        let import = here.imports.iter().find(|import| import.name.as_deref() == Some(name));
        if let Some(import) = import {
            if self.imports_from_crate(module, name) {
                return Some(Target::Foreign(import.path.clone()));
            }
            return self.resolve_within(imports, module, &import.path);
        }
        here.imports.iter().filter(|import| import.name.is_none()).find_map(|import| {
            match self.resolve_within(imports, module, &import.path)? {
                Target::Module(found) if found != module => {
                    self.named(imports, module, found, name)
                }
                Target::Module(_) | Target::Items(..) | Target::Foreign(_) => None,
            }
        })
    }

    /// Returns true if the module imports the name from the crate of that name, as in
    /// `use async_trait::async_trait`. With a child of that name it is the child's.
    fn imports_from_crate(&self, module: ModuleId, name: &str) -> bool {
        let here = &self.modules[module];
        let import = here.imports.iter().find(|import| import.name.as_deref() == Some(name));
        import.is_some_and(|import| import.path[0] == name) && !here.children.contains_key(name)
    }

    /// Returns true if a path of the module `from` may name the module.
    fn is_visible(&self, module: ModuleId, from: ModuleId) -> bool {
        let Some(parent) = self.modules[module].parent else { return true };
        let scope = match &self.modules[module].visibility {
            Visibility::Public(_) => return true,
            Visibility::Inherited => parent,
            Visibility::Restricted(within) => {
                let path: Vec<_> =
                    within.path.segments.iter().map(|s| s.ident.to_string()).collect();
                match self.resolve(parent, &path) {
                    Some(Target::Module(scope)) => scope,
                    _ => panic!("`pub(in {})` names no module", path.join("::")),
                }
            }
        };
        let mut around = Some(from);
        while let Some(module) = around.filter(|module| *module != scope) {
            around = self.modules[module].parent;
        }
        around.is_some()
    }
}

/// Returns true if the item, or the macro call in its place, defines the name.
pub(super) fn defines(item: &Item, name: &str) -> bool {
    match item {
        Item::Const(item) => item.ident == name,
        Item::Enum(item) => item.ident == name,
        Item::Fn(item) => item.sig.ident == name,
        Item::Static(item) => item.ident == name,
        Item::Struct(item) => item.ident == name,
        Item::Trait(item) => item.ident == name,
        Item::Type(item) => item.ident == name,
        Item::Union(item) => item.ident == name,
        Item::Macro(item) => {
            item.ident.is_none() && defined_by_macro(item).as_deref() == Some(name)
        }
        _ => false,
    }
}

/// Returns the type that a macro call defines: the name after `enum` or `struct`.
fn defined_by_macro(item: &syn::ItemMacro) -> Option<String> {
    let mut words = item.mac.tokens.clone().into_iter().map(|token| token.to_string());
    words.find(|word| word == "enum" || word == "struct")?;
    words.next()
}

pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns true for what the documentation hides.
pub(super) fn is_hidden(attributes: &[Attribute]) -> bool {
    has(attributes, &["doc (hidden)"])
}

/// Returns true for what only builds of tests have.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    let mut texts = attributes.iter().map(|attribute| attribute.meta.to_token_stream().to_string());
    texts.any(|text| {
        matches!(&*text, "cfg (test)" | "cfg (doctest)") || text.starts_with("cfg (all (test")
    })
}

fn has(attributes: &[Attribute], any: &[&str]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        any.contains(&text.as_str())
    })
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find(|attribute| attribute.path().is_ident("path")).map(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text.trim_start_matches("path =").trim().trim_matches('"').to_owned()
    })
}

fn module_file(folder: &Path, name: &str) -> PathBuf {
    let flat = folder.join(format!("{name}.rs"));
    if flat.exists() { flat } else { folder.join(name).join("mod.rs") }
}

fn imported(
    tree: &UseTree,
    path: &mut Vec<String>,
    each: &mut impl FnMut(Vec<String>, Option<String>),
) {
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            imported(&step.tree, path, each);
            path.pop();
        }
        UseTree::Name(leaf) if leaf.ident == "self" => each(path.clone(), path.last().cloned()),
        UseTree::Name(leaf) => {
            let name = leaf.ident.to_string();
            each(path.iter().cloned().chain([name.clone()]).collect(), Some(name));
        }
        UseTree::Rename(leaf) => {
            let whole = path.iter().cloned().chain([leaf.ident.to_string()]).collect();
            each(whole, Some(leaf.rename.to_string()));
        }
        UseTree::Glob(_) => each(path.clone(), None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, path, each)),
    }
}
