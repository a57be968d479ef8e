#!/usr/bin/env bash
# Guess:     a server that takes payments by x402 settles one when it delivers what was paid for, so that an answer
#            without content costs nothing, as one with an error status does.
# Behaviour: @x402/express settles after the handler has run, and looks at the status alone: below 400 it settles. That
#            includes `204 No Content`, a redirect, and the `304 Not Modified` that express itself makes of a 200 when
#            the request has the present ETag in `If-None-Match`: a buyer that revalidates a copy which it has bought
#            pays again, and gets nothing.
# Versions:  @x402/express, @x402/core and @x402/evm 2.27.0, express 5.3.0, with Node.js 20.20.2.
# Output:    200 settled=1
#            204 settled=1
#            302 settled=1
#            304 settled=1
#            404 settled=0
#            503 settled=0
# Seen on:   2026-11-30
#
# Cure: a seller throws or answers 404 where it has nothing to sell, and turns off ETags on paid paths; a buyer sends no
# conditional request with a payment.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >package.json <<'JSON'
{ "private": true, "type": "module",
  "dependencies": { "@x402/core": "2.27.0", "@x402/evm": "2.27.0", "@x402/express": "2.27.0", "express": "5.3.0" } }
JSON
npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts
cat >paid.mjs <<'JS'
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import express from "express";

const NETWORK = "eip155:84532";
const RECEIVER = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
let settled = 0;
// Stands for the party that settles on a chain: it accepts each payment, and counts the settlements.
const facilitator = {
  getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: "exact", network: NETWORK }], extensions: [], signers: {} }),
  verify: async () => ({ isValid: true, payer: RECEIVER }),
  settle: async () => {
    settled += 1;
    return { success: true, transaction: "0x" + "1".repeat(64), network: NETWORK, payer: RECEIVER };
  },
};
const accepts = { scheme: "exact", network: NETWORK, price: "$0.01", payTo: RECEIVER };
const server = new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme());
const app = express();
app.use(paymentMiddleware({ "GET /paid": { accepts, description: "a page", mimeType: "text/plain" } }, server));
app.get("/paid", (request, response) => {
  const status = Number(request.query.status);
  if (status === 302) response.redirect("/elsewhere");
  else if (status === 200) response.send("the content");
  else response.status(status).end();
});
const listener = app.listen(0, "127.0.0.1", async () => {
  const page = `http://127.0.0.1:${listener.address().port}/paid`;
  const offer = await fetch(page);
  const { accepts: [accepted] } = JSON.parse(atob(offer.headers.get("payment-required")));
  const authorization = {
    from: RECEIVER, to: RECEIVER, value: accepted.amount, validAfter: "0", validBefore: "99999999999", nonce: "0x" + "2".repeat(64),
  };
  const payment = { x402Version: 2, accepted, payload: { signature: "0x" + "3".repeat(130), authorization } };
  const headers = { "payment-signature": btoa(JSON.stringify(payment)) };
  const buy = async (status, more = {}) => {
    const before = settled;
    const answer = await fetch(`${page}?status=${status}`, { headers: { ...headers, ...more }, redirect: "manual" });
    console.log(`${answer.status} settled=${settled - before}`);
    return answer;
  };
  const bought = await buy(200);
  await buy(204);
  await buy(302);
  await buy(200, { "if-none-match": bought.headers.get("etag"), "cache-control": "max-age=0" });
  await buy(404);
  await buy(503);
  listener.close();
});
JS
node paid.mjs | tee seen
diff - seen <<'EXPECTED'
200 settled=1
204 settled=1
302 settled=1
304 settled=1
404 settled=0
503 settled=0
EXPECTED
