//! The route of an endpoint that several methods have, as that of the Model Context Protocol.

use axum::handler::Handler;
use axum::routing::{MethodRouter, any};

use super::{MeteredHandler, RouteId, TakesAdmissionProof};
use crate::state::app::SharedApp;

/// Routes every method to a handler of admitted requests, which knows the methods itself.
pub(crate) fn admitted_by_any_method<H, T>(route: RouteId, handler: H) -> MethodRouter<SharedApp>
where
    H: Handler<T, SharedApp>,
    T: TakesAdmissionProof + Send + 'static,
{
    any(MeteredHandler::new(route, handler))
}
