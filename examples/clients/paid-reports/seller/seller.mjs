// A seller of two reports, by x402 version 2 through the published packages. The facilitator, which would settle on a
// chain, is replaced by one on loopback: it verifies the payer's signature, and keeps a list of what it has settled.
//
//   node seller.mjs [PORT]
//
// It prints `listening on http://127.0.0.1:PORT`; port 0, the default, is any free one.
import { createHash } from "node:crypto";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import express from "express";
import { recoverTypedDataAddress } from "viem";

// A network that the packages know the token of. Nothing contacts it.
const NETWORK = "eip155:84532";
const SELLER = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const REPORTS = {
  "/weather": { price: "$0.01", description: "The weather of today", content: { city: "Utrecht", celsius: 17 } },
  "/report": { price: "$5.00", description: "The rain of a year", content: { title: "Rain", pages: 42 } },
};
const TRANSFER = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

const listen = (app, port) =>
  new Promise((resolve, reject) => {
    const server = app.listen(port, "127.0.0.1", (error) => (error ? reject(error) : resolve(server.address().port)));
  });

const settlements = [];
const usedNonces = new Set();
const nonceKey = ({ from, nonce }) => `${from}:${nonce}`.toLowerCase();

/** Returns the address that has signed the authorization. */
const signerOf = ({ signature, authorization }, required) =>
  recoverTypedDataAddress({
    domain: {
      name: required.extra.name,
      version: required.extra.version,
      chainId: Number(required.network.split(":")[1]),
      verifyingContract: required.asset,
    },
    types: { TransferWithAuthorization: TRANSFER },
    primaryType: "TransferWithAuthorization",
    message: authorization,
    signature,
  });

/** Returns the reason to refuse a payment, in the words of the published facilitator; none if it is good. */
async function refusal({ payload }, required) {
  const { authorization } = payload;
  const now = Math.floor(Date.now() / 1000);
  const signer = await signerOf(payload, required).catch(() => "");
  if (signer.toLowerCase() !== authorization.from.toLowerCase()) return "invalid_exact_evm_signature";
  if (authorization.to.toLowerCase() !== required.payTo.toLowerCase()) return "invalid_exact_evm_recipient_mismatch";
  if (authorization.value !== required.amount) return "invalid_exact_evm_payload_authorization_value_mismatch";
  if (Number(authorization.validBefore) < now + 6) return "invalid_exact_evm_payload_authorization_valid_before";
  if (Number(authorization.validAfter) > now) return "invalid_exact_evm_payload_authorization_valid_after";
  if (usedNonces.has(nonceKey(authorization))) return "invalid_exact_evm_nonce_already_used";
  return undefined;
}

const facilitator = express().use(express.json());
facilitator.get("/supported", (_, response) => {
  response.json({ kinds: [{ x402Version: 2, scheme: "exact", network: NETWORK }], extensions: [], signers: {} });
});
facilitator.post("/verify", async ({ body }, response) => {
  const invalidReason = await refusal(body.paymentPayload, body.paymentRequirements);
  response.json({ isValid: !invalidReason, invalidReason, payer: body.paymentPayload.payload.authorization.from });
});
facilitator.post("/settle", async ({ body }, response) => {
  const { authorization } = body.paymentPayload.payload;
  const { from: payer, nonce, value: amount } = authorization;
  // Another request may have used the nonce since it was verified.
  const errorReason = await refusal(body.paymentPayload, body.paymentRequirements);
  if (errorReason) {
    response.json({ success: false, errorReason, payer, transaction: "", network: NETWORK });
    return;
  }
  usedNonces.add(nonceKey(authorization));
  const transaction = "0x" + createHash("sha256").update(nonceKey(authorization)).digest("hex");
  settlements.push({ transaction, amount, payer, nonce });
  // Every second receipt leaves out the amount, as the published facilitator of this scheme does.
  const receipt = { success: true, transaction, network: NETWORK, payer };
  response.json(settlements.length % 2 ? { ...receipt, amount } : receipt);
});

const url = `http://127.0.0.1:${await listen(facilitator, 0)}`;
const x402 = new x402ResourceServer(new HTTPFacilitatorClient({ url })).register(NETWORK, new ExactEvmScheme());
x402.onAfterSettle(async ({ result, transportContext }) => {
  const settlement = settlements.find(({ transaction }) => transaction === result.transaction);
  settlement.path = transportContext.request.path;
});
const routes = Object.entries(REPORTS).map(([path, { price, description }]) => [
  `GET ${path}`,
  { accepts: { scheme: "exact", network: NETWORK, price, payTo: SELLER }, description, mimeType: "application/json" },
]);
const seller = express();
seller.get("/settled", (_, response) => response.json({ settlements }));
seller.use(paymentMiddleware(Object.fromEntries(routes), x402));
for (const [path, { content }] of Object.entries(REPORTS)) {
  seller.get(path, (_, response) => response.json(content));
}
console.log(`listening on http://127.0.0.1:${await listen(seller, Number(process.argv[2] ?? 0))}`);
