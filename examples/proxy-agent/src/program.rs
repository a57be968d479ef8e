//! The program's actions for each set of options.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use axum::http::StatusCode;

use crate::PythonFunctions;
use crate::demo::conversation::{Conversation, SavedRun, Verdict};
use crate::demo::{conversation, failures, question};
use crate::host::FUNCTIONS;
use crate::servers::RatesServer;
use crate::{DataFolder, Host, Models, Options, data_folder, script, transcript};

/// The data folder of a conversation that is suspended, unless the options name one.
const DATA_FOLDER: &str = "proxy-agent-data";

/// The file in which the demonstration itself keeps its suspended run.
const SUSPENDED: &str = "suspended.json";

/// The name under which the demonstration itself approves.
const DEMO: &str = "demo";

/// Runs the program by its command line.
///
/// # Errors
/// A file or a server cannot be used, or a model does not answer.
pub async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let folder = folder(options)?;
    // The first request fails, so that the demonstration shows a retry.
    let rates = RatesServer::start([StatusCode::SERVICE_UNAVAILABLE]).await?;
    let models = Models::start(options).await?;
    transcript::begins(&models, &rates, &folder);
    let functions = PythonFunctions::of(FUNCTIONS);
    let functions = if options.no_network { functions.without_network() } else { functions };
    let program = Program { folder, rates, models, functions };
    match (&options.suspend, &options.resume) {
        (Some(file), _) => program.suspend(file).await,
        (None, Some(file)) => program.resume(file, options.approve.as_deref()).await,
        (None, None) => program.demonstrate().await,
    }
}

fn folder(options: &Options) -> Result<DataFolder, Box<dyn Error>> {
    let waits = options.suspend.is_some() || options.resume.is_some();
    match &options.data_dir {
        Some(path) => Ok(DataFolder::open(path)?),
        None if waits => Ok(DataFolder::open(Path::new(DATA_FOLDER))?),
        None => Ok(DataFolder::temporary()?),
    }
}

/// The files and servers of one run of the program.
struct Program {
    folder: DataFolder,
    rates: RatesServer,
    models: Models,
    functions: PythonFunctions,
}

impl Program {
    async fn host(&self) -> Result<Host, Box<dyn Error>> {
        Host::with_functions(&self.folder, self.rates.url(), &self.functions).await
    }

    /// Runs all parts of the demonstration.
    async fn demonstrate(&self) -> Result<(), Box<dyn Error>> {
        let host = self.host().await?;
        if !host.has_toolkit("python") {
            transcript::note(
                "left out: the Python functions, since there is no Python 3.10 or newer",
            );
        }
        transcript::heading("1. A question, with the tools that it needs");
        transcript::says("person", question::QUESTION);
        let answered = question::answer(&host, &self.models).await?;
        transcript::answered(&question::required_tools(&host)?, &answered);

        transcript::heading("2. A conversation, in which the model calls the tools");
        let file = self.folder.path().join(SUSPENDED);
        self.converse(&host, &file).await?;
        drop(host);
        self.continue_with_a_second_runtime(&file).await?;

        transcript::heading("3. Failures of the model's server");
        self.show_failures().await
    }

    /// Runs the conversation, and keeps it in a file if it waits for a person.
    async fn converse(&self, host: &Host, file: &Path) -> Result<(), Box<dyn Error>> {
        transcript::says("person", conversation::TASK);
        let conversation = Conversation::begin(host, &self.models).await?;
        transcript::turns(&conversation.report, 0);
        keep(&conversation, file)
    }

    /// Continues the suspended conversation as another process would: from the file alone.
    async fn continue_with_a_second_runtime(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        while file.exists() {
            let saved = read(file)?;
            fs::remove_file(file)?;
            transcript::note("a second runtime on the same store reads the file");
            let host = self.host().await?;
            show_waiting(&saved, &host).await?;
            self.approve(saved, &host, DEMO, file).await?;
        }
        Ok(())
    }

    /// Approves what waits, continues the conversation, and keeps it if a call waits again.
    async fn approve(
        &self,
        saved: SavedRun,
        host: &Host,
        name: &str,
        file: &Path,
    ) -> Result<(), Box<dyn Error>> {
        transcript::note(&format!("{name} approves"));
        let conversation = saved.decide(Verdict::ApprovedBy(name), host, &self.models).await?;
        transcript::turns_after_the_decision(&conversation.report);
        keep(&conversation, file)
    }

    async fn show_failures(&self) -> Result<(), Box<dyn Error>> {
        let Models::Scripted(server) = &self.models else {
            transcript::note("left out: a real server does not fail on request");
            return Ok(());
        };
        let started = Instant::now();
        let (_, pieces) = failures::busy(&self.models).await?;
        let responses = server.responses_of(script::BUSY);
        transcript::busy(&responses, started.elapsed(), &pieces);
        let reply = failures::broken(&self.models).await?;
        transcript::broken(&server.responses_of(script::BROKEN), &reply);
        let started = Instant::now();
        match failures::slow(&self.models).await {
            Ok(_) => Err("a model that never answers has answered".into()),
            Err(error) => {
                transcript::slow(&error, started.elapsed());
                Ok(())
            }
        }
    }

    /// Runs the conversation alone, until a call waits for a person.
    async fn suspend(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        self.converse(&self.host().await?, file).await?;
        transcript::how_to_continue(file, &self.folder);
        Ok(())
    }

    /// Continues the conversation of a file; without a name it only shows what waits.
    async fn resume(&self, file: &Path, name: Option<&str>) -> Result<(), Box<dyn Error>> {
        let saved = read(file)?;
        let host = self.host().await?;
        show_waiting(&saved, &host).await?;
        if let Some(name) = name {
            return self.approve(saved, &host, name, file).await;
        }
        transcript::note("it still waits; --approve NAME approves it");
        Ok(())
    }
}

fn keep(conversation: &Conversation, file: &Path) -> Result<(), Box<dyn Error>> {
    let Some(saved) = conversation.saved() else { return Ok(()) };
    let text = serde_json::to_vec(&saved)?;
    data_folder::private_file(file)?.write_all(&text)?;
    transcript::suspended(&saved, text.len());
    Ok(())
}

/// Shows the calls that wait to their approver.
///
/// # Errors
/// A call waits no longer, because its ticket was used or has expired.
async fn show_waiting(saved: &SavedRun, host: &Host) -> Result<(), Box<dyn Error>> {
    for call in saved.waiting(host).await? {
        transcript::waiting(&call)?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<SavedRun, Box<dyn Error>> {
    let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let saved = serde_json::from_slice(&text);
    Ok(saved.map_err(|_| format!("{}: expected a suspended run", file.display()))?)
}
