// tool_runtime_budgets::Allowances
#[derive(Debug, Clone)]
#[must_use]
pub struct Allowances {
    ..
}
impl Allowances {
    pub fn new() -> Self {}
    pub fn time_zone(self, name: &str) -> Self {}
}
impl Default for Allowances {}
impl SpendingLimit for Allowances {}

// tool_runtime_budgets::Budget
#[derive(Debug, Clone)]
#[must_use]
pub struct Budget {
    ..
}
impl Budget {
    pub fn ask_above(self, amount: &str) -> Self {}
    pub fn categories(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {}
    pub fn from_toml(text: &str) -> Result<Vec<Self>, InvalidBudgets> {}
    pub fn hidden(self) -> Self {}
    pub fn lifetime(self, amount: &str) -> Self {}
    pub fn limit(self, window: Window, amount: &str) -> Self {}
    #[cfg(feature = "mandates")]
    pub fn mandated(
        self,
        keys: crate::mandate::MandateKeys,
        mandates: impl Fn(
            &tool_contracts::ToolContext,
        ) -> Option<Arc<str>> + Send + Sync + 'static,
    ) -> Self {}
    pub fn new(name: impl Into<String>) -> Self {}
    pub fn over(self, over: OverLimit) -> Self {}
    pub fn per_call(self, amount: &str) -> Self {}
    pub fn per_day(self, amount: &str) -> Self {}
    pub fn per_hour(self, amount: &str) -> Self {}
    pub fn per_month(self, amount: &str) -> Self {}
    pub fn per_run(self, amount: &str) -> Self {}
    pub fn per_session(self, amount: &str) -> Self {}
    pub fn per_week(self, amount: &str) -> Self {}
    pub fn rolling(self, window: Duration, amount: &str) -> Self {}
    pub fn scope(self, scope: BudgetScope) -> Self {}
    pub fn time_zone(self, name: &str) -> Self {}
    pub fn toolkits(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {}
    pub fn tools(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {}
    pub fn warn_at(self, percent: u8) -> Self {}
}
impl SpendingLimit for Budget {}

// tool_runtime_budgets::BudgetError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BudgetError {
    Unknown(String),
    #[non_exhaustive]
    Amount { amount: String, why: InvalidAmount },
    OtherUnit(String, String),
    Signed,
    Store(StoreError),
}

// tool_runtime_budgets::BudgetScope
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BudgetScope {
    Tenant,
    User,
    Actor,
    Tool,
    Toolkit,
    Category,
    Attribute(String),
}

// tool_runtime_budgets::Budgets
#[derive(Clone, Copy)]
pub struct Budgets<'r>(_);
impl Budgets<'_> {
    pub async fn limits(&self) -> Result<Vec<LimitState>, StoreError> {}
    pub async fn pause(&self, budget: &str) -> Result<(), BudgetError> {}
    pub async fn periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {}
    pub async fn raise(
        &self,
        period: &BudgetPeriod,
        amount: &str,
    ) -> Result<(), BudgetError> {}
    pub async fn reset_limits(&self, budget: &str) -> Result<(), BudgetError> {}
    pub async fn resume(&self, budget: &str) -> Result<(), BudgetError> {}
    pub async fn set_limit(
        &self,
        budget: &str,
        window: Window,
        amount: &str,
    ) -> Result<(), BudgetError> {}
}
impl fmt::Debug for Budgets<'_> {}

// tool_runtime_budgets::Decimal = rust_decimal::Decimal

// tool_runtime_budgets::DecimalAmount
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no exact amount of money",
    label = "a float rounds, and a text is not checked",
    note = "use `tool_runtime::budgets::Decimal`; for whole cents write an unsigned integer and `minor_units`"
)]
pub trait DecimalAmount {}
impl<T: DecimalAmount> DecimalAmount for Option<T> {}
impl DecimalAmount for Decimal {}

// tool_runtime_budgets::EstimatedCost
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no cost that a budget can count",
    label = "this function returns something else",
    note = "a function for `cost` takes the tool's arguments, and returns `Money` or `Option<Money>`"
)]
pub trait EstimatedCost {
    fn into_cost(self) -> Option<Money>;
}
impl EstimatedCost for Option<Money> {}

// tool_runtime_budgets::InvalidAmount
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidAmount {
    NotDecimal,
    Negative,
    TooPrecise,
    TooGreat,
    Rounded,
    UnknownCurrency,
    NoUnit,
}

// tool_runtime_budgets::InvalidBudgets
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct InvalidBudgets {
    ..
}
impl InvalidBudgets {
    #[must_use]
    pub fn problems(&self) -> &[String] {}
}

// tool_runtime_budgets::MandateClaims
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MandateClaims {
    ..
}
impl MandateClaims {
    #[must_use]
    pub fn agent(self, actor: impl Into<String>) -> Self {}
    #[must_use]
    pub fn audience(self, audience: impl Into<String>) -> Self {}
    #[must_use]
    pub fn issued_at(self, time: u64) -> Self {}
    #[must_use]
    pub fn limit(self, limit: MandateLimit) -> Self {}
    #[must_use]
    pub fn new(
        issuer: impl Into<String>,
        id: impl Into<String>,
        user: impl Into<String>,
        until: u64,
    ) -> Self {}
    #[must_use]
    pub fn payee(self, payee: Payee) -> Self {}
    pub fn sign(&self, key_id: &str, pkcs8: &[u8]) -> Result<String, MandateKeyError> {}
    #[must_use]
    pub fn tool(self, name: impl Into<String>) -> Self {}
}

// tool_runtime_budgets::MandateError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MandateError {
    Missing,
    Invalid,
    Expired,
    Audience,
    Foreign,
    Tool,
    Payee,
    Currency,
    Amount,
}

// tool_runtime_budgets::MandateKeyError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct MandateKeyError(_);

// tool_runtime_budgets::MandateKeys
#[derive(Clone, Default)]
pub struct MandateKeys {
    ..
}
impl MandateKeys {
    #[must_use]
    pub fn audience(self, audience: impl Into<String>) -> Self {}
    pub fn key(
        self,
        issuer: impl Into<String>,
        id: impl Into<String>,
        x: &str,
    ) -> Result<Self, MandateKeyError> {}
    #[must_use]
    pub fn new() -> Self {}
}
impl fmt::Debug for MandateKeys {}

// tool_runtime_budgets::MandateLimit
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MandateLimit {
    ..
}
impl MandateLimit {
    #[must_use]
    pub fn new(currency: impl Into<String>, total: impl Into<String>) -> Self {}
    #[must_use]
    pub fn per_call(self, amount: impl Into<String>) -> Self {}
}

// tool_runtime_budgets::MinorUnits
#[diagnostic::on_unimplemented(
    message = "`{Self}` counts no minor units",
    label = "not an unsigned integer",
    note = "`minor_units` is for `u8`, `u16`, `u32` and `u64`"
)]
pub trait MinorUnits {}
impl<T: MinorUnits> MinorUnits for Option<T> {}
impl MinorUnits for u16 {}
impl MinorUnits for u32 {}
impl MinorUnits for u64 {}
impl MinorUnits for u8 {}

// tool_runtime_budgets::Money
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    ..
}
impl Money {
    #[must_use]
    pub const fn amount(&self) -> Decimal {}
    #[must_use]
    pub fn currency(&self) -> &'static str {}
    pub fn new(amount: Decimal, currency: &str) -> Result<Self, InvalidAmount> {}
}
impl<'de> Deserialize<'de> for Money {}
impl EstimatedCost for Money {}
impl FromStr for Money {
    type Err = InvalidAmount;
}
impl JsonSchema for Money {}
impl MoneyAmount for Money {}
impl Serialize for Money {}
impl fmt::Display for Money {}

// tool_runtime_budgets::MoneyAmount
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no currency",
    label = "an amount without its currency",
    note = "use `tool_runtime::budgets::Money`, or name the currency: `spends = \"EUR\"`"
)]
pub trait MoneyAmount {}
impl<T: MoneyAmount> MoneyAmount for Option<T> {}

// tool_runtime_budgets::OverLimit = tool_runtime_core::policy::OverLimit

// tool_runtime_budgets::Payee
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payee {
    ..
}
impl Payee {
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {}
}

// tool_runtime_budgets::RuntimeBudgets
pub trait RuntimeBudgets {
    fn budgets(&self) -> Budgets<'_>;
}
impl RuntimeBudgets for Runtime {}

// tool_runtime_budgets::Spending
#[derive(Debug, Clone, Default)]
pub struct Spending(_);
impl Spending {
    pub fn settle(&self, amount: Money) {}
    #[must_use]
    pub fn unreported() -> Self {}
}
impl FromCall for Spending {}

// tool_runtime_budgets::Window
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Window {
    Call,
    Run,
    Session,
    Hour,
    Day,
    Week,
    Month,
    Rolling(Duration),
    Lifetime,
}
impl fmt::Display for Window {}

