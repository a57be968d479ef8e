//! The functions that handle the requests of an endpoint: their parameters are extracted one after
//! another, and each reports the facts that it has learned.

use std::future::Future;

use axum::extract::{FromRequest, FromRequestParts, Request};

use crate::problem::Problem;
use crate::request::admission::AdmissionProof;
use crate::response::{Answer, IntoAnswer, ReportFacts, RequestFacts};
use crate::state::app::SharedApp;

/// A function that handles requests, with the types of its parameters.
///
/// Unlike axum's `Handler`, it returns its answer and its problem as values, and what its parameters
/// have learned stays known if it is refused or panics.
pub(crate) trait EndpointHandler<T>: Clone + Send + Sync + Sized + 'static {
    /// Extracts the parameters from a request, adds their facts, and runs the function.
    fn handle(
        self,
        request: Request,
        app: &SharedApp,
        facts: &mut RequestFacts,
    ) -> impl Future<Output = Result<Answer, Problem>> + Send;
}

/// The parameters of a handler whose first one proves the admission of the request.
#[diagnostic::on_unimplemented(
    message = "the handler does not prove that its request was admitted",
    note = "take `Admitted` or `Authorized<_>` as the first parameter",
    note = "an endpoint that serves requests without a caller says `without_admission` in its row"
)]
pub(crate) trait TakesAdmissionProof {}

impl<F, Fut> EndpointHandler<((),)> for F
where
    F: FnOnce() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer> + Send,
{
    async fn handle(
        self,
        _: Request,
        _: &SharedApp,
        _: &mut RequestFacts,
    ) -> Result<Answer, Problem> {
        self().await.into_answer()
    }
}

macro_rules! endpoint_handlers {
    ($($part:ident),*) => {
        #[allow(non_snake_case, unused_mut, reason = "a parameter is named as its type")]
        impl<F, Fut, M, $($part,)* Last> EndpointHandler<(M, $($part,)* Last)> for F
        where
            F: FnOnce($($part,)* Last) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output: IntoAnswer> + Send,
            $($part: FromRequestParts<SharedApp, Rejection: Into<Problem>> + ReportFacts + Send,)*
            // axum marks the kind of the last parameter by a type in front.
            Last: FromRequest<SharedApp, M, Rejection: Into<Problem>> + ReportFacts + Send,
        {
            async fn handle(
                self,
                request: Request,
                app: &SharedApp,
                facts: &mut RequestFacts,
            ) -> Result<Answer, Problem> {
                let (mut parts, body) = request.into_parts();
                $(
                    let extraction = $part::from_request_parts(&mut parts, app).await;
                    // Known too if the request is refused after its authentication.
                    facts.caller = facts.caller.take().or_else(|| parts.extensions.get().cloned());
                    let $part = extraction.map_err(Into::<Problem>::into)?;
                    $part.report(facts);
                )*
                let request = Request::from_parts(parts, body);
                let last =
                    Last::from_request(request, app).await.map_err(Into::<Problem>::into)?;
                last.report(facts);
                self($($part,)* last).await.into_answer()
            }
        }
    };
}

// The proof is not the last parameter: that one consumes the request, and the caller with it.
macro_rules! takes_admission_proof {
    ($($parameter:ident),+) => {
        impl<M, P: AdmissionProof, $($parameter),+> TakesAdmissionProof for (M, P, $($parameter),+) {}
    };
}

endpoint_handlers!();
endpoint_handlers!(A);
endpoint_handlers!(A, B);
endpoint_handlers!(A, B, C);
endpoint_handlers!(A, B, C, D);
endpoint_handlers!(A, B, C, D, E);

takes_admission_proof!(A);
takes_admission_proof!(A, B);
takes_admission_proof!(A, B, C);
takes_admission_proof!(A, B, C, D);
takes_admission_proof!(A, B, C, D, E);
