//! Limits that replicas share: the trait's implementation.

use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use tool_runtime_core::store::{
    LimitAnswer, LimitReport, LimitStore, OpenBreaker, RateShare, StoreError,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, digest};
use crate::error::damaged;
use crate::statement::Statement;

const EXCHANGE: &str = r#"
    SELECT kind, key, value, wait FROM "SCHEMA".exchange_limits(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"#;

/// The longest wait for a row of another replica's exchange.
const MAX_LOCK_WAIT: Duration = Duration::from_millis(500);

/// A row of the answer.
enum Share {
    Rate(RateShare),
    Permits(u32),
    Open(OpenBreaker),
}

#[async_trait]
impl LimitStore for PostgresStore {
    async fn exchange(
        &self,
        replica: Uuid,
        report: LimitReport,
    ) -> Result<LimitAnswer, StoreError> {
        let LimitReport { rates, permits, opened } = report;
        let expected = (rates.len(), permits.len());
        // A later report must not meet an earlier one.
        let lock_timeout = self.database.settings().lock_timeout.min(MAX_LOCK_WAIT);
        let lock_timeout = lock_timeout.as_millis().to_string();
        let keys = |keys: Vec<&Digest>| {
            keys.into_iter().map(|key| key.as_bytes().to_vec()).collect::<Vec<_>>()
        };
        let numbers =
            |statement: Statement, numbers: Vec<i64>| statement.list(numbers, Type::INT8_ARRAY);
        let call = move || {
            let call = Statement::new(EXCHANGE).text(&lock_timeout).uuid(replica);
            let call = call.bytes_list(keys(rates.iter().map(|rate| &rate.key).collect()));
            // A rate of more than a million calls a second cannot be set.
            let call =
                numbers(call, rates.iter().map(|it| nanoseconds(it.interval).max(1)).collect());
            let call = numbers(call, rates.iter().map(|it| it.burst.into()).collect());
            let call = numbers(call, rates.iter().map(|it| it.wanted.into()).collect());
            let call = numbers(call, rates.iter().map(|it| it.unused.into()).collect());
            let call = call.bytes_list(keys(permits.iter().map(|limit| &limit.key).collect()));
            let call = numbers(call, permits.iter().map(|it| it.permits.into()).collect());
            let call = numbers(call, permits.iter().map(|it| it.in_use.into()).collect());
            let call = numbers(call, permits.iter().map(|it| it.waiting.into()).collect());
            let call = call.bytes_list(keys(opened.iter().map(|breaker| &breaker.key).collect()));
            numbers(call, opened.iter().map(|it| nanoseconds(it.left) / 1_000_000).collect())
        };
        let database = self.database.clone();
        let exchange = async move { database.rows_of_call(call, share).await };
        let mut answer = LimitAnswer::default();
        for share in self.database.run(exchange).await? {
            match share {
                Share::Rate(rate) => answer.rates.push(rate),
                Share::Permits(permits) => answer.permits.push(permits),
                Share::Open(breaker) => answer.open.push(breaker),
            }
        }
        if (answer.rates.len(), answer.permits.len()) == expected {
            return Ok(answer);
        }
        Err(damaged("the answer about shared limits does not fit its report"))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.database.spawn(task);
    }
}

fn share(row: &Row) -> Result<Share, StoreError> {
    let (key, value): (Digest, i64) = (digest(row, "key")?, column(row, "value")?);
    let number = |number: i64| u32::try_from(number.max(0)).unwrap_or(u32::MAX);
    let time = |number: i64| u64::try_from(number).unwrap_or(0);
    Ok(match column(row, "kind")? {
        0 => Share::Rate(RateShare {
            granted: number(value),
            wait: Duration::from_nanos(time(column(row, "wait")?)),
        }),
        1 => Share::Permits(number(value)),
        2_i32 => Share::Open(OpenBreaker { key, left: Duration::from_millis(time(value)) }),
        other => return Err(damaged(format!("a shared limit has the kind {other}"))),
    })
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}
