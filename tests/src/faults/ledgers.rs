//! The ledgers of a campaign's processes: each process has its own, and the parent adds up what they say was paid.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tool_runtime::ledger::{
    JsonLinesLedger, Ledger, LedgerQuery, RecordedSpending, RecordedSpendingOutcome,
};
use tool_runtime::policy::KeyRing;

use super::CampaignError;

/// The most records of a page.
const PAGE: usize = 1_000;

/// The amounts of the household that the ledgers have for one payment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RecordedPayment {
    /// The amounts of the calls that spent them, and of the repeats that got their answer.
    amounts: Vec<String>,
    /// The hashes of their idempotency keys.
    keys: Vec<String>,
    /// The number of calls that spent an amount.
    spending_calls: u32,
}

impl RecordedPayment {
    /// Returns whether all records agree on one payment of this amount, which at most one call spent.
    pub(super) fn is(&self, amount: &str) -> bool {
        let have_one_key = self.keys.windows(2).all(|pair| pair[0] == pair[1]);
        let agree = self.amounts.iter().all(|recorded| recorded == amount);
        !self.amounts.is_empty() && agree && have_one_key && self.spending_calls <= 1
    }

    fn add(&mut self, spending: RecordedSpending) {
        let Some(spent) = spending.spent.filter(|spent| *spent != "0.00") else { return };
        self.spending_calls += u32::from(spending.outcome == RecordedSpendingOutcome::Spent);
        self.amounts.push(spent);
        self.keys.extend(spending.key);
    }
}

/// Opens the ledger of this process.
pub(super) fn open(folder: &Path) -> Result<Ledger, CampaignError> {
    open_file(folder.join(format!("ledger-{}.jsonl", std::process::id())))
}

fn open_file(path: PathBuf) -> Result<Ledger, CampaignError> {
    let builder = Ledger::builder(KeyRing::new("payments", &[7; 32])?);
    // A killed process loses nothing that the system has taken.
    Ok(builder.open(JsonLinesLedger::options().sync(false).open(path)?)?)
}

/// Verifies all ledgers of a folder, and reads the payments by their traces, which are their keys.
pub(super) async fn payments(
    folder: &Path,
) -> Result<BTreeMap<String, RecordedPayment>, CampaignError> {
    let mut payments = BTreeMap::<String, RecordedPayment>::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let ledger = open_file(path)?;
        ledger.verify(&[]).await?;
        let mut query = LedgerQuery::new().limit(PAGE);
        loop {
            let page = ledger.find(query.clone()).await?;
            for (_, call) in page.records {
                let household = call.spending.into_iter();
                let household =
                    household.filter(|it| it.budget == "household" && it.unit != "calls");
                let payment = payments.entry(call.trace_id).or_default();
                household.for_each(|spending| payment.add(spending));
            }
            match page.next {
                Some(next) => query = query.after(next),
                None => break,
            }
        }
        ledger.close().await?;
    }
    payments.retain(|_, payment| !payment.amounts.is_empty());
    Ok(payments)
}
