//! Arguments that a person changed before they let the call run.

use serde_json::Value;
use thiserror::Error;
use tool_contracts::{CallStatus, ToolErrorDetail};

use super::{CallTarget, ToolCall, is_name};
use crate::arguments::Arguments;
use crate::dispatch::pipeline;

/// Says why edited arguments were not taken. The call is as it was before.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The call is not pending any more.
    #[error("the call is not pending, so it cannot be edited")]
    NotPending,
    /// The approver's name is blank.
    #[error("edited arguments need a named approver")]
    NoApprover,
    /// The arguments are not valid; the detail says all that is wrong with them.
    #[error("the edited arguments are refused: {}", .0.message())]
    Refused(Box<ToolErrorDetail>),
}

impl ToolCall {
    /// Allows this call with arguments that a person changed; they are checked like a model's.
    ///
    /// The model is told what was changed: `meta.edits` lists JSON Pointers. The envelope's `input`
    /// stays the echo of what the model sent. A preview of the earlier arguments binds no more.
    ///
    /// # Errors
    /// The call is not pending, the approver has no name, or the arguments are not valid: then the
    /// call is as it was, and may be edited again.
    pub fn approve_edited(
        &mut self,
        approver: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Result<(), EditError> {
        let approver = approver.into();
        if !is_name(&approver) {
            return Err(EditError::NoApprover);
        }
        self.approval.edited |= self.edit(arguments.into())?;
        self.approved_by(approver);
        Ok(())
    }

    /// Changes the arguments, and lets no approval of the earlier ones stand for these; returns
    /// whether they are others.
    pub(crate) fn edit(&mut self, arguments: Arguments) -> Result<bool, EditError> {
        let (CallStatus::Pending, CallTarget::Known(scope)) = (self.status, &self.target) else {
            return Err(EditError::NotPending);
        };
        let arguments = arguments.into_text();
        let is_changed = *arguments != *scope.arguments();
        if is_changed {
            let pointers = differences(scope.sent().arguments(), &arguments);
            let edited = scope.edited(arguments, pointers);
            let decoded = pipeline::decode(&edited)
                .map_err(|refusal| EditError::Refused(Box::new(refusal.detail)))?;
            self.target = CallTarget::Known(edited);
            self.pending = Some(decoded);
            self.approval.preview = None;
            self.approval.approver = None;
        }
        Ok(is_changed)
    }
}

/// The most places that are listed one by one.
const MOST_PLACES: usize = 256;

/// Lists the places where two texts differ; the root alone if one of them is no JSON, or if there
/// are too many to list.
pub(crate) fn differences(before: &str, after: &str) -> Vec<String> {
    let read = |text| serde_json::from_str::<Value>(text);
    let (Ok(before), Ok(after)) = (read(before), read(after)) else { return vec![String::new()] };
    let mut places = Vec::new();
    compare(&before, &after, &mut String::new(), &mut places);
    if places.len() > MOST_PLACES { vec![String::new()] } else { places }
}

fn compare(before: &Value, after: &Value, place: &mut String, places: &mut Vec<String>) {
    match (before, after) {
        _ if places.len() > MOST_PLACES => {}
        (Value::Object(before), Value::Object(after)) => {
            let added = after.keys().filter(|key| !before.contains_key(*key));
            for key in before.keys().chain(added) {
                let (before, after) = (before.get(key), after.get(key));
                below(before, after, &key.replace('~', "~0").replace('/', "~1"), place, places);
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for index in 0..before.len().max(after.len()) {
                below(before.get(index), after.get(index), &index.to_string(), place, places);
            }
        }
        _ if before == after => {}
        _ => places.push(place.clone()),
    }
}

fn below(
    before: Option<&Value>,
    after: Option<&Value>,
    token: &str,
    place: &mut String,
    places: &mut Vec<String>,
) {
    let length = place.len();
    place.push('/');
    place.push_str(token);
    match (before, after) {
        _ if places.len() > MOST_PLACES => {}
        (Some(before), Some(after)) => compare(before, after, place, places),
        _ => places.push(place.clone()),
    }
    place.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::{MOST_PLACES, differences};

    #[test]
    fn edits_beyond_a_bound_are_the_root_alone() {
        let list = |item: usize, count: usize| serde_json::json!(vec![item; count]).to_string();
        let few = differences(&list(1, MOST_PLACES), &list(2, MOST_PLACES));
        assert_eq!((few.len(), few[1].as_str()), (MOST_PLACES, "/1"));
        assert_eq!(differences(&list(1, 100_000), &list(2, 100_000)), [""]);
    }
}
