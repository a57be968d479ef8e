//! The texts of a call in one allocation.

/// Texts by [`TextField`], one after the other.
///
/// They are allocated on a call's thread and freed on the writer's. Freeing many small blocks on
/// another thread costs an allocator more than one copy of all of them.
pub(super) struct CallTexts {
    all: Box<str>,
    /// The start and the end of each text.
    ranges: [Option<(usize, usize)>; TextField::COUNT],
}

/// The meaning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextField {
    /// The name of a tool that is not registered.
    Tool,
    Trace,
    Run,
    IngestionRun,
    TenantSlug,
    Site,
    Request,
    User,
    Actor,
    Session,
    /// The model's id of the call.
    Call,
    /// The admitted arguments.
    Arguments,
    /// The answer's `data`, if the writer hashes it.
    Data,
    /// The answer's `meta`, where it may name evidence.
    Meta,
    /// The SHA-256 of each attachment, separated by spaces.
    Attachments,
}

impl TextField {
    const COUNT: usize = Self::Attachments as usize + 1;
}

impl CallTexts {
    pub(super) fn new(named: &[(TextField, Option<&str>)]) -> Self {
        let length = named.iter().filter_map(|(_, text)| *text).map(str::len).sum();
        let (mut all, mut ranges) = (String::with_capacity(length), [None; TextField::COUNT]);
        for (name, text) in named {
            let Some(text) = text else { continue };
            ranges[*name as usize] = Some((all.len(), all.len() + text.len()));
            all.push_str(text);
        }
        Self { all: all.into_boxed_str(), ranges }
    }

    pub(super) fn get(&self, name: TextField) -> Option<&str> {
        let (begin, end) = self.ranges[name as usize]?;
        self.all.get(begin..end)
    }

    /// The total length in bytes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_found_by_its_name() {
        let texts = CallTexts::new(&[
            (TextField::Data, Some("[\"茶\"]")),
            (TextField::Run, None),
            (TextField::Trace, Some("t-1")),
            (TextField::Meta, Some("")),
        ]);
        assert_eq!(texts.get(TextField::Trace), Some("t-1"));
        assert_eq!(texts.get(TextField::Data), Some("[\"茶\"]"));
        assert_eq!(texts.get(TextField::Meta), Some(""));
        assert_eq!((texts.get(TextField::Run), texts.get(TextField::Tool)), (None, None));
        assert_eq!(texts.len(), 10);
    }
}
