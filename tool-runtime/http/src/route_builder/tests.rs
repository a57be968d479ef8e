use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use tool_contracts::server::CallResponse;

use super::*;
use crate::auth::Principal;
use crate::request::admission::{Admitted, Authorized};
use crate::state::app::App;
use crate::tests::fixture::{ToolGate, calling, open, send};

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
    (Marker, Option<Admitted>),
    (Marker, Result<Admitted, Problem>),
    (Marker, State<SharedApp>, Admitted),
);

#[test]
fn a_handler_is_routed_by_its_proof_of_admission() {
    fn check<T: TakesAdmissionProof>() {}
    check::<(Marker, Admitted)>();
    check::<(Marker, Admitted, State<SharedApp>)>();
    check::<(Marker, Authorized<Marker>, State<SharedApp>, Parts)>();
}

#[tokio::test]
async fn a_panic_of_the_server_is_answered() {
    let route = RouteId { index: 0, format: ResponseFormat::CallResponse, is_resource: false };
    let panics = async || -> Response { panic!("as a bug would") };
    let app = App::new(ToolGate::new().runtime(), open(), ["/tools/call"].into_iter());
    let routes = Router::new().route("/tools/call", post(MeteredHandler::new(route, panics)));
    let answer = send(&routes.with_state(Arc::new(app)), calling("add", "{}")).await;
    answer.refused(500, "INTERNAL");
    let read: CallResponse = serde_json::from_str(&answer.text).expect("the contract reads it");
    assert_eq!((read.error_type(), read.audit().trace_id()), (Some("INTERNAL"), "trace-1"));
}
