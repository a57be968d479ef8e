//! Settles, renews and invalidates claims.

use tokio_postgres::Row;
use tokio_postgres::types::Type;
use tool_runtime_core::store::signed::{as_stored, whole};
use tool_runtime_core::store::{
    Charge, Fence, KeyAnswer, ScopedKey, Settlement, SettlementDecision, StoreError, StoredAnswer,
    UnixMillis,
};

use crate::columns::column;
use crate::database::{Database, RowScope};
use crate::error::unavailable;
use crate::keys;
use crate::statement::Statement;

/// The most decisions about one settlement; each but the first follows a change of the record.
const MAX_ATTEMPTS: u32 = 3;

const ANSWER: &str = r#"SELECT "SCHEMA".answer($1, $2, $3, $4, $5, $6, $7, $8, $9) AS is_held"#;

const ANSWER_CHARGED: &str = r#"
    SELECT "SCHEMA".answer_charged($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS is_held"#;

/// The same within the transaction of a tool. No row, and nothing is called, if the tool has ended that transaction.
const ANSWER_IN_TRANSACTION: &str = r#"
    SELECT "SCHEMA".answer_charged($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS is_held
    WHERE current_setting('tool_runtime.transaction', true) = $13"#;

const MAKE_UNKNOWN: &str = r#"
    UPDATE "SCHEMA".keys SET state = 2, since = lease_until, lease_until = NULL
    WHERE digest = $1 AND fence = $2 AND state = 0
    RETURNING fence"#;

const RELEASE: &str = r#"
    WITH released AS (
        DELETE FROM "SCHEMA".keys WHERE digest = $1 AND fence = $2 AND state IN (0, 2, 3) RETURNING tenant, reserved)
    SELECT "SCHEMA".settle_amounts(tenant, reserved, $3, $4, $5) FROM released"#;

const RENEW: &str = r#"SELECT "SCHEMA".renew($1, $2, $3, $4, $5, $6) AS is_held"#;

const INVALIDATE: &str = r#"
    UPDATE "SCHEMA".keys
    SET state = 2, since = keep_until, keep_until = NULL, succeeded = NULL, body = NULL, meta = NULL,
        reserved = NULL
    WHERE digest = $1 AND state = 1
    RETURNING fence"#;

/// Settles a key, in one statement if it is held under the fence; else its record decides.
pub(crate) async fn settle(
    database: &Database,
    key: &ScopedKey,
    fence: Fence,
    settlement: &Settlement,
    charge: &Charge,
) -> Result<bool, StoreError> {
    for _ in 0..MAX_ATTEMPTS {
        if change(database, key, fence, settlement, charge).await? {
            return Ok(true);
        }
        let record = keys::find(database, key).await?;
        match as_stored(settlement).decide(fence, record.as_ref()) {
            SettlementDecision::Unchanged { is_settled } => return Ok(is_settled),
            // The record has changed between the two statements.
            SettlementDecision::Store { .. } | SettlementDecision::Delete => {}
        }
    }
    Err(unavailable("the key changed during each of several attempts to settle it"))
}

/// Settles a key if it is held under the fence; returns whether it was.
async fn change(
    database: &Database,
    key: &ScopedKey,
    fence: Fence,
    settlement: &Settlement,
    charge: &Charge,
) -> Result<bool, StoreError> {
    let statement = |sql| Statement::new(sql).digest(&key.digest()).fence(fence);
    let statement = match settlement {
        Settlement::Answered { answer, keep_until } => {
            let call = || {
                let is_plain = *charge == Charge::Reserved;
                let sql = if is_plain { ANSWER } else { ANSWER_CHARGED };
                let call = database.operation(sql, key.tenant).digest(&key.digest());
                let call = with_answer(call.fence(fence), answer, *keep_until);
                if is_plain { call } else { with_charge(call, charge) }
            };
            return is_held(database, call).await;
        }
        Settlement::Unknown => statement(MAKE_UNKNOWN),
        Settlement::Released => with_charge(statement(RELEASE), &charge.without_effect()),
    };
    database.count(RowScope::Tenant(key.tenant), &[statement]).await.map(|rows| rows > 0)
}

/// Calls a function that returns whether the key was held.
async fn is_held(database: &Database, call: impl Fn() -> Statement) -> Result<bool, StoreError> {
    let rows = database.rows_of_call(call, read_is_held).await?;
    Ok(rows == [true])
}

/// Reads whether the key was held.
pub(crate) fn read_is_held(row: &Row) -> Result<bool, StoreError> {
    column(row, "is_held")
}

/// Returns the settlement of a key within the transaction that has set this marker.
pub(crate) fn answer_in_transaction(
    database: &Database,
    settled: &KeyAnswer,
    marker: &str,
) -> Statement {
    let KeyAnswer { key, fence, answer, keep_until, charge } = settled;
    let call = database.operation(ANSWER_IN_TRANSACTION, key.tenant).digest(&key.digest());
    with_charge(with_answer(call.fence(*fence), answer, *keep_until), charge).text(marker)
}

/// Adds what the call has spent of its reservations.
fn with_charge(statement: Statement, charge: &Charge) -> Statement {
    let (kind, reported) = match charge {
        Charge::Reserved => (0, &[][..]),
        Charge::Nothing => (1, &[][..]),
        Charge::Reported(amounts) => (2, &amounts[..]),
    };
    let codes: Vec<String> = reported.iter().map(|(code, _)| code.to_string()).collect();
    let amounts: Vec<i64> = reported.iter().map(|(_, amount)| whole(*amount)).collect();
    statement.small(kind).list(codes, Type::TEXT_ARRAY).list(amounts, Type::INT8_ARRAY)
}

fn with_answer(statement: Statement, answer: &StoredAnswer, keep_until: UnixMillis) -> Statement {
    statement
        .time(keep_until)
        .flag(answer.succeeded)
        .bytes(answer.body.clone())
        .bytes(answer.meta.clone())
}

/// Extends a lease; false if the key no longer runs under this fence.
pub(crate) async fn renew(
    database: &Database,
    key: &ScopedKey,
    fence: Fence,
    until: UnixMillis,
) -> Result<bool, StoreError> {
    let call = || {
        let call = database.operation(RENEW, key.tenant).digest(&key.digest());
        call.fence(fence).time(until)
    };
    is_held(database, call).await
}

/// Makes an answered key unknown, because its answer is invalid.
pub(crate) fn invalidation(key: &ScopedKey) -> Statement {
    Statement::new(INVALIDATE).digest(&key.digest())
}
