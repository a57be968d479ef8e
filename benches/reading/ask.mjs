// Asks a small local model about tables, once as compact JSON and once as TOON:
// node ask.mjs NODE_MODULES MODEL.gguf [--examples] [--answers FILE]
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exampleTable, tables } from "./questions.mjs";

const [modules, modelPath] = process.argv.slice(2, 4).map((path) => resolve(path));
const withExamples = process.argv.includes("--examples");
const answersFile = process.argv.includes("--answers") ? process.argv[process.argv.indexOf("--answers") + 1] : null;
const load = (path) => import(pathToFileURL(`${modules}/${path}`));
const { getLlama, LlamaCompletion } = await load("node-llama-cpp/dist/index.js");
const { Template } = await load("@huggingface/jinja/dist/index.js");
const { encode } = await load("@toon-format/toon/dist/index.mjs");

const INSTRUCTION = "Answer the question about the data with the value alone, without a sentence.";
// The line is `SerializationFormat::Toon.model_note()`.
const NOTE = "The data is in TOON: `name[N]{a,b}:` is followed by N rows with the values of a and b.";
const formats = {
  json: (data) => JSON.stringify(data),
  toon: (data) => `${NOTE}\n${encode(data)}`,
  "no data": () => "",
};

const messages = (write, data, question) => {
  const turn = (text, { text: asked, answer }) => [
    { role: "user", content: `${text}\n\n${asked}`.trim() },
    { role: "assistant", content: answer },
  ];
  const example = exampleTable();
  const shown = withExamples ? example.questions.flatMap((asked) => turn(write(example.data), asked)) : [];
  return [{ role: "system", content: INSTRUCTION }, ...shown, ...turn(write(data), question).slice(0, -1)];
};

/** A model without a chat template gets the same turns as plain text. */
const plainText = (turns) => {
  const text = { system: (c) => `${c}\n\n`, user: (c) => `${c}\nAnswer: `, assistant: (c) => `${c}\n\n` };
  return turns.map(({ role, content }) => text[role](content)).join("").trimEnd();
};

const llama = await getLlama({ gpu: false, maxThreads: 1, build: "never", skipDownload: true, logLevel: "error" });
const model = await llama.loadModel({ modelPath });
const template = model.fileInfo.metadata.tokenizer.chat_template;
const chat = template ? new Template(template) : null;
const context = await model.createContext({ contextSize: 4096, threads: 1 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

async function ask(turns) {
  const text = chat ? chat.render({ messages: turns, add_generation_prompt: true }) : plainText(turns);
  const prompt = model.tokenize(text, true);
  if (prompt.length > 4000) throw new Error(`${prompt.length} tokens do not fit`);
  const answer = await completion.generateCompletion(prompt, { maxTokens: 40, temperature: 0, customStopTriggers: chat ? [] : ["\n"] });
  return { answer, tokens: prompt.length };
}

const bare = (text) => text.trim().replace(/^["'`]+|["'`.]+$/g, "").trim();
const holds = (text, value) => {
  const at = text.indexOf(value);
  const inWord = (character) => /[\p{L}\d]/u.test(character ?? " ");
  const joins = at > 0 && /[-.\d]/.test(text[at - 1]) && /^\d/.test(value);
  const goesOn = /^[.,]?\d/.test(text.slice(at + value.length)) && /\d$/.test(value);
  return at >= 0 && !joins && !goesOn && !inWord(text[at - 1]) && !inWord(text[at + value.length]);
};

const results = [];
const started = Date.now();
for (const { name, data, questions } of tables()) {
  for (const [format, write] of Object.entries(formats)) {
    for (const question of questions) {
      const { answer, tokens } = await ask(messages(write, data, question));
      const exact = bare(answer) === question.answer;
      const contained = holds(answer, question.answer) && !(question.wrong && holds(answer, question.wrong));
      console.error(`${results.length + 1} ${format} ${name}: ${tokens} tokens, ${Math.round((Date.now() - started) / 1000)} s`);
      results.push({ name, format, kind: question.kind, text: question.text, expected: question.answer, answer, tokens, exact, contained });
    }
  }
}
if (answersFile) writeFileSync(answersFile, results.map((result) => JSON.stringify(result) + "\n").join(""));

const of = (format, test) => results.filter((result) => result.format === format && test(result));
const share = (format, kind, mark) => {
  const asked = of(format, (result) => kind === "all" || result.kind === kind);
  return `${asked.filter((result) => result[mark]).length}/${asked.length}`;
};
const columns = [["json", "exact"], ["toon", "exact"], ["no data", "exact"], ["json", "contained"], ["toon", "contained"], ["no data", "contained"]];
console.log(`| questions | ${columns.map(([format, mark]) => `${format}, ${mark}`).join(" | ")} |`);
console.log(`| --- |${" --- |".repeat(columns.length)}`);
for (const kind of ["field", "rows", "count", "largest", "two", "all"]) {
  console.log(`| ${kind} | ${columns.map(([format, mark]) => share(format, kind, mark)).join(" | ")} |`);
}
const pairs = of("json", () => true).map((json, at) => [json.exact, of("toon", () => true)[at].exact]);
const both = (json, toon) => pairs.filter((pair) => pair[0] === json && pair[1] === toon).length;
const tokens = (format) => of(format, () => true).reduce((sum, result) => sum + result.tokens, 0);
console.log(
  `reading: questions=${pairs.length} both=${both(true, true)} json_only=${both(true, false)} toon_only=${both(false, true)} neither=${both(false, false)} prompt_tokens_toon_vs_json=${(tokens("toon") / tokens("json")).toFixed(3)}`,
);
process.exit(0);
