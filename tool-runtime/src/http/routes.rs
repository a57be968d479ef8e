//! The table of the endpoints: a row gives the router its route, the metrics their label and the
//! OpenAPI document its operation.

use axum::Router;
use serde_json::Value;

use crate::http::endpoints::approvals;
use crate::http::endpoints::call;
use crate::http::endpoints::evidence;
use crate::http::endpoints::list;
use crate::http::endpoints::outcomes;
use crate::http::endpoints::probes;
use crate::http::endpoints::traces;
use crate::http::openapi::{self, DocumentInput, Tools, operations};
use crate::http::router::{got, posted};
use crate::http::state::app::SharedApp;

/// Defines the routes: method and path, handler, operation of the document.
macro_rules! routes {
    (@router GET $route:ident $handler:path) => { got(Route::$route, $handler) };
    (@router POST $route:ident $handler:path) => { posted(Route::$route, $handler) };
    (@method GET) => { "get" };
    (@method POST) => { "post" };
    ($(
        $(#[$doc:meta])*
        fn $group:ident() {$(
            $route:ident = $method:ident $path:literal:
                $handler:path, $operation:path $(, if $served:path)?;
        )+}
    )+) => {
        /// A route of the server, as metrics distinguish them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::http) enum Route {
            $($($route,)+)+
            /// An unknown path, or a method that the path does not accept.
            Unknown,
        }

        impl Route {
            /// All routes, in the order of the table.
            pub(in crate::http) const ALL: &'static [Self] = &[$($(Self::$route,)+)+ Self::Unknown];

            /// Returns the label: the path template, relative to the router.
            pub(in crate::http) const fn as_str(self) -> &'static str {
                match self {
                    $($(Self::$route => $path,)+)+
                    Self::Unknown => "unknown",
                }
            }

            /// Returns the method and the operation that the document has for this path; `None` if
            /// the server does not serve it.
            pub(in crate::http) fn operation(
                self,
                input: &DocumentInput<'_>,
                tools: &Tools,
            ) -> Option<(&'static str, Value)> {
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
            pub(in crate::http) fn $group() -> Router<SharedApp> {
                Router::new()$(.route($path, routes!(@router $method $route $handler)))+
            }
        )+
    };
}

routes! {
    /// Routes everything else.
    fn api() {
        List = POST "/tools/list": list::list, operations::list;
        Call = POST "/tools/call": call::call, operations::call;
        EnvelopeCall = POST "/calls/{tool}": call::envelope_call, operations::envelope_call;
        Approvals = GET "/approvals": approvals::list, operations::approvals;
        Approval = POST "/approvals/{ticket}": approvals::decide, operations::decision;
        Trace = GET "/traces/{id}": traces::read, operations::trace, if operations::keeps_ledger;
        Replay = POST "/traces/{id}/replay": traces::replay, operations::replay, if operations::keeps_ledger;
        Outcomes = GET "/outcomes": outcomes::list, operations::outcomes;
        Outcome = POST "/outcomes/{id}": outcomes::resolve, operations::resolution;
        EvidenceList = GET "/evidence": evidence::list, operations::evidence_list, if operations::serves_evidence;
        Evidence = GET "/evidence/{id}": evidence::find, operations::evidence_snapshot, if operations::serves_evidence;
        EvidenceContents = POST "/evidence/{id}/contents": evidence::read, operations::evidence_contents, if operations::serves_evidence;
        OpenApi = GET "/openapi.json": openapi::document, operations::document;
    }

    /// Routes the probes, which a separate address may serve.
    fn probes() {
        Health = GET "/healthz": probes::health, operations::health;
        Ready = GET "/readyz": probes::ready, operations::readiness;
        Metrics = GET "/metrics": probes::metrics, operations::metrics;
    }
}
