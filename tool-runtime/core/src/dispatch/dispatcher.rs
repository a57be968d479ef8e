//! The parts of a runtime that take part in each call, as the pipeline uses them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::call_record::{CallFacts, CallRecord, Observe};
use super::execution_policy::ExecutionPolicy;
use super::hooks::{CallInstrument, CallRecorder, EvidenceCollector};
use super::outcome::CallOutcome;
use crate::failure::FailureCode;
use crate::metrics::{CallMetrics, Meter};
use crate::tool::registry::ToolCatalogue;
use crate::tool::{Environment, catch_panic};

/// Takes the calls of one runtime through the pipeline.
pub struct Dispatcher {
    pub(crate) environment: Arc<Environment>,
    pub(crate) policy: Option<Arc<dyn ExecutionPolicy>>,
    pub(crate) recorder: Option<Arc<dyn CallRecorder>>,
    pub(crate) evidence_collector: Option<Arc<dyn EvidenceCollector>>,
    pub(crate) instrument: Option<Arc<dyn CallInstrument>>,
    pub(crate) observers: Vec<Arc<dyn Observe>>,
    /// Set once the calls are to be measured: by the builder's meter, or by a router.
    pub(crate) metrics: OnceLock<Arc<CallMetrics>>,
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher").finish_non_exhaustive()
    }
}

impl Dispatcher {
    pub(crate) fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    pub(crate) fn policy(&self) -> Option<&dyn ExecutionPolicy> {
        self.policy.as_deref()
    }

    pub(crate) fn recorder(&self) -> Option<&dyn CallRecorder> {
        self.recorder.as_deref()
    }

    pub(crate) fn evidence_collector(&self) -> Option<&dyn EvidenceCollector> {
        self.evidence_collector.as_deref()
    }

    pub(crate) fn instrument(&self) -> Option<&dyn CallInstrument> {
        self.instrument.as_deref()
    }

    pub fn metrics(&self) -> Option<&CallMetrics> {
        self.metrics.get().map(|metrics| &**metrics)
    }

    /// Measures the calls from now on, and exports the metrics by the meter, unless they are
    /// measured already.
    pub fn measure(&self, meter: Option<Meter>) -> &Arc<CallMetrics> {
        self.metrics.get_or_init(|| {
            let catalogue = self.environment.tools();
            Arc::new(CallMetrics::new(measured(&catalogue), meter))
        })
    }

    /// Measures the calls of these tools by their names too, if calls are measured.
    pub(crate) fn measure_tools(&self, catalogue: &ToolCatalogue) {
        if let Some(metrics) = self.metrics() {
            metrics.add_tools(measured(catalogue));
        }
    }

    /// Passes the record of an ended call to the recorder, the instrument, the metrics and every
    /// observer.
    ///
    /// Returns the number of the record if the answer has to wait for it.
    pub(crate) fn close(&self, facts: CallFacts<'_>, ended: &CallOutcome) -> Option<u64> {
        let is_instrumented = facts.is_instrumented;
        let record = CallRecord::new(facts, ended);
        // A panic of an observer must not lose the call's answer.
        let number = self.recorder().map(|recorder| catch_panic(|| recorder.call_ended(&record)));
        let number = number.and_then(Result::unwrap_or_default);
        let concerned = |it: &&dyn CallInstrument| is_instrumented || it.is_enabled();
        if let Some(instrument) = self.instrument().filter(concerned) {
            drop(catch_panic(|| instrument.call_ended(&record)));
        }
        if let Some(metrics) = self.metrics() {
            drop(catch_panic(|| metrics.ended(&record)));
        }
        for observer in &self.observers {
            drop(catch_panic(|| observer.call_ended(&record)));
        }
        number
    }
}

/// Returns the names and the declared error codes of the tools.
fn measured(catalogue: &ToolCatalogue) -> impl Iterator<Item = (&str, &[FailureCode])> {
    catalogue.iter().map(|entry| (entry.tool.spec.name(), &*entry.tool.codes))
}
