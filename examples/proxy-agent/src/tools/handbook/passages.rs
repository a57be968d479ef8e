//! Splits a page in Markdown into passages: the paragraphs under one heading, up to a length.

/// Consecutive paragraphs of one section.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// The page's file name.
    page: &'static str,
    /// The section's heading.
    pub(super) heading: String,
    pub(super) text: String,
}

/// The length at which a passage is closed, in bytes. A paragraph or a program is never split.
const LENGTH: usize = 1_200;

impl Passage {
    /// Returns the page and the anchor of the heading, as links in Markdown name them.
    pub(super) fn source(&self) -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ');
        let anchor: String = self.heading.to_lowercase().chars().filter(kept).collect();
        format!("{}#{}", self.page, anchor.replace(' ', "-"))
    }
}

/// Splits a page.
pub(super) fn passages(page: &'static str, text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut open = Passage { page, heading: String::new(), text: String::new() };
    let mut is_program = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_program = !is_program;
        }
        if let Some(heading) = heading(line).filter(|_| !is_program) {
            let heading = heading.to_owned();
            let next = Passage { page, heading, text: String::new() };
            close(&mut passages, std::mem::replace(&mut open, next));
        } else if line.is_empty() && !is_program && open.text.len() >= LENGTH {
            let next = Passage { page, heading: open.heading.clone(), text: String::new() };
            close(&mut passages, std::mem::replace(&mut open, next));
        } else {
            open.text.push_str(line);
            open.text.push('\n');
        }
    }
    close(&mut passages, open);
    passages
}

/// Keeps a passage, unless it has no text.
fn close(passages: &mut Vec<Passage>, passage: Passage) {
    let text = passage.text.trim().to_owned();
    if !text.is_empty() {
        passages.push(Passage { text, ..passage });
    }
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    rest.strip_prefix(' ').filter(|_| rest.len() < line.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::handbook::PAGES;

    #[test]
    fn sections_become_passages_and_programs_stay_whole() {
        let program = format!("```rust\n# hidden\n\n{}\n```", "let x = 1;\n".repeat(200));
        let page = format!("# Page\nIntro.\n\n## The `loop`, twice\nA.\n\n{program}\n\nAfter.\n");
        let found = passages("page.md", &page);
        let sources: Vec<String> = found.iter().map(Passage::source).collect();
        assert_eq!(sources, ["page.md#page", "page.md#the-loop-twice", "page.md#the-loop-twice"]);
        assert_eq!(found[1].text, format!("A.\n\n{program}"));
        assert_eq!(found[2].text, "After.");
    }

    #[test]
    fn every_page_of_the_guide_is_in_the_handbook() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tool-runtime/docs");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.retain(|name| name != "links.txt");
        names.sort();
        let listed: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, listed);
    }
}
