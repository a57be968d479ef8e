use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use tool_contracts::server::CallResponse;

use super::*;
use crate::auth::Principal;
use crate::request::admission::{Admitted, Authorized};
use crate::request::body::ReceivedRequest;
use crate::response::JsonResponse;
use crate::state::app::App;
use crate::tests::fixture::{self, ToolGate, calling, open, send};

/// Fails to compile if the parameters count as a proof: then two impls provide `PROVES`.
macro_rules! proves_no_admission {
    ($($parameters:ty),+ $(,)?) => {$(
        const _: fn() = || {
            trait AmbiguousIfProof<Marker> {
                const PROVES: () = ();
            }
            struct Proof;
            impl<T: ?Sized> AmbiguousIfProof<()> for T {}
            impl<T: ?Sized + TakesAdmissionProof> AmbiguousIfProof<Proof> for T {}
            let () = <$parameters as AmbiguousIfProof<_>>::PROVES;
        };
    )+};
}

/// Any marker of axum for the kind of the last parameter.
struct Marker;

proves_no_admission!(
    ((),),
    (Marker, State<SharedApp>),
    (Marker, Principal),
    (Marker, Admitted),
    (Marker, Option<Admitted>),
    (Marker, Result<Admitted, Problem>),
    (Marker, State<SharedApp>, Admitted),
);

#[test]
fn a_handler_is_routed_by_its_proof_of_admission() {
    fn check<T: TakesAdmissionProof>() {}
    check::<(Marker, Admitted, State<SharedApp>)>();
    check::<(Marker, Authorized<Marker>, State<SharedApp>, Parts)>();
}

/// Serves a handler at `/tools/call`.
fn serving<H: EndpointHandler<T>, T: 'static>(handler: H) -> Router {
    let route = RouteId { index: 0, format: ResponseFormat::CallResponse, is_resource: false };
    let app = App::new(ToolGate::new().runtime(), open(), ["/tools/call"].into_iter());
    let routes = Router::new().route("/tools/call", post(MeteredHandler::new(route, handler)));
    routes.with_state(Arc::new(app))
}

#[tokio::test]
async fn a_panic_of_the_server_is_answered() {
    let panics = async || -> Response { panic!("as a bug would") };
    let answer = send(&serving(panics), calling("add", "{}")).await;
    answer.refused(500, "INTERNAL");
    let read: CallResponse = serde_json::from_str(&answer.text).expect("the contract reads it");
    assert_eq!((read.error_type(), read.audit().trace_id()), (Some("INTERNAL"), "trace-1"));
}

#[tokio::test]
async fn a_panic_leaves_the_facts_that_the_parameters_have_reported() {
    let panics = async |_: Admitted, _: ReceivedRequest| -> Response { panic!("as a bug would") };
    let answer = send(&serving(panics), fixture::post("/tools/call", "{}")).await;
    answer.refused(500, "INTERNAL");
    let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert_eq!(answer.json()["audit"]["request_payload_hash"], hash);
}

#[tokio::test]
async fn a_problem_names_the_tool_that_its_handler_has_learned() {
    let refuses = async |_: Admitted, _: State<SharedApp>| -> Result<JsonResponse, Problem> {
        let problem = Problem::from_code(ErrorCode::NotFound, "there is nothing");
        Err(problem.with_tool_name("add"))
    };
    let answer = send(&serving(refuses), calling("add", "{}")).await;
    answer.refused(404, "NOT_FOUND");
    let audit = &answer.json()["audit"];
    assert_eq!((&audit["tool_name"], &audit["trace_id"]), (&"add".into(), &"trace-1".into()));
}
