// Verifies a request, which stands on standard input as JSON with `secret`, `headers` and `body`, with the library of
// Standard Webhooks: node verify.mjs MODULES. Prints the type of the event, or the error.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.argv[2], "verify.cjs"));
const { Webhook } = require("standardwebhooks");

const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
try {
  console.log(new Webhook(secret).verify(body, headers).type);
} catch (error) {
  console.log(String(error));
}
