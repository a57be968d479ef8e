//! Actors and client programs.

use schemars::JsonSchema;
use serde::{Serialize, de::Error as _};

use crate::{
    ContractError,
    contract_error::Problems,
    hidden::VISIBLE,
    wire::{self, reads, words},
};

/// The type of the actor that initiated a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("actor_type"))]
#[non_exhaustive]
pub enum ActorType {
    /// A person.
    User,
    /// A model.
    Agent,
    /// A program without a model, such as a scheduler.
    System,
}

words!(ActorType { User = "user", Agent = "agent", System = "system" });

/// The actor that initiated a call and is accountable for it.
///
/// ```
/// use tool_contracts::{Actor, ActorType};
///
/// let actor = Actor::new(ActorType::Agent, "assistant-1")?;
/// assert_eq!(actor.id(), "assistant-1");
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("actor"))]
pub struct Actor {
    /// The type of actor.
    #[serde(rename = "type")]
    kind: ActorType,
    /// The actor's id.
    #[schemars(length(min = 1), extend("pattern" = VISIBLE))]
    id: String,
}

impl Actor {
    /// Creates an actor.
    ///
    /// # Errors
    /// Returns an error if the id is empty or has hidden characters.
    pub fn new(kind: ActorType, id: impl Into<String>) -> Result<Self, ContractError> {
        let actor = Self { kind, id: id.into() };
        let mut problems = Problems::new("Actor");
        problems.filled("id", Some(&actor.id));
        problems.visible("id", Some(&actor.id));
        problems.finish().map(|()| actor)
    }

    /// Returns the type of actor.
    #[must_use]
    pub const fn kind(&self) -> ActorType {
        self.kind
    }

    /// Returns the actor's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// The type of the program that a call came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("client_app"))]
#[non_exhaustive]
pub enum ClientApp {
    /// A browser.
    Web,
    /// An app on iOS.
    Ios,
    /// An app on Android.
    Android,
}

words!(ClientApp { Web = "web", Ios = "ios", Android = "android" });

/// The program that a call came from.
///
/// ```
/// use tool_contracts::{Client, ClientApp};
///
/// let client = Client::new(ClientApp::Ios, "4.2.0")?;
/// assert_eq!(client.version(), "4.2.0");
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("client"))]
pub struct Client {
    /// The type of program.
    app: ClientApp,
    /// The program's version.
    #[schemars(length(min = 1))]
    version: String,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    /// Returns an error if the version is empty.
    pub fn new(app: ClientApp, version: impl Into<String>) -> Result<Self, ContractError> {
        let client = Self { app, version: version.into() };
        let mut problems = Problems::new("Client");
        problems.filled("version", Some(&client.version));
        problems.finish().map(|()| client)
    }

    /// Returns the type of program.
    #[must_use]
    pub const fn app(&self) -> ClientApp {
        self.app
    }

    /// Returns the program's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

reads! {
    Actor, "an actor";
    required kind = "type", nested ActorType;
    required id = "id", leaf wire::FilledText;
    => Actor::new(kind, id).map_err(|error| A::Error::custom(error.listed()))
}

reads! {
    Client, "a client";
    required app = "app", nested ClientApp;
    required version = "version", leaf wire::FilledText;
    => Ok(Client { app, version })
}
