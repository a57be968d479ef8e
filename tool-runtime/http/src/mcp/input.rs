//! The user of a client, asked by tools: by an elicitation in a session, by `input_required` without
//! one.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, pending, ready};
use futures::stream::poll_fn;
use futures::{FutureExt, StreamExt};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest,
};
use rmcp::service::Peer;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tool_runtime_core::tool::{InputQuestion, InputSource};
use tool_runtime_core::{InputAnswer, InputError};

/// The time in which a user answers; the deadline of the call may be sooner.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(300);

/// The most questions of one call that are open at a time.
const MAX_QUESTIONS: usize = 16;

/// The user of a client with a session, who is asked while the call waits.
#[derive(Clone)]
pub(super) struct SessionUser(mpsc::Sender<SessionQuestion>);

/// The questions of one call, asked by the task of its request: the protocol sends them as a part of the
/// answer to that request, and the call may run in another task.
pub(super) struct SessionQuestions(mpsc::Receiver<SessionQuestion>);

struct SessionQuestion {
    form: ElicitRequestParams,
    answer: oneshot::Sender<ElicitResult>,
}

impl SessionUser {
    /// Creates the user of one call, and the questions that the call will ask.
    pub(super) fn new() -> (Self, SessionQuestions) {
        let (questions, receiver) = mpsc::channel(MAX_QUESTIONS);
        (Self(questions), SessionQuestions(receiver))
    }
}

impl InputSource for SessionUser {
    fn ask(&self, question: InputQuestion) -> BoxFuture<'static, Result<InputAnswer, InputError>> {
        let questions = self.0.clone();
        async move {
            let (answer_to, answered) = oneshot::channel();
            let question = SessionQuestion { form: form(&question)?, answer: answer_to };
            questions.send(question).await.map_err(|_| InputError::Unanswered)?;
            answered.await.map(answer).map_err(|_| InputError::Unanswered)
        }
        .boxed()
    }
}

impl SessionQuestions {
    /// Sends the questions to the client, for as long as this is polled.
    pub(super) async fn ask_all(&mut self, client: &Peer<RoleServer>) -> Infallible {
        let questions = poll_fn(|cx| self.0.poll_recv(cx));
        questions.for_each_concurrent(MAX_QUESTIONS, |question| question.ask(client)).await;
        pending().await
    }
}

impl SessionQuestion {
    async fn ask(self, client: &Peer<RoleServer>) {
        let Self { form, answer: mut answer_to } = self;
        let answer_future = client.create_elicitation_with_timeout(form, Some(ANSWER_TIME));
        tokio::select! {
            answered = answer_future => {
                if let Ok(answered) = answered {
                    let _ = answer_to.send(answered);
                }
            }
            // The tool no longer waits for the answer.
            () = answer_to.closed() => {}
        }
    }
}

/// The user of a client without a session, whose answers come with the request that is sent again, or
/// with an update of the task.
#[derive(Clone)]
pub(super) struct RoundUser(Arc<InputRound>);

struct InputRound {
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
        Self(Arc::new(InputRound { given, questions: Mutex::default() }))
    }

    /// Returns the answers.
    pub(super) fn given(&self) -> &BTreeMap<String, ElicitResult> {
        &self.0.given
    }

    /// Returns the questions that have no answer yet.
    pub(super) fn asked(&self) -> BTreeMap<String, InputRequest> {
        let mut questions = self.lock();
        questions.forget_abandoned();
        questions.asked.clone()
    }

    /// Lets the call wait for answers from now on, because it becomes a task; false if it has asked
    /// without waiting.
    pub(super) fn begin_waiting(&self) -> bool {
        let mut questions = self.lock();
        if !questions.asked.is_empty() {
            return false;
        }
        questions.waiting.get_or_insert_default();
        true
    }

    /// Lets the call wait no more, because it has not become a task: its questions end the round.
    pub(super) fn end_waiting(&self) {
        self.lock().waiting = None;
    }

    /// Gives an answer to a call that waits for it; an answer that no call waits for is ignored.
    pub(super) fn deliver(&self, key: &str, answer: ElicitResult) {
        let mut questions = self.lock();
        let waiting = questions.waiting.as_mut().and_then(|waiting| waiting.remove(key));
        if let Some(waiting) = waiting {
            questions.asked.remove(key);
            let _ = waiting.send(answer);
        }
    }

    /// Asks a question; returns the receiver of its answer if the call waits for it.
    fn add_question(
        &self,
        question: &InputQuestion,
    ) -> Result<oneshot::Receiver<ElicitResult>, InputError> {
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
        let mut questions = self.lock();
        questions.forget_abandoned();
        let Questions { asked, waiting } = &mut *questions;
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

impl Questions {
    /// Forgets the questions of a task whose answers the tool no longer waits for.
    fn forget_abandoned(&mut self) {
        let Some(waiting) = &mut self.waiting else { return };
        waiting.retain(|_, answer| !answer.is_closed());
        self.asked.retain(|key, _| waiting.contains_key(key));
    }
}

impl InputSource for RoundUser {
    fn ask(&self, question: InputQuestion) -> BoxFuture<'static, Result<InputAnswer, InputError>> {
        if let Some(given) = self.0.given.get(&question.key) {
            return ready(Ok(answer(given.clone()))).boxed();
        }
        match self.add_question(&question) {
            Err(error) => ready(Err(error)).boxed(),
            Ok(answered) => {
                answered.map(|given| given.map(answer).map_err(|_| InputError::Asked)).boxed()
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

/// Reads the answers of a request and ignores responses that are not answers.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use futures::FutureExt;
    use rmcp::model::{ElicitResult, ElicitationAction};
    use serde_json::json;
    use tool_runtime_core::tool::{InputQuestion, InputSource};
    use tool_runtime_core::{InputAnswer, InputError};

    use super::RoundUser;

    fn question(key: &str) -> InputQuestion {
        let form = json!({"type": "object", "properties": {}});
        InputQuestion { key: key.to_owned(), message: "?".to_owned(), form }
    }

    fn declined() -> ElicitResult {
        serde_json::from_value(json!({"action": ElicitationAction::Decline})).expect("an answer")
    }

    fn keys(user: &RoundUser) -> Vec<String> {
        user.asked().into_keys().collect()
    }

    #[test]
    fn a_call_that_has_asked_without_waiting_becomes_no_task() {
        let user = RoundUser::new(BTreeMap::new());
        assert_eq!(user.ask(question("a")).now_or_never(), Some(Err(InputError::Asked)));
        assert!(!user.begin_waiting());
        assert_eq!(keys(&user), ["a"]);
    }

    #[test]
    fn a_task_waits_for_its_answers_and_shows_the_questions_that_it_waits_for() {
        let user = RoundUser::new(BTreeMap::new());
        assert!(user.begin_waiting());
        let (mut one, two) = (user.ask(question("one")), user.ask(question("two")));
        assert_eq!((&mut one).now_or_never(), None);
        assert_eq!(keys(&user), ["one", "two"]);
        drop(two);
        assert_eq!(keys(&user), ["one"], "nothing waits for the other one");
        user.deliver("one", declined());
        assert_eq!(one.now_or_never(), Some(Ok(InputAnswer::Declined)));
        assert_eq!(keys(&user), [""; 0]);
    }

    #[test]
    fn the_questions_of_a_call_that_did_not_become_a_task_end_its_round() {
        let user = RoundUser::new(BTreeMap::new());
        assert!(user.begin_waiting());
        let asked = user.ask(question("a"));
        user.end_waiting();
        assert_eq!(asked.now_or_never(), Some(Err(InputError::Asked)));
        assert_eq!(keys(&user), ["a"]);
    }
}
