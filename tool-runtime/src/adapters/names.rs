//! Maps tool names to a dialect and back.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Dialect;

/// The unique declared names of a set of tools, and the reverse mapping.
///
/// A name that the dialect accepts stays unchanged. In any other, unsupported characters become
/// `_`; if the result is too long or collides with another tool, a suffix derived from the tool's
/// own name is appended. A declared name therefore does not depend on the other tools, unless one
/// of them has exactly that name.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolNames {
    to_wire: HashMap<String, String>,
    to_tool: HashMap<String, String>,
}

impl ToolNames {
    /// Assigns the declared names.
    pub(super) fn new<'t>(dialect: Dialect, tools: impl IntoIterator<Item = &'t str>) -> Self {
        let tools: BTreeSet<&str> = tools.into_iter().collect();
        let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
        for tool in &tools {
            *wanted.entry(declared_name(dialect, tool)).or_default() += 1;
        }
        let mut names = Self::default();
        let (kept, changed): (Vec<_>, Vec<_>) =
            tools.into_iter().partition(|tool| declared_name(dialect, tool) == **tool);
        for tool in kept {
            names.add(tool, tool.to_owned());
        }
        let (alone, alike): (Vec<_>, Vec<_>) = changed
            .into_iter()
            .partition(|tool| wanted.get(&declared_name(dialect, tool)) == Some(&1));
        for tool in alone {
            names.add(tool, declared_name(dialect, tool));
        }
        // Last, because a suffixed name must differ from all names without suffix.
        for tool in alike {
            let wire = names.marked(dialect, tool);
            names.add(tool, wire);
        }
        names
    }

    fn add(&mut self, tool: &str, wire: String) {
        self.to_tool.insert(wire.clone(), tool.to_owned());
        self.to_wire.insert(tool.to_owned(), wire);
    }

    /// The tool's name with a suffix; the suffix is applied again if that name is taken.
    fn marked(&self, dialect: Dialect, tool: &str) -> String {
        let mut text = tool.to_owned();
        loop {
            let wire = cut(&replaced(dialect, tool), longest(dialect), &mark(&text));
            if !self.to_tool.contains_key(&wire) {
                return wire;
            }
            text.push('.');
        }
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
        let own = || self.to_wire.get_key_value(wire).map(|(tool, _)| tool);
        self.to_tool.get(wire).or_else(own).map(String::as_str)
    }

    /// All declared names.
    pub(super) fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.to_tool.keys().map(String::as_str)
    }
}

/// A property name that Anthropic, Bedrock and Gemini accept: unchanged, or with a suffix.
pub(super) fn property(name: &str) -> String {
    const LONGEST: usize = 64;
    let takes = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if !name.is_empty() && name.len() <= LONGEST && name.bytes().all(takes) {
        return name.to_owned();
    }
    let clean = |c: char| if c.is_ascii() && takes(c as u8) { c } else { '_' };
    cut(&name.chars().map(clean).collect::<String>(), LONGEST, &mark(name))
}

/// The longest name of a tool.
const fn longest(dialect: Dialect) -> usize {
    match dialect {
        Dialect::Anthropic => 128,
        _ => 64,
    }
}

/// The declared name, ignoring collisions.
fn declared_name(dialect: Dialect, tool: &str) -> String {
    let wire = replaced(dialect, tool);
    if wire.len() <= longest(dialect) { wire } else { cut(&wire, longest(dialect), &mark(tool)) }
}

/// The name with unsupported characters replaced by `_`, at any length.
pub(super) fn replaced(dialect: Dialect, tool: &str) -> String {
    let dots = dialect == Dialect::Gemini;
    let takes = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c) || (dots && c == '.');
    let mut wire: String = tool.chars().map(|c| if takes(c) { c } else { '_' }).collect();
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    if dialect == Dialect::Gemini && !wire.starts_with(starts) {
        wire.insert(0, '_');
    }
    wire
}

fn cut(wire: &str, longest: usize, mark: &str) -> String {
    let room = longest - mark.len();
    format!("{}{mark}", &wire[..wire.len().min(room)])
}

/// Eight hexadecimal digits that depend only on the text (FNV-1a), so that they are reproducible.
fn mark(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("_{:08x}", (hash ^ (hash >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, tools: &[&str], declared_names: &[&str]) {
        let names = ToolNames::new(dialect, tools.iter().copied());
        let found: Vec<_> = tools.iter().map(|tool| names.wire(tool).expect("named")).collect();
        assert_eq!(found, declared_names);
        for (tool, wire) in tools.iter().zip(found) {
            assert_eq!(names.tool(wire), Some(*tool));
        }
    }

    #[test]
    fn dots_become_underscores_where_they_are_not_taken() {
        check(Dialect::OpenAiChat, &["content.search"], &["content_search"]);
        check(Dialect::Gemini, &["content.search", "2nd"], &["content.search", "_2nd"]);
    }

    #[test]
    fn a_tool_that_is_called_just_that_keeps_its_name() {
        check(
            Dialect::Anthropic,
            &["content.search", "content_search"],
            &["content_search_da954167", "content_search"],
        );
    }

    #[test]
    fn a_tools_own_name_means_it_where_it_means_no_other() {
        let names =
            ToolNames::new(Dialect::OpenAiChat, ["content.search", "content_search", "a.b"]);
        assert_eq!(names.tool("a.b"), Some("a.b"));
        assert_eq!(names.tool("content.search"), Some("content.search"));
        assert_eq!(names.tool("content_search"), Some("content_search"));
        assert_eq!(names.tool("a.c"), None);
    }

    #[test]
    fn tools_that_would_be_called_alike_are_both_marked() {
        let names = ToolNames::new(Dialect::Ollama, ["a.b-c", "a.b.c", "a_b.c"]);
        let declared_names =
            ["a.b-c", "a.b.c", "a_b.c"].map(|tool| names.wire(tool).expect("named"));
        assert_eq!(declared_names[0], "a_b-c");
        assert!(declared_names[1].starts_with("a_b_c_") && declared_names[2].starts_with("a_b_c_"));
        assert_ne!(declared_names[1], declared_names[2]);
    }

    #[test]
    fn a_tool_that_is_called_as_anothers_mark_takes_no_call_of_it() {
        let tools = ["content.search", "content.search.da954167", "content_search"];
        let names = ToolNames::new(Dialect::Anthropic, tools);
        assert_eq!(names.wire(tools[1]), Some("content_search_da954167"));
        for tool in tools {
            let wire = names.wire(tool).expect("named");
            assert_eq!(names.tool(wire), Some(tool));
        }
    }

    #[test]
    fn a_long_name_is_cut_and_the_same_beside_any_other() {
        let long = "x".repeat(100);
        let alone = ToolNames::new(Dialect::BedrockConverse, [long.as_str()]);
        let longer = "x".repeat(101);
        let beside = ToolNames::new(Dialect::BedrockConverse, [longer.as_str(), long.as_str()]);
        assert_eq!(alone.wire(&long).map(str::len), Some(64));
        assert_eq!(alone.wire(&long), beside.wire(&long));
        assert_ne!(beside.wire(&long), beside.wire(&longer));
    }

    #[test]
    fn a_property_stays_what_it_is_unless_it_cannot() {
        assert_eq!(property("max_count"), "max_count");
        assert!(property("$top").starts_with("_top_"));
        assert_ne!(property("$top"), property("@top"));
        assert_eq!(property(&"é".repeat(80)).len(), 64);
    }
}
