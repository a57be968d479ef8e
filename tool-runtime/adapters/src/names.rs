//! Maps tool names to a dialect and back.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The tool names that a provider accepts: ASCII letters, digits, `_`, `-`, and what this adds.
#[derive(Debug)]
pub(super) struct NameRules {
    pub(super) max_length: usize,
    pub(super) allows_dots: bool,
    /// True if a name must begin with a letter or `_`.
    pub(super) begins_with_letter: bool,
}

impl NameRules {
    fn accept(&self, name: &str) -> bool {
        !name.is_empty()
            && name.len() <= self.max_length
            && with_accepted_characters(self, name) == name
    }
}

/// The unique declared names of a set of tools, and the reverse mapping.
///
/// A name that the dialect accepts stays unchanged. In any other, unsupported characters become
/// `_`; if the result is too long or collides with another tool, a suffix derived from the tool's
/// own name is appended. A declared name therefore does not depend on the other tools, unless one
/// of them has exactly that name.
#[derive(Debug, Clone)]
pub(super) struct ToolNames {
    rules: &'static NameRules,
    to_wire: HashMap<String, String>,
    to_tool: HashMap<String, String>,
    /// The arguments of tools that are declared as custom tools, by the tool's own name.
    custom: HashMap<String, String>,
    /// The own name of the tool that executes the provider's search for tools.
    client_search: Option<String>,
}

impl ToolNames {
    /// Assigns the declared names.
    pub(super) fn new<'t>(
        rules: &'static NameRules,
        tools: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let tools: BTreeSet<&str> = tools.into_iter().collect();
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for tool in &tools {
            *uses.entry(declared_name(rules, tool)).or_default() += 1;
        }
        let mut names = Self {
            rules,
            to_wire: HashMap::new(),
            to_tool: HashMap::new(),
            custom: HashMap::new(),
            client_search: None,
        };
        let (kept, changed): (Vec<_>, Vec<_>) =
            tools.into_iter().partition(|tool| declared_name(rules, tool) == **tool);
        for tool in kept {
            names.add(tool, tool.to_owned());
        }
        let (unique, colliding): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|tool| uses.get(&declared_name(rules, tool)) == Some(&1));
        for tool in unique {
            names.add(tool, declared_name(rules, tool));
        }
        // Last, because a suffixed name must differ from all names without suffix.
        for tool in colliding {
            let wire = names.with_unique_suffix(rules, tool);
            names.add(tool, wire);
        }
        names
    }

    fn add(&mut self, tool: &str, wire: String) {
        self.to_tool.insert(wire.clone(), tool.to_owned());
        self.to_wire.insert(tool.to_owned(), wire);
    }

    /// The tool's name with a suffix; the suffix is applied again if that name is taken.
    fn with_unique_suffix(&self, rules: &NameRules, tool: &str) -> String {
        let mut text = tool.to_owned();
        loop {
            let wire = with_suffix(
                &with_accepted_characters(rules, tool),
                rules.max_length,
                &suffix(&text),
            );
            if !self.to_tool.contains_key(&wire) {
                return wire;
            }
            text.push('.');
        }
    }

    /// The longest name that the dialect accepts, in characters.
    pub(super) fn max_length(&self) -> usize {
        self.rules.max_length
    }

    /// The declared name of a tool.
    pub(super) fn wire(&self, tool: &str) -> Option<&str> {
        self.to_wire.get(tool).map(String::as_str)
    }

    /// The tool with a declared name; `None` if no tool was declared under it.
    ///
    /// A tool's own name is accepted too, unless it is the declared name of another tool: models
    /// see own names in the texts of tools.
    pub(super) fn tool(&self, wire: &str) -> Option<&str> {
        let wire_tool = || self.to_wire.get_key_value(wire).map(|(tool, _)| tool);
        self.to_tool.get(wire).or_else(wire_tool).map(String::as_str)
    }

    /// Declares a tool as a custom tool with this argument.
    pub(super) fn set_custom(&mut self, tool: &str, argument: String) {
        self.custom.insert(tool.to_owned(), argument);
    }

    /// The argument of a called custom tool; `None` if no tool of this name is declared as one.
    pub(super) fn custom_argument(&self, called: &str) -> Option<&str> {
        self.custom.get(self.tool(called)?).map(String::as_str)
    }

    /// Declares a tool as the one that executes the provider's search for tools.
    pub(super) fn set_client_search(&mut self, tool: &str) {
        self.client_search = Some(tool.to_owned());
    }

    /// The own name of the tool that executes the provider's search for tools.
    pub(super) fn client_search(&self) -> Option<&str> {
        self.client_search.as_deref()
    }

    /// The name under which a call is repeated to the provider, which rejects others than its own
    /// declarations may have: a tool's own name becomes its declared one, any other a stand-in
    /// with a suffix, so that it names no tool.
    pub(super) fn repeatable<'n>(&'n self, called: &'n str) -> Cow<'n, str> {
        if self.rules.accept(called) {
            return called.into();
        }
        let stand_in = || {
            let base_name = if called.trim().is_empty() { UNNAMED } else { called };
            let accepted = with_accepted_characters(self.rules, base_name);
            with_suffix(&accepted, self.rules.max_length, &suffix(called))
        };
        self.wire(called).map_or_else(|| stand_in().into(), Cow::Borrowed)
    }

    /// All declared names.
    pub(super) fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.to_tool.keys().map(String::as_str)
    }
}

/// Stands for the name of a call that has none.
const UNNAMED: &str = "unnamed";

/// A property name that Anthropic, Bedrock and Gemini accept: unchanged, or with a suffix.
pub(super) fn property(name: &str) -> String {
    const MAX_LENGTH: usize = 64;
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if !name.is_empty() && name.len() <= MAX_LENGTH && name.chars().all(is_accepted) {
        return name.to_owned();
    }
    let replaced = name.chars().map(|c| if is_accepted(c) { c } else { '_' });
    with_suffix(&replaced.collect::<String>(), MAX_LENGTH, &suffix(name))
}

/// The declared name, ignoring collisions.
fn declared_name(rules: &NameRules, tool: &str) -> String {
    let wire = with_accepted_characters(rules, tool);
    if wire.len() <= rules.max_length {
        wire
    } else {
        with_suffix(&wire, rules.max_length, &suffix(tool))
    }
}

/// The name with unsupported characters replaced by `_`, at any length.
pub(super) fn with_accepted_characters(rules: &NameRules, tool: &str) -> String {
    let is_accepted =
        |c: char| c.is_ascii_alphanumeric() || "_-".contains(c) || (rules.allows_dots && c == '.');
    let mut wire: String = tool.chars().map(|c| if is_accepted(c) { c } else { '_' }).collect();
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    if rules.begins_with_letter && !wire.starts_with(is_first) {
        wire.insert(0, '_');
    }
    wire
}

/// The name with a suffix, truncated to the longest length.
fn with_suffix(wire: &str, max_length: usize, suffix: &str) -> String {
    let end = wire.len().min(max_length - suffix.len());
    format!("{}{suffix}", &wire[..end])
}

/// A suffix that depends only on the text.
fn suffix(text: &str) -> String {
    format!("_{}", digits(text))
}

/// Eight hexadecimal digits that depend only on the text (FNV-1a), so that they are reproducible.
pub(super) fn digits(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:08x}", (hash ^ (hash >> 32)) & 0xffff_ffff)
}
