//! The data of the load test's tool: contents in memory, found by their words.

use std::collections::HashMap;
use std::convert::Infallible;

use tool_runtime::prelude::*;

/// The number of contents per topic.
const OF_A_TOPIC: usize = 20;

/// The topics of the contents; each request searches for one of them.
pub(super) const TOPICS: [&str; 20] = [
    "tea houses",
    "stone bridges",
    "salt merchants",
    "paper makers",
    "river mills",
    "ancestral halls",
    "wood carvers",
    "village schools",
    "lantern feasts",
    "indigo dyers",
    "grain stores",
    "opera stages",
    "well keepers",
    "camphor trees",
    "rice terraces",
    "ferry men",
    "ink makers",
    "herb doctors",
    "bamboo weavers",
    "clan rules",
];

/// The results of a search.
#[ai_type]
#[derive(Debug)]
pub(super) struct Hits {
    /// The hits, best first.
    pub(super) items: Vec<Content>,
    /// The total number of results.
    pub(super) total: u32,
    /// The words of the search.
    pub(super) query: String,
}

/// One content.
#[ai_type]
#[derive(Debug, Clone)]
#[allow(clippy::struct_field_names, reason = "they are the names on the wire")]
pub(super) struct Content {
    /// The content's id.
    pub(super) id: String,
    /// The content's type.
    pub(super) content_type: String,
    /// The content's title.
    pub(super) title: String,
    /// The content's text.
    pub(super) body: String,
    /// The credibility of the text, from 0 to 1.
    pub(super) credibility_score: f64,
    /// True if a person has verified it.
    pub(super) verified: bool,
}

/// The contents, and an index of the words in their titles.
#[derive(Debug)]
pub(super) struct Catalogue {
    contents: Vec<Content>,
    by_word: HashMap<String, Vec<usize>>,
}

impl Catalogue {
    /// Makes the contents of all topics.
    pub(super) fn new() -> Self {
        let contents: Vec<_> = (0..TOPICS.len() * OF_A_TOPIC).map(content).collect();
        let mut by_word = HashMap::<_, Vec<usize>>::new();
        for (at, content) in contents.iter().enumerate() {
            for word in words(&content.title) {
                by_word.entry(word).or_default().push(at);
            }
        }
        Self { contents, by_word }
    }

    /// Finds the contents whose title has all the words.
    pub(super) fn search(&self, query: String, content_type: Option<&str>, limit: u32) -> Hits {
        let of_word = |word: String| self.by_word.get(&word).map_or(&[][..], Vec::as_slice);
        let mut lists: Vec<&[usize]> = words(&query).map(of_word).collect();
        lists.sort_by_key(|list| list.len());
        let mut hits = Hits { items: Vec::new(), total: 0, query };
        let Some((shortest, others)) = lists.split_first() else { return hits };
        let found = shortest
            .iter()
            .filter(|at| others.iter().all(|list| list.binary_search(at).is_ok()))
            .filter_map(|at| self.contents.get(*at))
            .filter(|content| content_type.is_none_or(|it| content.content_type == it));
        for content in found {
            hits.total += 1;
            if hits.total <= limit {
                hits.items.push(content.clone());
            }
        }
        hits
    }
}

/// Searches the published content of a site.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "content")]
#[allow(clippy::unused_async, reason = "tools are async as a rule; what is measured is the call")]
pub(super) async fn search_content(
    catalogue: &Catalogue,
    /// Words to search for.
    #[arg(length(1..=200))]
    query: String,
    /// Only content of this type.
    content_type: Option<String>,
    /// The maximum number of hits to return.
    #[arg(default = 10, range(1..=50))]
    limit: u32,
) -> Result<Hits, Infallible> {
    Ok(catalogue.search(query, content_type.as_deref(), limit))
}

fn content(number: usize) -> Content {
    let (topic, part) = (TOPICS[number / OF_A_TOPIC], number % OF_A_TOPIC + 1);
    Content {
        id: format!("content-{number:04}"),
        content_type: if part % 4 == 0 { "story" } else { "knowledge" }.to_owned(),
        title: format!("The {topic} of the old town, part {part}"),
        body: format!("What the chronicle of the year {} says of them.", 1573 + number),
        credibility_score: 0.98,
        verified: true,
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let split = text.split(|letter: char| !letter.is_alphanumeric());
    split.filter(|word| !word.is_empty()).map(str::to_lowercase)
}
