// The reference implementation of TOON: node oracle.mjs NODE_MODULES (encode | decode | fixtures)
// `encode` takes a document a line and prints its text as JSON; `decode` takes a text as JSON a line
// and prints its document, or null where it is refused; `fixtures` prints a fixture a line.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, mode] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { decode, encode } = await import(pathToFileURL(require.resolve("@toon-format/toon")));
const print = (value) => process.stdout.write(JSON.stringify(value) + "\n");

if (mode === "fixtures") {
  for (const kind of ["encode", "decode"]) {
    const folder = `${modules}/@toon-format/spec/tests/fixtures/${kind}`;
    for (const file of readdirSync(folder)) {
      for (const test of JSON.parse(readFileSync(`${folder}/${file}`, "utf8")).tests) {
        print({ kind, file, ...test });
      }
    }
  }
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    if (mode === "encode") print(encode(JSON.parse(line)));
    else {
      try {
        print({ document: decode(JSON.parse(line)) });
      } catch {
        print(null);
      }
    }
  }
}
