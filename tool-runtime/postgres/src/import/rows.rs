//! The rows of an import: the statements that insert them and find them again.

use tokio_postgres::Row;
use tool_runtime_core::store::signed::whole;
use tool_runtime_core::store::{
    ArchivedKey, BudgetPeriod, KeyRecord, KeyState, ReservedAmount, StoreError, StoredOutput,
    StoredPeriod, StoredRow, StoredSession,
};
use uuid::Uuid;

use crate::columns::{column, digest, session_digest, time};
use crate::statement::{Statement, must_have_no_nul};
use crate::{budgets, evidence, evidence_keys, grants, keys, outbox, outputs, tickets};

const INSERT_KEY: &str = r#"
    INSERT INTO "SCHEMA".keys (
        digest, tenant, principal, tool, key, caller, fingerprint, fence, claim, state, lease_until, keep_until, since,
        succeeded, body, meta, reserved)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"#;

/// All columns that were inserted, also the texts of the key.
const FIND_KEY: &str = r#"
    SELECT tenant, principal, tool, key, caller, fingerprint, fence, state, lease_until, keep_until, since, succeeded,
        body, meta, reserved
    FROM "SCHEMA".keys WHERE digest = $1"#;

const INSERT_ARCHIVED: &str = r#"
    INSERT INTO "SCHEMA".keys (digest, tenant, fingerprint, fence, claim, state, reserved)
    VALUES ($1, $2, $3, $4, $5, 3, $6)"#;

const FIND_ARCHIVED: &str = r#"
    SELECT digest, tenant, fingerprint, fence, reserved FROM "SCHEMA".keys WHERE digest = $1 AND state = 3"#;

const INSERT_PERIOD: &str = r#"
    INSERT INTO "SCHEMA".budget_periods (
        tenant, account, start, budget, limit_name, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"#;

const FIND_PERIOD: &str = r#"
    SELECT tenant, start, budget, limit_name, scope, unit, most, spent, reserved, raised, delete_at
    FROM "SCHEMA".budget_periods WHERE tenant = $1 AND account = $2 AND start = $3"#;

const FIND_CONTROL: &str = r#"
    SELECT budget, limit_name, unit, paused, amount FROM "SCHEMA".budget_controls
    WHERE budget = $1 AND limit_name = $2 AND unit = $3"#;

const INSERT_TENANT_KEY: &str = r#"
    INSERT INTO "SCHEMA".evidence_keys (tenant, version, ring_key, wrapped) VALUES ($1, $2, $3, $4)"#;

const INSERT_SNAPSHOT: &str = r#"
    INSERT INTO "SCHEMA".evidence (tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"#;

const FIND_OUTPUT: &str = r#"
    SELECT id, tenant, principal, text, expires_at FROM "SCHEMA".outputs WHERE id = $1"#;

const INSERT_SESSION: &str = r#"
    INSERT INTO "SCHEMA".sessions (digest, tenant, principal, session, used_at) VALUES ($1, $2, $3, $4, $5)"#;

const INSERT_MESSAGES: &str = r#"
    INSERT INTO "SCHEMA".session_messages (session, tenant, number, message)
    SELECT $1, $2, added.number, added.message
    FROM unnest($3) WITH ORDINALITY AS added (message, number)"#;

const FIND_SESSION: &str = r#"
    SELECT tenant, principal, session, used_at, (
        SELECT array_agg(message ORDER BY number) FROM "SCHEMA".session_messages
        WHERE session_messages.session = sessions.digest) AS messages
    FROM "SCHEMA".sessions WHERE digest = $1"#;

/// Returns the statements that insert a row.
pub(super) fn insertion(row: &StoredRow) -> Result<Vec<Statement>, StoreError> {
    Ok(match row {
        StoredRow::Key(record) => vec![key_insertion(record)?],
        StoredRow::ArchivedKey(ArchivedKey { tenant, digest, fingerprint, fence, reserved }) => {
            let insert = Statement::new(INSERT_ARCHIVED).digest(digest).uuid(*tenant);
            let insert = insert.digest(fingerprint).fence(*fence).uuid(Uuid::nil());
            vec![insert.optional_text(ReservedAmount::to_text(reserved).as_deref())]
        }
        StoredRow::Ticket(ticket) => vec![tickets::insertion_of_new(ticket.clone())?],
        StoredRow::Grant(grant) => vec![grants::insertion(grant)?],
        StoredRow::Output(output) => vec![outputs::insertion(output.clone())?],
        StoredRow::TenantKey(key) => vec![
            Statement::new(INSERT_TENANT_KEY)
                .uuid(key.tenant)
                .number(i64::from(key.version))
                .text(&key.ring_key)
                .optional_bytes(key.wrapped.clone()),
        ],
        StoredRow::Snapshot(snapshot) => {
            vec![evidence::insertion(INSERT_SNAPSHOT, snapshot.clone())?]
        }
        StoredRow::Session(session) => {
            let StoredSession { tenant, principal, session: name, used_at, messages } = session;
            must_have_no_nul(&[principal, name])?;
            let digest = session_digest(*tenant, principal, name);
            let insert = Statement::new(INSERT_SESSION).digest(&digest).uuid(*tenant);
            let insert = insert.text(principal).text(name).time(*used_at);
            let messages = messages.clone();
            let messages =
                Statement::new(INSERT_MESSAGES).digest(&digest).uuid(*tenant).bytes_list(messages);
            vec![insert, messages]
        }
        StoredRow::BudgetPeriod(period) => vec![period_insertion(period)?],
        StoredRow::BudgetControl(control) => vec![budgets::control_insertion(control)?],
        StoredRow::Message(stored) => vec![outbox::insertion(stored)?],
    })
}

fn period_insertion(stored: &StoredPeriod) -> Result<Statement, StoreError> {
    let BudgetPeriod { account, start, limit, balance } = &stored.period;
    must_have_no_nul(&[&account.budget, &account.limit, &account.scope])?;
    Ok(Statement::new(INSERT_PERIOD)
        .uuid(account.tenant)
        .digest(&account.digest())
        .time(*start)
        .text(&account.budget)
        .text(&account.limit)
        .text(&account.scope)
        .text(&account.unit.to_string())
        .number(whole(*limit))
        .number(whole(balance.spent))
        .number(whole(balance.reserved))
        .number(whole(balance.raised))
        .optional_time(stored.delete_at))
}

fn key_insertion(record: &KeyRecord) -> Result<Statement, StoreError> {
    let KeyRecord { key, fingerprint, fence, caller, since, .. } = record;
    must_have_no_nul(&[&key.principal, &key.tool, &key.key, caller])?;
    let (state, lease_until) = keys::lease_columns(&record.state);
    let (keep_until, answer) = match &record.state {
        KeyState::Answered { answer, keep_until } => (Some(*keep_until), Some(answer)),
        KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => (None, None),
    };
    Ok(Statement::new(INSERT_KEY)
        .digest(&key.digest())
        .uuid(key.tenant)
        .text(&key.principal)
        .text(&key.tool)
        .text(&key.key)
        .text(caller)
        .digest(fingerprint)
        .fence(*fence)
        .uuid(Uuid::nil())
        .small(state)
        .optional_time(lease_until)
        .optional_time(keep_until)
        .optional_time(*since)
        .optional_flag(answer.map(|answer| answer.succeeded))
        .optional_bytes(answer.map(|answer| answer.body.clone()))
        .optional_bytes(answer.map(|answer| answer.meta.clone()))
        .optional_text(ReservedAmount::to_text(&record.reserved).as_deref()))
}

/// Returns the statement that finds an inserted row.
pub(super) fn lookup(row: &StoredRow) -> Statement {
    match row {
        StoredRow::Key(record) => Statement::new(FIND_KEY).digest(&record.key.digest()),
        StoredRow::ArchivedKey(key) => Statement::new(FIND_ARCHIVED).digest(&key.digest),
        StoredRow::Ticket(ticket) => tickets::lookup(ticket.id),
        StoredRow::Grant(grant) => grants::lookup(&grant.scope),
        StoredRow::Output(output) => Statement::new(FIND_OUTPUT).uuid(output.id),
        StoredRow::TenantKey(key) => evidence_keys::lookup(key.tenant, key.version),
        StoredRow::Snapshot(snapshot) => evidence::lookup(snapshot.facts.tenant, snapshot.facts.id),
        StoredRow::Session(session) => {
            let StoredSession { tenant, principal, session, .. } = session;
            Statement::new(FIND_SESSION).digest(&session_digest(*tenant, principal, session))
        }
        StoredRow::BudgetPeriod(StoredPeriod { period, .. }) => Statement::new(FIND_PERIOD)
            .uuid(period.account.tenant)
            .digest(&period.account.digest())
            .time(period.start),
        StoredRow::BudgetControl(control) => Statement::new(FIND_CONTROL)
            .text(&control.budget)
            .text(&control.limit)
            .text(&control.unit.to_string()),
        StoredRow::Message(stored) => outbox::lookup(&stored.message),
    }
}

/// Reads a row of the kind of another one.
pub(super) fn stored_row(row: &Row, like: &StoredRow) -> Result<StoredRow, StoreError> {
    Ok(match like {
        StoredRow::Key(_) => StoredRow::Key(keys::record_of_tenant(row, column(row, "tenant")?)?),
        StoredRow::ArchivedKey(_) => StoredRow::ArchivedKey(ArchivedKey {
            tenant: column(row, "tenant")?,
            digest: digest(row, "digest")?,
            fingerprint: digest(row, "fingerprint")?,
            fence: keys::fence(row)?,
            reserved: keys::reserved(row)?,
        }),
        StoredRow::Ticket(_) => StoredRow::Ticket(tickets::ticket(row)?),
        StoredRow::Grant(_) => StoredRow::Grant(grants::grant(row)?),
        StoredRow::Output(_) => StoredRow::Output(StoredOutput {
            id: column(row, "id")?,
            tenant: column(row, "tenant")?,
            principal: column(row, "principal")?,
            text: column(row, "text")?,
            expires_at: time(row, "expires_at")?,
        }),
        StoredRow::TenantKey(_) => StoredRow::TenantKey(evidence_keys::key(row)?),
        StoredRow::Snapshot(_) => StoredRow::Snapshot(evidence::snapshot(row)?),
        StoredRow::Session(_) => StoredRow::Session(StoredSession {
            tenant: column(row, "tenant")?,
            principal: column(row, "principal")?,
            session: column(row, "session")?,
            used_at: time(row, "used_at")?,
            messages: column::<Option<Vec<Vec<u8>>>>(row, "messages")?.unwrap_or_default(),
        }),
        StoredRow::BudgetPeriod(_) => StoredRow::BudgetPeriod(budgets::stored_period(row)?),
        StoredRow::BudgetControl(_) => StoredRow::BudgetControl(budgets::control(row)?),
        StoredRow::Message(_) => StoredRow::Message(outbox::stored_message(row)?),
    })
}
