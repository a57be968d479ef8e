//! The table of the endpoints: a row gives the router its route, the metrics their label and the
//! OpenAPI document its operation.
//!
//! `admitted` takes only a handler whose first parameter proves that the request was admitted;
//! `without_admission` says that an endpoint serves requests without a caller.

use axum::Router;
use serde_json::{Map, Value, json};

use crate::endpoints::{
    approvals, attachments, budgets, call, evidence, ledger, list, outcomes, probes, tools, traces,
};
use crate::openapi::{self, CallBodies, DocumentInput, operations};
use crate::response::ResponseFormat;
use crate::route_builder::{EndpointMethod, RouteId, admitted, without_admission};
use crate::state::app::SharedApp;

/// Defines the routes: method and path, admission and handler, operation of the document.
macro_rules! routes {
    (@method GET) => { EndpointMethod::Get };
    (@method POST) => { EndpointMethod::Post };
    ($(
        $(#[$doc:meta])*
        fn $group:ident() {$(
            $route:ident = $method:ident $path:literal:
                $admission:ident($handler:expr), $operation:path $(, if $served:path)?;
        )+}
    )+) => {
        /// A route of the server, as metrics distinguish them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Route {
            $($($route,)+)+
            /// An unknown path, or a method that the path does not accept.
            Unknown,
        }

        impl Route {
            /// All routes, in the order of the table.
            pub(super) const ALL: &'static [Self] = &[$($(Self::$route,)+)+ Self::Unknown];

            /// Returns the label: the path template, relative to the router.
            pub(super) const fn as_str(self) -> &'static str {
                match self {
                    $($(Self::$route => $path,)+)+
                    Self::Unknown => "unknown",
                }
            }

            /// Returns the method and the operation that the document has for this path; `None` if
            /// the server does not serve it.
            fn operation(
                self,
                input: &DocumentInput<'_>,
                tools: &CallBodies,
            ) -> Option<(EndpointMethod, Value)> {
                match self {
                    $($(Self::$route => {
                        $(if !$served(input) {
                            return None;
                        })?
                        Some((routes!(@method $method), $operation(input, tools)))
                    })+)+
                    Self::Unknown => None,
                }
            }
        }

        $(
            $(#[$doc])*
            pub(super) fn $group() -> Router<SharedApp> {
                let other = Route::Unknown.id();
                Router::new()$(.route($path, $admission(
                    routes!(@method $method),
                    Route::$route.id(),
                    other,
                    $handler,
                )))+
            }
        )+
    };
}

routes! {
    /// Routes everything else.
    fn api() {
        List = POST "/tools/list": admitted(list::list), operations::list;
        Tools = GET "/tools": admitted(tools::find), operations::tools;
        Call = POST "/tools/call": admitted(call::call), operations::call;
        TextCall = POST "/tools/call/text": admitted(call::text_call), operations::text_call;
        EnvelopeCall = POST "/calls/{tool}": admitted(call::envelope_call), operations::envelope_call;
        Approvals = GET "/approvals": admitted(approvals::list), operations::approvals;
        Approval = POST "/approvals/{ticket}": admitted(approvals::decide), operations::decision;
        Budgets = GET "/budgets": admitted(budgets::list), operations::budgets;
        Attachment = GET "/attachments/{id}": admitted(attachments::read), operations::attachment;
        Traces = GET "/traces": admitted(traces::find), operations::request_records, if operations::keeps_ledger;
        Trace = GET "/traces/{id}": admitted(traces::read), operations::trace, if operations::keeps_ledger;
        Replay = POST "/traces/{id}/replay": admitted(traces::replay), operations::replay, if operations::keeps_ledger;
        LedgerVerification = GET "/ledger/verification": admitted(ledger::verify), operations::ledger_verification, if operations::keeps_ledger;
        Outcomes = GET "/outcomes": admitted(outcomes::list), operations::outcomes;
        Outcome = POST "/outcomes/{id}": admitted(outcomes::resolve), operations::resolution;
        EvidenceList = GET "/evidence": admitted(evidence::list), operations::evidence_list, if operations::serves_evidence;
        Evidence = GET "/evidence/{id}": admitted(evidence::find), operations::evidence_snapshot, if operations::serves_evidence;
        EvidenceContents = POST "/evidence/{id}/contents": admitted(evidence::read), operations::evidence_contents, if operations::serves_evidence;
        OpenApi = GET "/openapi.json": admitted(openapi::document(Route::OpenApi.as_str(), Route::describe)), operations::document;
    }

    /// Routes the probes, which a separate address may serve.
    fn probes() {
        Health = GET "/healthz": without_admission(probes::health), operations::health;
        Ready = GET "/readyz": without_admission(probes::ready), operations::readiness;
        Metrics = GET "/metrics": without_admission(probes::metrics), operations::metrics;
    }
}

impl Route {
    /// Returns the format of the answers, and the index of the metrics.
    pub(super) const fn id(self) -> RouteId {
        let format = if matches!(self, Self::EnvelopeCall) {
            ResponseFormat::Envelope
        } else {
            ResponseFormat::CallResponse
        };
        RouteId { index: self as usize, format, is_resource: false }
    }

    /// Describes the paths that a server serves.
    fn describe(input: &DocumentInput<'_>, tools: &CallBodies) -> Value {
        let served = Self::ALL.iter().filter_map(|route| {
            let (method, operation) = route.operation(input, tools)?;
            Some((route.as_str().to_owned(), json!({ method.as_str(): operation })))
        });
        served.collect::<Map<_, _>>().into()
    }
}
