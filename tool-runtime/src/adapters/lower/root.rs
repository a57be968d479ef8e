//! The arguments as a whole: an object, without choices.

use serde_json::{Map, Value};

use super::merge;
use super::node::DEEPEST;
use super::normal::{closes, is_annotation, normal};
use super::size::too_large;
use super::{Lowering, below};

type Keywords = Map<String, Value>;

impl Lowering<'_> {
    /// Says the schema of a tool's arguments.
    pub(super) fn root(&mut self, schema: &Value) -> Keywords {
        let keywords = schema.as_object().map(normal).unwrap_or_default();
        let keywords = self.one_object(keywords, "");
        let said =
            if self.profile.whole { self.whole(&keywords, "") } else { self.plain(&keywords, "") };
        let mut root = match said {
            Value::Object(said) => self.allowed(said),
            _ => Keywords::new(),
        };
        root.insert("type".to_owned(), "object".into());
        root.entry("properties").or_insert_with(|| Value::Object(Keywords::new()));
        let definitions = self.definitions();
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        if let (true, Some(limit)) = (self.profile.strict, too_large(&root)) {
            self.block("", "properties", limit);
        }
        root
    }

    /// The keywords that the root may have.
    fn allowed(&mut self, said: Keywords) -> Keywords {
        let (kept, rest): (Keywords, Keywords) =
            said.into_iter().partition(|(word, _)| self.profile.root.contains(&word.as_str()));
        for word in rest.keys().filter(|word| !is_annotation(word)) {
            self.lose("", word, "left out at the root");
        }
        kept
    }

    /// One object that admits what the arguments may be, without references and combinators.
    fn one_object(&mut self, keywords: Keywords, at: &str) -> Keywords {
        let mut keywords = self.combined(keywords, at);
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.remove(word) {
                self.lose(at, word, "its branches are said together");
                keywords = self.joined(&keywords, &branches, &below(at, &[word]));
            }
        }
        if closes(&keywords) {
            keywords.entry("additionalProperties").or_insert(Value::Bool(false));
        } else if keywords.contains_key("unevaluatedProperties") {
            self.lose(at, "unevaluatedProperties", "left out");
        }
        keywords.remove("unevaluatedProperties");
        keywords
    }

    /// An object of any of the branches, and of what stands beside them.
    fn joined(&mut self, beside: &Keywords, branches: &[Value], at: &str) -> Keywords {
        if self.depth > DEEPEST {
            self.lose(at, "anyOf", "too large to be said: left out");
            return beside.clone();
        }
        self.depth += 1;
        let mut flat = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let place = below(at, &[&index.to_string()]);
            let branch = self.flat(branch, &place);
            let both = self.both(&branch, beside, &place);
            flat.push(self.one_object(both, &place));
        }
        self.depth -= 1;
        let mut joined = merge::any(&flat);
        let said =
            ["properties", "required", "additionalProperties", "unevaluatedProperties", "type"];
        let further = beside.iter().filter(|(word, _)| !said.contains(&word.as_str()));
        joined.extend(further.map(|(word, value)| (word.clone(), value.clone())));
        joined
    }
}
