// Serves a small local model by OpenAI's Chat Completions API, one request at a time:
// node serve.mjs NODE_MODULES MODEL.gguf [PORT]
import { createServer } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, modelPath] = process.argv.slice(2, 4).map((path) => resolve(path));
const port = Number(process.argv[4] ?? 8089);
const load = (path) => import(pathToFileURL(`${modules}/${path}`));
const { getLlama, LlamaCompletion } = await load("node-llama-cpp/dist/index.js");
const { Template } = await load("@huggingface/jinja/dist/index.js");

const contextSize = 8192;
const llama = await getLlama({ gpu: false, maxThreads: 2, build: "never", skipDownload: true, logLevel: "error" });
const model = await llama.loadModel({ modelPath });
const chat = new Template(model.fileInfo.metadata.tokenizer.chat_template);
const context = await model.createContext({ contextSize, threads: 2 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

async function answer({ messages, max_tokens: most = 512 }) {
  const prompt = model.tokenize(chat.render({ messages, add_generation_prompt: true }), true);
  const maxTokens = Math.min(most, contextSize - prompt.length - 8);
  if (maxTokens < 1) return { status: 400, body: { error: { message: "too long", type: "invalid_request_error" } } };
  const started = Date.now();
  const content = await completion.generateCompletion(prompt, { maxTokens, temperature: 0 });
  const output = model.tokenize(content).length;
  console.error(`${prompt.length} tokens read, ${output} of ${maxTokens} written, ${Math.round((Date.now() - started) / 1000)} s`);
  const choice = { index: 0, message: { role: "assistant", content }, finish_reason: output >= maxTokens ? "length" : "stop" };
  const usage = { prompt_tokens: prompt.length, completion_tokens: output, total_tokens: prompt.length + output };
  return { status: 200, body: { id: "chatcmpl-local", object: "chat.completion", created: 0, model: "local", choices: [choice], usage } };
}

let last = Promise.resolve();
createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  last = last.then(() => answer(JSON.parse(Buffer.concat(pieces))));
  const { status, body } = await last.catch((error) => ({ status: 500, body: { error: { message: String(error) } } }));
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(port, "127.0.0.1", () => console.error(`listening on 127.0.0.1:${port}`));
