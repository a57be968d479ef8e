//! Reads from a tool's schema what its calls spend, and from a call how much.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tool_contracts::{ErrorCode, ToolSpec};
use tool_runtime_core::Failure;
use tool_runtime_core::policy::SpendingCall;
use tool_runtime_core::store::BudgetUnit;

use crate::money::{self, InvalidAmount, Money};

/// The spending of a tool's calls: amounts in their arguments, and a fixed cost.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolSpending {
    arguments: Vec<SpendingArgument>,
    cost: CallCost,
}

/// The cost of a call that its arguments do not name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum CallCost {
    #[default]
    None,
    /// Each call costs the same.
    Fixed(Money),
    /// A function of the tool estimates it.
    Estimated,
}

/// The mark of a cost that a function of the tool estimates.
const ESTIMATED: &str = "estimated";

/// An argument that says how much a call spends.
#[derive(Debug, Clone)]
struct SpendingArgument {
    name: String,
    form: AmountForm,
    /// The default of the schema as JSON text.
    default: Option<String>,
    /// True if a call that does not name the amount is refused: who runs it would choose how much it spends.
    is_required: bool,
}

/// The form of an amount, as `x-spends` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AmountForm {
    /// A decimal number in this currency.
    Decimal(BudgetUnit),
    /// A whole number of the smallest units of this currency.
    MinorUnits(BudgetUnit),
    /// A decimal number; another argument has the code of the currency.
    DecimalBeside(String),
    /// An object of an amount and a currency.
    Money,
}

/// The value of `x-spends`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpendsMark {
    currency: Option<String>,
    currency_argument: Option<String>,
    #[serde(default)]
    minor_units: bool,
    #[serde(default)]
    required: bool,
}

impl ToolSpending {
    /// Reads the marks of a tool's schema: `x-spends` of an argument, `x-cost` of the whole.
    ///
    /// # Errors
    /// Says which mark is wrong, and the cure.
    pub(crate) fn read(tool: &ToolSpec) -> Result<Self, String> {
        let schema = tool.input_schema();
        let mut spending = Self::default();
        if let Some(cost) = schema.get("x-cost") {
            let cost = cost.as_str().ok_or("`x-cost` is a text such as `0.02 USD`")?;
            let wrong = |why| format!("`x-cost` is `{cost}`: {why}");
            spending.cost = match cost {
                ESTIMATED => CallCost::Estimated,
                amount => CallCost::Fixed(amount.parse().map_err(wrong)?),
            };
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let Some(mark) = property.get("x-spends") else {
                if has_mark(property) {
                    return Err(format!(
                        "the argument `{name}` has `x-spends` inside: mark an argument itself"
                    ));
                }
                continue;
            };
            let wrong = |why: &str| format!("the argument `{name}` spends: {why}");
            let mark = SpendsMark::read(mark).map_err(|why| wrong(&why))?;
            let is_required = mark.required;
            let form = AmountForm::new(mark).map_err(|why| wrong(&why))?;
            if let AmountForm::DecimalBeside(currency) = &form {
                if schema.get("properties").and_then(|all| all.get(currency)).is_none() {
                    return Err(wrong(&format!("no argument is named `{currency}`")));
                }
            }
            let default = property.get("default").filter(|it| !it.is_null() && !is_required);
            let (name, default) = (name.clone(), default.map(Value::to_string));
            spending.arguments.push(SpendingArgument { name, form, default, is_required });
        }
        Ok(spending)
    }

    /// Returns whether no call of the tool spends money.
    pub(crate) fn is_free(&self) -> bool {
        self.arguments.is_empty() && self.cost == CallCost::None
    }

    /// Returns the sums that a call spends, in millionths, one for each currency.
    ///
    /// # Errors
    /// The call is refused: an amount cannot be counted.
    pub(crate) fn amounts(
        &self,
        call: &SpendingCall<'_>,
    ) -> Result<BTreeMap<BudgetUnit, u64>, Failure> {
        let mut sums = BTreeMap::new();
        let mut add = |(unit, amount): (BudgetUnit, u64)| {
            let sum = sums.entry(unit).or_insert(0_u64);
            *sum = sum.saturating_add(amount);
        };
        self.cost.amount(call)?.into_iter().for_each(&mut add);
        if self.arguments.is_empty() {
            return Ok(sums);
        }
        let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(call.arguments())
            .map_err(|_| uncountable("", InvalidAmount::NotDecimal))?;
        let json = |name: &str| fields.get(name).map(|value| value.get());
        for SpendingArgument { name, form, default, is_required } in &self.arguments {
            let text = json(name).filter(|text| *text != "null").or(default.as_deref());
            let Some(text) = text else {
                if *is_required {
                    return Err(uncountable(name, InvalidAmount::NotDecimal));
                }
                continue;
            };
            add(form.amount(text, json).map_err(|why| uncountable(name, why))?);
        }
        Ok(sums)
    }
}

/// Returns whether a schema has a mark at any depth: the amounts of a list or of an inner object are not counted.
fn has_mark(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("x-spends") || members.values().any(has_mark)
        }
        Value::Array(values) => values.iter().any(has_mark),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

impl CallCost {
    /// Returns the cost of a call; none for one that costs nothing but what its arguments say.
    fn amount(&self, call: &SpendingCall<'_>) -> Result<Option<(BudgetUnit, u64)>, Failure> {
        let unit = |code: &str| money::unit(code).map_err(|why| uncountable("", why));
        match self {
            Self::None => Ok(None),
            Self::Fixed(cost) => Ok(Some((unit(cost.currency())?, cost.millionths()))),
            Self::Estimated => {
                let estimate = call.estimate()?;
                estimate.map(|cost| Ok((unit(&cost.currency)?, cost.millionths))).transpose()
            }
        }
    }
}

/// Refuses a call with an amount that cannot be counted.
fn uncountable(argument: &str, why: InvalidAmount) -> Failure {
    Failure::from_code(ErrorCode::InvalidArgument)
        .with_message(format!("the amount in `/{argument}` cannot be counted: {why}"))
}

impl SpendsMark {
    fn read(mark: &Value) -> Result<Self, String> {
        serde_json::from_value(mark.clone()).map_err(|error| {
            format!(
                "`x-spends` has `currency`, `currency_argument`, `minor_units` and `required`: {error}"
            )
        })
    }
}

impl AmountForm {
    fn new(mark: SpendsMark) -> Result<Self, String> {
        let unit = |code: &str| {
            let unit = money::unit(code);
            unit.map_err(|why| format!("the currency of `x-spends` is `{code}`: {why}"))
        };
        match (mark.currency, mark.currency_argument, mark.minor_units) {
            (Some(code), None, false) => Ok(Self::Decimal(unit(&code)?)),
            (Some(code), None, true) => Ok(Self::MinorUnits(unit(&code)?)),
            (None, Some(argument), false) => Ok(Self::DecimalBeside(argument)),
            (None, None, false) => Ok(Self::Money),
            (Some(_), Some(_), _) => {
                Err("give one of `currency` and `currency_argument`".to_owned())
            }
            (None, _, true) => Err("`minor_units` needs a `currency`".to_owned()),
        }
    }

    /// Reads the amount of a JSON text, in millionths.
    fn amount<'j>(
        &self,
        json: &str,
        argument: impl Fn(&str) -> Option<&'j str>,
    ) -> Result<(BudgetUnit, u64), InvalidAmount> {
        match self {
            Self::Decimal(unit) => Ok((*unit, money::millionths(decimal(json)?)?)),
            Self::MinorUnits(unit) => {
                let minor = json.parse().map_err(|_| InvalidAmount::NotDecimal)?;
                Ok((*unit, money::from_minor_units(*unit, minor)?))
            }
            Self::DecimalBeside(name) => {
                let code = argument(name).ok_or(InvalidAmount::UnknownCurrency)?;
                let code: Cow<'_, str> =
                    serde_json::from_str(code).map_err(|_| InvalidAmount::UnknownCurrency)?;
                Ok((money::unit(&code)?, money::millionths(decimal(json)?)?))
            }
            Self::Money => money::amount_of(json),
        }
    }
}

/// Reads a decimal number: a JSON string, or a JSON number that no reader rounds.
fn decimal(json: &str) -> Result<Decimal, InvalidAmount> {
    if json.starts_with('"') {
        let text: Cow<'_, str> =
            serde_json::from_str(json).map_err(|_| InvalidAmount::NotDecimal)?;
        return money::decimal(&text);
    }
    money::json_number(json)
}
