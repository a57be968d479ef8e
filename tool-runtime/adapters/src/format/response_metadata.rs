//! Facts about a response beside its content.

use super::response_value::ResponseValue;
use crate::TurnUsage;

/// Facts about a response beside its content.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseMetadata {
    /// The provider's id of the response.
    pub(crate) id: Option<String>,
    /// The model that answered.
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<TurnUsage>,
}

impl ResponseMetadata {
    /// Reads the id and the model from the fields of these names.
    pub(crate) fn read(response: ResponseValue<'_>, id: &str, model: &str) -> Self {
        Self { id: response.label_of(id), model: response.label_of(model), usage: None }
    }

    /// Adds what a later event reports: the id and the model stay, the usage is replaced.
    pub(crate) fn update(&mut self, later: Self) {
        self.id = self.id.take().or(later.id);
        self.model = self.model.take().or(later.model);
        self.usage = later.usage.or(self.usage);
    }
}
