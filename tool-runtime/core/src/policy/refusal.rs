//! Additions of the policies to refusals.

use crate::dispatch::refusal::Refusal;

impl Refusal {
    /// Tells the model to stop calling a tool that was refused this many times.
    pub(crate) fn tell_to_stop(&mut self, times: u32) {
        let message = format!(
            "{}; this is refusal {times} of this tool in this run: \
             stop calling it and say what is missing",
            self.detail.message()
        );
        let builder = self.detail.clone().into_builder().message(message);
        self.detail = builder.detail("stop", true).detail("refusals", times).build();
    }
}
