//! The shipped data: sites, people and texts. `data/README.md` names the sources.

use serde::Deserialize;
use tool_runtime::Uuid;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::serde_json::{self, Map, Value, json};

use super::{Guide, NewContent, Place, Poi, Route, at};
use crate::store::{Statement, StoreError};

#[derive(Debug, Deserialize)]
pub(crate) struct Village {
    pub(crate) sites: Vec<SiteSeed>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SiteSeed {
    pub(crate) tenant: String,
    pub(crate) site_id: String,
    name: String,
    pois: Vec<Poi>,
    routes: Vec<Route>,
    npcs: Vec<NpcSeed>,
    pub(crate) contents: Vec<NewContent>,
}

#[derive(Debug, Deserialize)]
struct NpcSeed {
    npc_id: String,
    versions: Vec<ProfileSeed>,
    prompts: Vec<PromptSeed>,
}

#[derive(Debug, Deserialize)]
struct ProfileSeed {
    version: i64,
    active: bool,
    name: String,
    persona: Map<String, Value>,
    knowledge_domains: Vec<String>,
    greeting_templates: Vec<String>,
    max_response_length: i64,
    must_cite_sources: bool,
}

#[derive(Debug, Deserialize)]
struct PromptSeed {
    #[serde(rename = "type")]
    kind: String,
    version: i64,
    active: bool,
    text: String,
}

const VILLAGE: &str = include_str!("../../data/village.json");
const CLASSICS: &str = include_str!("../../data/classics.jsonl");
const ENGLISH: &str = include_str!("../../data/english.jsonl");

/// The site of the classics.
const CLASSICS_AT: &str = "yantian-main";

/// The time at which the texts were taken from their sources.
const MADE_AT: &str = "2026-11-22T00:00:00Z";

impl Guide {
    /// Writes each shipped site that does not exist; existing sites are unchanged.
    pub(super) async fn seed(&self) -> Result<(), StoreError> {
        for site in village()?.sites {
            let place = Place::new(tenant(&site.tenant)?, site.site_id.as_str());
            self.store.write(self.filling(&place, site)).await?;
        }
        Ok(())
    }

    /// Makes the statements that write a site; the first one changes nothing if it exists.
    fn filling(&self, place: &Place, site: SiteSeed) -> Vec<Statement> {
        let sql = "INSERT INTO sites (tenant_id, site_id, name) VALUES ($1, $2, $3)
                   ON CONFLICT DO NOTHING";
        let mut statements = vec![at(place, sql, [site.name.into()])];
        statements
            .extend((0..).zip(&site.pois).map(|(position, poi)| poi_row(place, position, poi)));
        let routes = (0..).zip(&site.routes);
        statements.extend(routes.map(|(position, route)| route_row(place, position, route)));
        for npc in &site.npcs {
            let profiles = npc.versions.iter();
            statements.extend(profiles.map(|profile| profile_row(place, &npc.npc_id, profile)));
            let prompts = npc.prompts.iter();
            statements.extend(prompts.map(|prompt| prompt_row(place, &npc.npc_id, prompt)));
        }
        for mut content in site.contents {
            MADE_AT.clone_into(&mut content.created_at);
            statements.extend(self.writing(place, &content));
        }
        statements
    }
}

/// Reads the shipped data, with the texts at their site.
pub(crate) fn village() -> Result<Village, StoreError> {
    let mut village: Village = serde_json::from_str(VILLAGE)?;
    let texts = CLASSICS.lines().chain(ENGLISH.lines()).map(serde_json::from_str);
    let texts = texts.collect::<Result<Vec<NewContent>, _>>()?;
    let told = village.sites.iter_mut().find(|site| site.site_id == CLASSICS_AT);
    if let Some(site) = told {
        site.contents.extend(texts);
    }
    Ok(village)
}

pub(crate) fn tenant(slug: &str) -> Result<Uuid, StoreError> {
    Tenant::parse(slug).map(|tenant| tenant.id()).map_err(|_| StoreError::Seed)
}

fn poi_row(place: &Place, position: i64, poi: &Poi) -> Statement {
    let sql = "INSERT INTO pois (tenant_id, site_id, id, position, name, type)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let Poi { id, name, kind } = poi;
    let text = |text: &String| text.as_str().into();
    at(place, sql, [text(id), position.into(), text(name), text(kind)])
}

fn route_row(place: &Place, position: i64, route: &Route) -> Statement {
    let sql = "INSERT INTO routes (tenant_id, site_id, id, position, name, minutes, pois)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let Route { id, name, minutes, pois } = route;
    let pois = json!(pois).to_string();
    let text = |text: &String| text.as_str().into();
    at(place, sql, [text(id), position.into(), text(name), (*minutes).into(), pois.into()])
}

fn profile_row(place: &Place, npc_id: &str, profile: &ProfileSeed) -> Statement {
    let sql =
        "INSERT INTO npc_profiles (tenant_id, site_id, npc_id, version, active, name, persona,
                   knowledge_domains, greeting_templates, max_response_length, must_cite_sources)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let values = [
        npc_id.into(),
        profile.version.into(),
        profile.active.into(),
        profile.name.as_str().into(),
        json!(profile.persona).to_string().into(),
        json!(profile.knowledge_domains).to_string().into(),
        json!(profile.greeting_templates).to_string().into(),
        profile.max_response_length.into(),
        profile.must_cite_sources.into(),
    ];
    at(place, sql, values)
}

fn prompt_row(place: &Place, npc_id: &str, prompt: &PromptSeed) -> Statement {
    let sql = "INSERT INTO prompts (tenant_id, site_id, npc_id, type, version, active, prompt_text)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values = [
        npc_id.into(),
        prompt.kind.as_str().into(),
        prompt.version.into(),
        prompt.active.into(),
        prompt.text.as_str().into(),
    ];
    at(place, sql, values)
}
