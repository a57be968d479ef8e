// Questions over small tables of the corpus, with answers computed from the rows.
import { readFileSync } from "node:fs";

const corpus = new URL("../../tests/corpus/outputs/", import.meta.url);
const document = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, corpus), "utf8"));

// The document, the number of its first rows, the field that identifies a row, two fields of
// numbers, and a field whose values are counted. The field of the rows if they are not the root.
const sources = [
  ["data-burtin", 10, "Bacteria", ["Penicillin", "Neomycin"], "Gram_Staining"],
  ["data-cars", 8, "Name", ["Horsepower", "Weight_in_lbs"], "Cylinders"],
  ["data-movies", 6, "Title", ["Production Budget", "IMDB Votes"], "MPAA Rating"],
  ["data-us-state-capitals", 12, "city", ["lat", "lon"], "state"],
  ["data-gapminder", 8, "year", ["pop", "life_expect"], "fertility"],
  ["data-driving", 10, "year", ["miles", "gas"], "side"],
  ["data-ohlc", 8, "date", ["open", "close"], "signal"],
  ["data-crimea", 8, "date", ["disease", "army_size"], "wounds"],
  ["data-obesity", 10, "state", ["rate", "id"], "rate"],
  ["graph-miserables", 12, "name", ["index", "group"], "group", "nodes"],
  ["data-unemployment-across-industries", 8, "month", ["count", "rate"], "series"],
  ["data-income", 8, "group", ["pct", "total"], "region"],
];

/** Returns the table that the worked examples are about; no question is about it. */
export function exampleTable() {
  const rows = document("data-barley").slice(0, 3);
  return {
    data: { barley: rows },
    questions: [
      fieldOfRow(rows[1], "site", "yield"),
      { kind: "rows", text: "How many rows are there?", answer: "3" },
      largest(rows, "site", "yield"),
    ],
  };
}

/** Returns every table with its questions. */
export function tables() {
  return sources.map(([name, count, key, numbers, counted, field]) => {
    const whole = document(name);
    const rows = (field ? whole[field] : whole).slice(0, count);
    const label = field ?? name.replace("data-", "").replaceAll("-", "_");
    return { name, data: { [label]: rows }, questions: about(rows, key, numbers, counted) };
  });
}

function about(rows, key, [first, second], counted) {
  const last = rows.length - 1;
  const middle = rows.length >> 1;
  return [
    fieldOfRow(rows[1], key, first),
    fieldOfRow(rows[middle], key, second),
    fieldOfRow(rows[last - 1], key, first),
    fieldOfRow(rows[last], key, second),
    { kind: "rows", text: "How many rows are there?", answer: String(rows.length) },
    rowsWith(rows, counted, rows[middle][counted]),
    largest(rows, key, first),
    greaterOfTwo(rows, key, first),
  ];
}

function fieldOfRow(row, key, field) {
  const text = `What is the ${field} of the row whose ${key} is ${row[key]}?`;
  return { kind: "field", text, answer: String(row[field]) };
}

function rowsWith(rows, field, value) {
  const count = rows.filter((row) => row[field] === value).length;
  return { kind: "count", text: `In how many rows is ${field} equal to ${value}?`, answer: String(count) };
}

function largest(rows, key, field) {
  const order = [...rows].sort((a, b) => b[field] - a[field]);
  if (order[0][field] === order[1][field]) throw new Error(`two rows have the largest ${field}`);
  return { kind: "largest", text: `What is the ${key} of the row with the largest ${field}?`, answer: String(order[0][key]) };
}

/** Asks about the first row and the next one that differs from it. */
function greaterOfTwo(rows, key, field) {
  const one = rows[0];
  const other = rows.find((row) => row[field] !== one[field]);
  const [less, greater] = [one, other].sort((a, b) => a[field] - b[field]);
  const text = `Which row has the larger ${field}: the one whose ${key} is ${one[key]}, or the one whose ${key} is ${other[key]}?`;
  return { kind: "two", text: `${text} Answer with its ${key}.`, answer: String(greater[key]), wrong: String(less[key]) };
}
