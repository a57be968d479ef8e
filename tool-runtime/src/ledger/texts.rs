//! The texts of a call in one piece of memory.

/// Texts under names of `Name`, one behind the other.
///
/// They are taken on a call's thread and given back on the writer's, and memory that changes threads
/// piece by piece costs an allocator more than a copy of it all.
pub(super) struct Texts {
    all: Box<str>,
    /// Where each begins and ends.
    places: [Option<(usize, usize)>; Name::COUNT],
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Of a tool that nobody has registered.
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
    /// As admitted.
    Arguments,
    /// What was answered.
    Data,
    /// What is said of the answer, where it may name evidence.
    Meta,
}

impl Name {
    const COUNT: usize = Self::Meta as usize + 1;
}

impl Texts {
    pub(super) fn of(named: &[(Name, Option<&str>)]) -> Self {
        let length = named.iter().filter_map(|(_, text)| *text).map(str::len).sum();
        let (mut all, mut places) = (String::with_capacity(length), [None; Name::COUNT]);
        for (name, text) in named {
            let Some(text) = text else { continue };
            places[*name as usize] = Some((all.len(), all.len() + text.len()));
            all.push_str(text);
        }
        Self { all: all.into_boxed_str(), places }
    }

    pub(super) fn get(&self, name: Name) -> Option<&str> {
        let (begin, end) = self.places[name as usize]?;
        self.all.get(begin..end)
    }

    /// How many bytes they take.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_found_by_its_name() {
        let texts = Texts::of(&[
            (Name::Data, Some("[\"茶\"]")),
            (Name::Run, None),
            (Name::Trace, Some("t-1")),
            (Name::Meta, Some("")),
        ]);
        assert_eq!(texts.get(Name::Trace), Some("t-1"));
        assert_eq!(texts.get(Name::Data), Some("[\"茶\"]"));
        assert_eq!(texts.get(Name::Meta), Some(""));
        assert_eq!((texts.get(Name::Run), texts.get(Name::Tool)), (None, None));
        assert_eq!(texts.len(), 10);
    }
}
