//! Reads budgets from TOML, so that limits are set where a program runs.

use std::time::Duration;

use thiserror::Error;
use toml::{Table, Value};
use tool_runtime_core::policy::{OverLimit, SpendingLimit as _};

use crate::budget::Budget;
use crate::scope::BudgetScope;
use crate::window::Window;

/// The keys of a budget's table, for the message about an unknown one.
const KEYS: &str = "`per_call`, `per_run`, `per_session`, `per_hour`, `per_day`, `per_week`, `per_month`, `rolling`, \
                    `lifetime`, `ask_above`, `scope`, `time_zone`, `over`, `warn_at`, `hidden`, `tools`, `toolkits`, \
                    `categories`";

/// Budgets that cannot be read, with every problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the budgets cannot be read: {}", .problems.join("; "))]
pub struct InvalidBudgets {
    problems: Vec<String>,
}

impl InvalidBudgets {
    /// Returns the problems, each with its place and its cure.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

/// A key of a budget's table with the kind of value that it needs.
struct Entry<'t> {
    budget: &'t str,
    key: &'t str,
    value: &'t Value,
}

impl Budget {
    /// Reads budgets from TOML: one table for each of them, under its name.
    ///
    /// The keys are the names of the methods that set the same. A limit is one amount or an array of them; `rolling`
    /// has an amount for each length of time, in seconds, minutes, hours or days (`30s`, `15m`, `24h`, `7d`); `scope`
    /// is `tenant`, `user`, `actor`, `tool`, `toolkit`, `category`, or `attribute:` and its name; `over` is `refuse` or
    /// `ask`.
    ///
    /// ```
    /// use tool_runtime::budgets::Budget;
    /// use tool_runtime::policy::Policy;
    ///
    /// let budgets = Budget::from_toml(
    ///     r#"
    ///     [shopping]
    ///     per_day = ["500.00 EUR", "20 calls"]
    ///     rolling = { 30d = "5000.00 EUR" }
    ///     ask_above = "50.00 EUR"
    ///     scope = "user"
    ///     time_zone = "Europe/Berlin"
    ///     over = "ask"
    ///     "#,
    /// )?;
    /// let policy = Policy::new().budgets(budgets);
    ///
    /// let wrong = Budget::from_toml("[shopping]\nper_day = 500\nper_year = \"1 EUR\"").unwrap_err();
    /// assert_eq!(wrong.problems().len(), 3); // a number, an unknown key, and no limit is left
    /// # let _ = policy;
    /// # Ok::<(), tool_runtime::budgets::InvalidBudgets>(())
    /// ```
    ///
    /// # Errors
    /// Lists all problems at once, each with its place and its cure.
    pub fn from_toml(text: &str) -> Result<Vec<Self>, InvalidBudgets> {
        let table: Table = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            InvalidBudgets {
                problems: vec![format!("line {line}: expected TOML: {}", error.message())],
            }
        })?;
        let (mut budgets, mut problems) = (Vec::new(), Vec::new());
        for (name, value) in &table {
            let Value::Table(entries) = value else {
                let cure = "expected a table: write `[NAME]`, and the limits under it";
                problems.push(format!("`{name}`: {cure}"));
                continue;
            };
            let mut budget = Self::new(name);
            for (key, value) in entries {
                budget = Entry { budget: name, key, value }.apply(budget, &mut problems);
            }
            problems.extend(budget.problems());
            budgets.push(budget);
        }
        if problems.is_empty() { Ok(budgets) } else { Err(InvalidBudgets { problems }) }
    }
}

impl Entry<'_> {
    /// Sets what the entry says; a value that cannot be read becomes a problem.
    fn apply(&self, budget: Budget, problems: &mut Vec<String>) -> Budget {
        let applied = match self.key {
            "per_call" => self.limits(&budget, Window::Call),
            "per_run" => self.limits(&budget, Window::Run),
            "per_session" => self.limits(&budget, Window::Session),
            "per_hour" => self.limits(&budget, Window::Hour),
            "per_day" => self.limits(&budget, Window::Day),
            "per_week" => self.limits(&budget, Window::Week),
            "per_month" => self.limits(&budget, Window::Month),
            "lifetime" => self.limits(&budget, Window::Lifetime),
            "rolling" => self.rolling(&budget),
            "ask_above" => self
                .texts()
                .map(|amounts| amounts.into_iter().fold(budget.clone(), Budget::ask_above)),
            "scope" => self.text().and_then(|text| Ok(budget.clone().scope(self.scope(text)?))),
            "time_zone" => self.text().map(|name| budget.clone().time_zone(name)),
            "over" => self.text().and_then(|text| Ok(budget.clone().over(self.over(text)?))),
            "warn_at" => self.percent().map(|percent| budget.clone().warn_at(percent)),
            "hidden" => match self.value {
                Value::Boolean(true) => Ok(budget.clone().hidden()),
                Value::Boolean(false) => Ok(budget.clone()),
                _ => Err(self.expected("true or false")),
            },
            "tools" => self.texts().map(|names| budget.clone().tools(names)),
            "toolkits" => self.texts().map(|names| budget.clone().toolkits(names)),
            "categories" => self.texts().map(|names| budget.clone().categories(names)),
            _ => Err(self.expected(&format!("one of the keys {KEYS}"))),
        };
        applied.unwrap_or_else(|problem| {
            problems.push(problem);
            budget
        })
    }

    fn limits(&self, budget: &Budget, window: Window) -> Result<Budget, String> {
        let amounts = self.texts()?.into_iter();
        Ok(amounts.fold(budget.clone(), |budget, amount| budget.limit(window, amount)))
    }

    fn rolling(&self, budget: &Budget) -> Result<Budget, String> {
        let Value::Table(limits) = self.value else {
            return Err(self.expected("a table of lengths and amounts: `{ 24h = \"500.00 EUR\" }`"));
        };
        let mut rolling = budget.clone();
        for (length, amounts) in limits {
            let Some(time) = parse_length(length) else {
                let cure = format!("lengths such as `15m`, `24h` or `7d` in place of `{length}`");
                return Err(self.expected(&cure));
            };
            let entry = Self { value: amounts, ..*self };
            rolling = entry.limits(&rolling, Window::Rolling(time))?;
        }
        Ok(rolling)
    }

    fn scope(&self, text: &str) -> Result<BudgetScope, String> {
        match text {
            "tenant" => Ok(BudgetScope::Tenant),
            "user" => Ok(BudgetScope::User),
            "actor" => Ok(BudgetScope::Actor),
            "tool" => Ok(BudgetScope::Tool),
            "toolkit" => Ok(BudgetScope::Toolkit),
            "category" => Ok(BudgetScope::Category),
            _ => match text.strip_prefix("attribute:").filter(|name| !name.is_empty()) {
                Some(name) => Ok(BudgetScope::Attribute(name.to_owned())),
                None => Err(self.expected(
                    "`tenant`, `user`, `actor`, `tool`, `toolkit`, `category` or `attribute:NAME`",
                )),
            },
        }
    }

    fn over(&self, text: &str) -> Result<OverLimit, String> {
        match text {
            "refuse" => Ok(OverLimit::Refuse),
            "ask" => Ok(OverLimit::Ask),
            _ => Err(self.expected("`refuse` or `ask`")),
        }
    }

    fn percent(&self) -> Result<u8, String> {
        let percent = self.value.as_integer().and_then(|number| u8::try_from(number).ok());
        percent.ok_or_else(|| self.expected("a whole number of percent"))
    }

    fn text(&self) -> Result<&str, String> {
        self.value.as_str().ok_or_else(|| self.expected("a text"))
    }

    /// Returns one text, or the texts of an array.
    fn texts(&self) -> Result<Vec<&str>, String> {
        let texts = match self.value {
            Value::Array(values) => values.iter().map(Value::as_str).collect(),
            value => value.as_str().map(|text| vec![text]),
        };
        let cure =
            "a text or an array of texts: an amount is written `\"500.00 EUR\"` or `\"20 calls\"`";
        texts.ok_or_else(|| self.expected(cure))
    }

    fn expected(&self, what: &str) -> String {
        format!("the budget `{}`: `{}`: expected {what}", self.budget, self.key)
    }
}

/// Reads a length of time: `30s`, `15m`, `24h`, `7d`.
fn parse_length(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    Some(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?))
}
