//! The host: the guide's tools under one policy, with a ledger.

use std::env;
use std::error::Error;
use std::io::Write;

use tool_runtime::evidence::{
    EvidenceKeeper, EvidenceRequest, EvidenceStore, EvidenceVerdict, Vault,
};
use tool_runtime::ledger::{Ledger, PostgresLedger, SqliteLedger};
use tool_runtime::policy::{Policy, RateLimit, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::schema::Coerce;
use tool_runtime::store::{PostgresStore, SqliteStore};
use tool_runtime::trace::JsonLog;

use crate::files::Files;
use crate::guide::Guide;
use crate::tools::{
    CreateDraftContentTool, DrawSiteMapTool, GetNpcProfileTool, GetPromptActiveTool,
    GetSiteMapTool, LogUserEventTool, SearchContentTool,
};
use crate::{Options, secret};

/// The guide's runtime, and its ledger and files.
#[derive(Debug)]
pub struct Host {
    pub(crate) runtime: Runtime,
    pub(crate) ledger: Ledger,
    pub(crate) vault: Vault,
    /// The store that other servers share, if there is one.
    pub(crate) shared_store: Option<PostgresStore>,
    log: JsonLog,
}

impl Host {
    /// Opens the guide in the data folder of the options; each call writes a line of JSON to the log.
    ///
    /// # Errors
    /// The data folder or the database cannot be used.
    pub async fn open(
        options: &Options,
        log: impl Write + Send + 'static,
    ) -> Result<Self, Box<dyn Error>> {
        let files = Files::open(options)?;
        let database = options.database.clone().unwrap_or_else(|| files.guide());
        let guide = Guide::open(&database).await?;
        Self::start(guide, &files, options, log).await
    }

    /// Returns the runtime of the guide's tools.
    #[must_use]
    pub const fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Starts the guide's tools under a policy; each call writes a line of JSON to the log.
    pub(crate) async fn start(
        guide: Guide,
        files: &Files,
        options: &Options,
        log: impl Write + Send + 'static,
    ) -> Result<Self, Box<dyn Error>> {
        match &options.store {
            None => {
                let ledger = SqliteLedger::open(files.ledger())?;
                let ledger = Ledger::builder(files.keys()?).open(ledger)?;
                let store = SqliteStore::open(files.runtime())?;
                let policy = Policy::new().store(store.clone());
                Self::start_on(store, policy, ledger, guide, files, options, log)
            }
            // Each with a secret of its own, they could not read each other's tickets and evidence.
            Some(_) if options.secret.is_none() && env::var_os(secret::VARIABLE).is_none() => {
                Err(OneSecret.into())
            }
            Some(url) => {
                let store = PostgresStore::connect(url).await?;
                let ledger = PostgresLedger::open(&store, options.listen.to_string())?;
                let ledger = Ledger::builder(files.keys()?).open(ledger)?;
                let policy = Policy::new().store(store.clone()).share_limits(store.clone());
                let host =
                    Self::start_on(store.clone(), policy, ledger, guide, files, options, log)?;
                Ok(Self { shared_store: Some(store), ..host })
            }
        }
    }

    fn start_on(
        evidence: impl EvidenceStore,
        policy: Policy,
        ledger: Ledger,
        guide: Guide,
        files: &Files,
        options: &Options,
        log: impl Write + Send + 'static,
    ) -> Result<Self, Box<dyn Error>> {
        let vault = Vault::new(evidence, files.keys()?).with_authorizer(evidence_verdict);
        let keeper = EvidenceKeeper::new(vault, &ledger);
        let vault = keeper.vault().clone();
        let log = JsonLog::new(log)?;
        let rules = ToolPolicy::new().rate_limit(RateLimit::per_minute(options.calls_per_minute)?);
        let policy = policy.ticket_keys(files.keys()?).rules(rules);
        let drafts =
            if options.ask_first || options.console { Permission::Ask } else { Permission::Allow };
        let runtime = Runtime::builder()
            .state(guide)
            .tool::<GetNpcProfileTool>()
            .tool::<GetPromptActiveTool>()
            .tool::<GetSiteMapTool>()
            .tool::<DrawSiteMapTool>()
            .tool::<SearchContentTool>()
            .tool::<CreateDraftContentTool>()
            .tool::<LogUserEventTool>()
            // Writes need approval unless the host allows them. This host does: a draft is
            // invisible until an editor has published it, and an event only adds a row.
            .permission("create_draft_content", drafts)
            .permission("log_user_event", Permission::Allow)
            // Coercion is off, so that the server accepts only what its document admits.
            .coerce_reads(Coerce::Off)
            .policy(policy)
            .ledger(&ledger)
            .evidence(keeper)
            .observe(log.clone())
            .build()?;
        Ok(Self { runtime, ledger, vault, shared_store: None, log })
    }

    /// Writes the pending records, and closes the ledger.
    ///
    /// # Errors
    /// A record cannot be written.
    pub async fn close(&self) -> Result<(), Box<dyn Error>> {
        self.ledger.close().await?;
        let log = self.log.clone();
        tokio::task::spawn_blocking(move || log.flush()).await?;
        Ok(())
    }
}

/// The error of a shared store without a shared secret.
#[derive(Debug, thiserror::Error)]
#[error(
    "the servers of one store need one secret: name its file with --secret, or put 64 hexadecimal digits into {}",
    secret::VARIABLE
)]
struct OneSecret;

/// Decides which evidence callers with the scopes of `/evidence` can read: prompts belong to the
/// operator and stay sealed.
fn evidence_verdict(request: &EvidenceRequest<'_>) -> EvidenceVerdict {
    match request.snapshot() {
        Some(snapshot) if snapshot.tool() == "get_prompt_active" => EvidenceVerdict::AllowRedacted,
        _ => EvidenceVerdict::Allow,
    }
}
