//! The encodings of text as tokens, and the models that use them.

use std::fmt;

/// A way to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenMethod {
    /// By an estimate.
    Estimate,
    /// By the encoding of the model.
    Exact(Encoding),
}

impl TokenMethod {
    /// Returns the name of the encoding, or `estimate`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Exact(encoding) => encoding.as_str(),
        }
    }

    /// Returns whether the counts come from an encoding.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }
}

impl fmt::Display for TokenMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An encoding of text as tokens.
///
/// ```
/// use tool_runtime::tokens::Encoding;
///
/// assert_eq!(Encoding::for_model("gpt-4o-2024-08-06"), Some(Encoding::O200kBase));
/// assert_eq!(Encoding::for_model("claude-sonnet-4-5"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `o200k_base`: 200,000 tokens; the models of OpenAI since GPT-4o.
    O200kBase,
    /// `cl100k_base`: 100,000 tokens; GPT-4, GPT-3.5 and the embeddings of OpenAI.
    Cl100kBase,
}

/// The models of each encoding by the first part of their names.
const MODELS: [(&str, Encoding); 16] = [
    ("chatgpt-4o", Encoding::O200kBase),
    ("gpt-4.1", Encoding::O200kBase),
    ("gpt-4.5", Encoding::O200kBase),
    ("gpt-4o", Encoding::O200kBase),
    // `o200k_harmony`, which differs in special tokens alone.
    ("gpt-oss", Encoding::O200kBase),
    ("o1", Encoding::O200kBase),
    ("o3", Encoding::O200kBase),
    ("o4-mini", Encoding::O200kBase),
    ("babbage-002", Encoding::Cl100kBase),
    ("davinci-002", Encoding::Cl100kBase),
    ("gpt-3.5", Encoding::Cl100kBase),
    ("gpt-35-turbo", Encoding::Cl100kBase),
    ("gpt-4", Encoding::Cl100kBase),
    ("text-embedding-3-large", Encoding::Cl100kBase),
    ("text-embedding-3-small", Encoding::Cl100kBase),
    ("text-embedding-ada-002", Encoding::Cl100kBase),
];

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// Returns the encoding's name, such as `o200k_base`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// Returns the encoding that a model of OpenAI uses; `None` for other and for unknown models.
    ///
    /// Accepts dated names (`gpt-4o-2024-08-06`), fine-tuned models (`ft:gpt-4o:…`), and the
    /// provider before the name (`openai/gpt-4o`).
    #[must_use]
    pub fn for_model(model: &str) -> Option<Self> {
        let name = model.strip_prefix("openai/").unwrap_or(model);
        let name = name.strip_prefix("ft:").unwrap_or(name);
        // Minor versions of GPT-5 keep the encoding.
        if name.starts_with("gpt-5") {
            return Some(Self::O200kBase);
        }
        let (_, encoding) = MODELS.iter().find(|(family, _)| is_of_family(name, family))?;
        Some(*encoding)
    }
}

/// Returns whether a name is the family's, alone or with a suffix.
fn is_of_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family)
        .is_some_and(|suffix| suffix.is_empty() || suffix.starts_with(['-', ':']))
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding::{Cl100kBase, O200kBase};
    use super::*;

    #[track_caller]
    fn check(models: &[&str], expected: Option<Encoding>) {
        for model in models {
            assert_eq!(Encoding::for_model(model), expected, "{model}");
        }
    }

    #[test]
    fn models_since_gpt_4o_use_o200k() {
        check(
            &["gpt-4o", "gpt-4o-mini", "gpt-4o-2024-08-06", "chatgpt-4o-latest"],
            Some(O200kBase),
        );
        check(&["gpt-4.1", "gpt-4.1-nano", "gpt-4.5-preview", "gpt-5", "gpt-5.1"], Some(O200kBase));
        check(&["o1", "o1-mini", "o3-pro", "o4-mini", "gpt-oss-20b"], Some(O200kBase));
    }

    #[test]
    fn older_models_and_embeddings_use_cl100k() {
        check(
            &["gpt-4", "gpt-4-0613", "gpt-4-32k", "gpt-3.5-turbo", "gpt-35-turbo-16k"],
            Some(Cl100kBase),
        );
        check(&["text-embedding-3-small", "text-embedding-ada-002"], Some(Cl100kBase));
    }

    #[test]
    fn fine_tuned_models_use_the_encoding_of_their_base() {
        check(&["ft:gpt-4o-mini-2024-07-18:shop::8Wx", "openai/gpt-4o"], Some(O200kBase));
        check(&["ft:gpt-3.5-turbo:shop"], Some(Cl100kBase));
    }

    #[test]
    fn models_with_other_or_unknown_encodings_have_none() {
        check(&["claude-sonnet-4-5", "gemini-2.5-pro", "llama3", "mistral-large", ""], None);
        check(&["gpt-2", "gpt2", "davinci", "gpt-4.9", "o10", "my-gpt-4o"], None);
    }

    #[test]
    fn a_method_is_named_after_its_encoding() {
        assert_eq!(TokenMethod::Estimate.to_string(), "estimate");
        let names = Encoding::ALL.map(|encoding| TokenMethod::Exact(encoding).to_string());
        assert_eq!(names, ["o200k_base", "cl100k_base"]);
        assert!(TokenMethod::Exact(O200kBase).is_exact() && !TokenMethod::Estimate.is_exact());
    }
}
