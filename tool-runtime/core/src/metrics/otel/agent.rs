//! The methods of the instruments that only the metrics of agents use.

use super::{AttributeValue, Histogram, attributes};

impl Histogram {
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub(crate) fn record_count<const N: usize>(&self, count: u64, values: [AttributeValue; N]) {
        self.0.record(count as f64, &attributes(self.1, values));
    }
}
