//! The user of a client, asked by tools: by an elicitation in a session, by `input_required` without
//! one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest,
};
use rmcp::service::Peer;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use crate::tool::{InputQuestion, InputSource};
use crate::{InputAnswer, InputError};

/// The time in which a user answers; the deadline of the call may be sooner.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(300);

/// The most questions of one call that are open at a time.
const MAX_QUESTIONS: usize = 16;

/// The user of a client with a session, who is asked while the call waits.
pub(super) struct SessionUser(pub(super) Peer<RoleServer>);

impl InputSource for SessionUser {
    fn ask(&self, question: InputQuestion) -> BoxFuture<'static, Result<InputAnswer, InputError>> {
        let client = self.0.clone();
        async move {
            let asked = client.create_elicitation_with_timeout(form(&question)?, Some(ANSWER_TIME));
            asked.await.map(answer).map_err(|_| InputError::Unanswered)
        }
        .boxed()
    }
}

/// The user of a client without a session, whose answers come with the request that is sent again, or
/// with an update of the task.
#[derive(Clone)]
pub(super) struct RoundUser(Arc<Round>);

struct Round {
    given: BTreeMap<String, ElicitResult>,
    questions: Mutex<Questions>,
}

/// The questions of a call that have no answer yet.
#[derive(Default)]
struct Questions {
    asked: BTreeMap<String, InputRequest>,
    /// The calls that wait for answers, once the call is a task.
    waiting: Option<HashMap<String, oneshot::Sender<ElicitResult>>>,
}

impl RoundUser {
    /// Creates the user who has given these answers.
    pub(super) fn new(given: BTreeMap<String, ElicitResult>) -> Self {
        Self(Arc::new(Round { given, questions: Mutex::default() }))
    }

    /// Returns the answers.
    pub(super) fn given(&self) -> &BTreeMap<String, ElicitResult> {
        &self.0.given
    }

    /// Returns the questions that have no answer yet.
    pub(super) fn asked(&self) -> BTreeMap<String, InputRequest> {
        self.lock().asked.clone()
    }

    /// Lets the call wait for answers from now on, because it has become a task.
    pub(super) fn wait_for_answers(&self) {
        self.lock().waiting.get_or_insert_default();
    }

    /// Gives an answer to a call that waits for it; one that nothing waits for is ignored.
    pub(super) fn deliver(&self, key: &str, answer: ElicitResult) {
        let mut questions = self.lock();
        let waiting = questions.waiting.as_mut().and_then(|waiting| waiting.remove(key));
        if let Some(waiting) = waiting {
            questions.asked.remove(key);
            let _ = waiting.send(answer);
        }
    }

    /// Asks a question; returns the receiver of its answer if the call waits for it.
    fn asking(
        &self,
        question: &InputQuestion,
    ) -> Result<oneshot::Receiver<ElicitResult>, InputError> {
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
        let Questions { asked, waiting } = &mut *self.lock();
        if asked.len() >= MAX_QUESTIONS {
            let words = format!("a call asks {MAX_QUESTIONS} questions at a time at most");
            return Err(InputError::Invalid(words));
        }
        asked.insert(question.key.clone(), request);
        let waiting = waiting.as_mut().ok_or(InputError::Asked)?;
        let (answer, answered) = oneshot::channel();
        waiting.insert(question.key.clone(), answer);
        Ok(answered)
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.0.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InputSource for RoundUser {
    fn ask(&self, question: InputQuestion) -> BoxFuture<'static, Result<InputAnswer, InputError>> {
        if let Some(given) = self.0.given.get(&question.key) {
            return ready(Ok(answer(given.clone()))).boxed();
        }
        match self.asking(&question) {
            Err(error) => ready(Err(error)).boxed(),
            Ok(answered) => {
                answered.map(|given| given.map(answer).map_err(|_| InputError::Unanswered)).boxed()
            }
        }
    }
}

/// Returns a question as the protocol asks it.
pub(super) fn form(question: &InputQuestion) -> Result<ElicitRequestParams, InputError> {
    let requested_schema: ElicitationSchema = serde_json::from_value(question.form.clone())
        .map_err(|error| InputError::Invalid(error.to_string()))?;
    let message = question.message.clone();
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// Reads the answers of a request; one that is no answer counts as not given.
pub(super) fn answers(
    responses: Option<&BTreeMap<String, Value>>,
) -> BTreeMap<String, ElicitResult> {
    let read = |(key, response): (&String, &Value)| {
        Some((key.clone(), serde_json::from_value(response.clone()).ok()?))
    };
    responses.into_iter().flatten().filter_map(read).collect()
}

pub(super) fn answer(result: ElicitResult) -> InputAnswer {
    let given = || match result.content {
        Some(Value::Object(form)) => form,
        Some(_) | None => Map::new(),
    };
    if result.action == ElicitationAction::Accept {
        InputAnswer::Given(given())
    } else if result.action == ElicitationAction::Decline {
        InputAnswer::Declined
    } else {
        InputAnswer::Dismissed
    }
}
