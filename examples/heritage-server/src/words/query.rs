//! The words of a question.

/// One word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Term {
    /// A Chinese word: found as a word, or as its characters in a row.
    Chinese(String),
    /// A word of another script: found by its stem.
    Other {
        stem: String,
        /// As it was written, in lower case.
        word: String,
    },
}

/// The words of a question; a result has at least one of them.
///
/// Words contain only letters and digits, so no operator of a database can be among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    terms: Vec<Term>,
}

/// The most words of a question that are used; later ones are ignored.
const MAX_TERMS: usize = 32;

/// Stop words, which are ignored unless a question has no other words.
const EMPTY_WORDS: &str = "
    的 了 吗 呢 吧 啊 是 在 有 和 与 及 或 我 你 他 她 它 们 我们 你们 这 那 这个 那个 什么 怎么 怎样 如何 为什么
    哪 哪些 哪里 谁 请 请问 可以 关于 一下 给 讲 说 讲讲 说说 告诉 之 也 而 其 者 于 以 为 乎 矣 焉 哉
    a an the of in on at to by for from with about into and or not is are was were be been do does did
    what which who whom how why when where it its this that these those i me my we our you your they
    their there can could would should please tell s t";

impl Query {
    pub(super) fn of(terms: impl Iterator<Item = Term>) -> Self {
        let all: Vec<_> = terms.fold(Vec::new(), |mut all, term| {
            if !all.contains(&term) {
                all.push(term);
            }
            all
        });
        let telling: Vec<_> = all.iter().filter(|term| !term.is_empty_word()).cloned().collect();
        let mut terms = if telling.is_empty() { all } else { telling };
        terms.truncate(MAX_TERMS);
        Self { terms }
    }

    /// Returns whether there is nothing to search for: the question is only punctuation.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Writes the question in the syntax of FTS5.
    pub(crate) fn for_sqlite(&self) -> String {
        let terms = self.terms.iter().map(|term| match term {
            Term::Chinese(word) => {
                let phrase = spaced(word, " ");
                format!("({{title body}} : \"{word}\") OR (characters : \"{phrase}\")")
            }
            Term::Other { stem, .. } => format!("({{title body}} : \"{stem}\")"),
        });
        terms.collect::<Vec<_>>().join(" OR ")
    }

    /// Writes the question in the syntax of PostgreSQL: for words, and for characters.
    pub(crate) fn for_postgres(&self) -> (String, String) {
        let words = self.terms.iter().map(|term| match term {
            Term::Chinese(word) | Term::Other { stem: word, .. } => format!("'{word}'"),
        });
        let phrases = self.terms.iter().filter_map(|term| match term {
            Term::Chinese(word) => Some(format!("({})", spaced(word, " <-> "))),
            Term::Other { .. } => None,
        });
        (words.collect::<Vec<_>>().join(" | "), phrases.collect::<Vec<_>>().join(" | "))
    }
}

impl Term {
    fn is_empty_word(&self) -> bool {
        let (Self::Chinese(word) | Self::Other { word, .. }) = self;
        EMPTY_WORDS.split_whitespace().any(|empty| empty == word)
    }
}

fn spaced(word: &str, between: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join(between)
}
