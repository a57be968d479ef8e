//! `/budgets`: lists the limits of the host's budgets, and what a tenant's calls have used of them.

mod view;

use std::time::Duration;

use axum::extract::State;
use tool_runtime_core::policy::{LimitState, STORE_TIMEOUT};
use tool_runtime_core::store::{Balance, BudgetPeriod, Reservation, ReservationPeriod, StoreError};

use self::view::{BudgetLimit, BudgetSum};
pub(crate) use self::view::{BudgetsPage, PeriodCursor};
use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::access_records::{self, ReadAccess};
use crate::request::admission::{Authorized, AuthorizedCaller, RequiredScope};
use crate::request::parameters::{Bodyless, PageRequest};
use crate::request::time_limit::within_time_limit;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};

/// Requires the scope `budgets`.
#[derive(Debug)]
pub(crate) struct ReadBudgets;

impl RequiredScope for ReadBudgets {
    const SCOPE: Scope = Scope::Budgets;
}

/// Handles a request for the budgets of a tenant.
pub(crate) async fn list(
    authorized: Authorized<ReadBudgets>,
    State(app): State<SharedApp>,
    request: Bodyless,
) -> Result<JsonResponse, Problem> {
    let requested =
        PageRequest::<PeriodCursor>::read(request.query(), "the `next` of the page before")?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let page = within_time_limit(&app, page(&app, &authorized, requested)).await?;
    let access = ReadAccess { action: "read_budgets", what: "GET /budgets", subject: None };
    access.record(&app, &authorized).await?;
    Ok(JsonResponse::ok(&page))
}

async fn page(
    app: &App,
    authorized: &AuthorizedCaller,
    requested: PageRequest<PeriodCursor>,
) -> Result<BudgetsPage, Problem> {
    let unavailable = |_| Problem::store_unavailable();
    let limits = limits(app).await.map_err(unavailable)?;
    let periods = periods(app, authorized, &requested).await.map_err(unavailable)?;
    let last = periods.last().filter(|_| periods.len() >= requested.limit);
    Ok(BudgetsPage {
        limits: limits.iter().map(BudgetLimit::new).collect(),
        next: last.map(|(period, _)| PeriodCursor::after(period).to_string()),
        sums: periods.iter().map(|(period, balance)| BudgetSum::new(period, balance)).collect(),
    })
}

/// Lists the limits, with what was changed about them.
async fn limits(app: &App) -> Result<Vec<LimitState>, StoreError> {
    let state = app.runtime.policy_state();
    let limits = state.budget_limits();
    if limits.is_empty() { Ok(Vec::new()) } else { state.stores.limit_states(limits).await }
}

/// Reads a page of a tenant's periods, each with its balance under the limit in force.
async fn periods(
    app: &App,
    authorized: &AuthorizedCaller,
    requested: &PageRequest<PeriodCursor>,
) -> Result<Vec<(BudgetPeriod, Balance)>, StoreError> {
    let stores = &app.runtime.policy_state().stores;
    // A store without budgets has no sums.
    let Ok(budgets) = stores.budgets() else { return Ok(Vec::new()) };
    let after = requested.after.as_ref().map(PeriodCursor::position);
    let periods = budgets.list_periods(authorized.tenant(), after, requested.limit);
    let periods = stores.call(STORE_TIMEOUT, periods).await?;
    let reservations: Vec<_> = periods.iter().map(reservation).collect();
    let balances = stores.call(STORE_TIMEOUT, budgets.balances(&reservations)).await?;
    Ok(periods.into_iter().zip(balances).collect())
}

/// Makes the reservation of nothing whose balance is that of the period, with the limit in force.
fn reservation(period: &BudgetPeriod) -> Reservation {
    // A period of a rolling window is a part of it: the balance is that of the window that ends with the part.
    let rolling = period.account.limit.strip_prefix("rolling ").and_then(|it| it.strip_suffix('s'));
    let window = rolling.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    Reservation {
        account: period.account.clone(),
        period: Some(ReservationPeriod {
            start: period.start,
            since: window.map_or(period.start, |window| period.start.before(window)),
            keep: None,
        }),
        amount: 0,
        limit: period.limit,
        may_exceed: false,
    }
}
