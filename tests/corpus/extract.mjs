// Writes the corpus of tool outputs: node extract.mjs NODE_MODULES
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const modules = resolve(process.argv[2]);
const folder = new URL("outputs/", import.meta.url);
const require = createRequire(`${modules}/`);
const json = (path) => JSON.parse(readFileSync(`${modules}/${path}`, "utf8"));
const write = (name, data) => writeFileSync(new URL(`${name}.json`, folder), JSON.stringify(data) + "\n");

// Recorded responses of GitHub's REST API: the scenario, and the number of the response in it.
const recorded = {
  organization: ["get-organization", 0],
  repository: ["get-repository", 0],
  "search-issues": ["search-issues", 3],
  label: ["labels", 3],
  "created-issue": ["search-issues", 1],
  "issues-page": ["paginate-issues", 14],
  refs: ["git-refs", 6],
  commit: ["git-refs", 2],
  release: ["release-assets", 3],
  "release-asset": ["release-assets", 5],
  "project-cards": ["project-cards", 6],
  "branch-protection": ["branch-protection", 5],
  content: ["get-content", 0],
};
for (const [name, [scenario, at]] of Object.entries(recorded)) {
  const responses = json(`@octokit/fixtures/scenarios/api.github.com/${scenario}/raw-fixture.json`);
  write(`github-${name}`, responses[at].response);
}

// Webhooks: the first example of the event.
const events = [
  "check_run", "code_scanning_alert", "dependabot_alert", "deployment_status", "discussion",
  "installation_repositories", "issue_comment", "issues", "label", "marketplace_purchase",
  "member", "package", "projects_v2_item", "pull_request", "pull_request_review", "push",
  "release", "security_advisory", "star", "status", "workflow_job", "workflow_run",
];
const webhooks = json("@octokit/webhooks-examples/api.github.com/index.json");
for (const event of events) {
  const { examples } = webhooks.find((webhook) => webhook.name === event);
  write(`webhook-${event.replaceAll("_", "-")}`, examples[0]);
}

// Metadata of packages.
write("package-vega-datasets", json("vega-datasets/package.json"));
write("package-fixtures", json("@octokit/fixtures/package.json"));

// Tables, series and lists: the first rows of each.
const rows = {
  barley: 60, budgets: 60, burtin: 16, cars: 40, crimea: 24, driving: 55, "flights-2k": 80,
  gapminder: 60, income: 50, monarchs: 12, movies: 25, obesity: 50, ohlc: 44, penguins: 40,
  "political-contributions": 15, population: 80, "unemployment-across-industries": 60,
  "us-state-capitals": 50, "weekly-weather": 10, wheat: 52,
};
for (const [name, count] of Object.entries(rows)) {
  write(`data-${name}`, json(`vega-datasets/data/${name}.json`).slice(0, count));
}
const quakes = json("vega-datasets/data/earthquakes.json");
write("geojson-earthquakes", { ...quakes, features: quakes.features.slice(0, 20) });
const characters = json("vega-datasets/data/miserables.json");
write("graph-miserables", { nodes: characters.nodes.slice(0, 30), links: characters.links.slice(0, 60) });

write("countries", json("world-countries/countries.json").slice(0, 12));
write("licenses", Object.fromEntries(Object.entries(require("spdx-license-list")).slice(0, 60)));
const first = (object, count) => Object.fromEntries(Object.entries(object).slice(0, count));
write("css-properties", first(json("mdn-data/css/properties.json"), 20));
write("css-selectors", first(json("mdn-data/css/selectors.json"), 40));
