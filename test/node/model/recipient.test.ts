/** Recipients: the zero address is none in some types, and types about the sender's own account name the sender. */
import { expect, test } from "@jest/globals";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { ethereumRecipient, recipientOf } from "../../../node/model/recipient.ts";
import { signTransaction, type Transaction } from "../../../node/model/transaction.ts";

const KEY = new Uint8Array(32).fill(7);
const OWN = addressOfKey(KEY);
const ZERO = new Uint8Array(20);
const OTHER = new Uint8Array(20).fill(1);

function aTransaction(code: number, to: Uint8Array | undefined): Transaction {
  const content = { nonce: 0n, gas: 1n, gasFeeCap: 1n, gasTipCap: 1n, value: 0n, input: new Uint8Array(0) };
  const fields = code === 0 ? {} : { from: OWN };
  return signTransaction({ code, to, ...content, fields }, 1n, (digest) => sign(digest, KEY));
}

test.each([
  ["a legacy transaction to the zero address", 0, ZERO, ZERO, ZERO],
  ["a transfer of the chain's own to the zero address", 0x08, ZERO, undefined, undefined],
  ["one with a memo", 0x10, ZERO, undefined, undefined],
  ["a call of the chain's own to the zero address", 0x30, ZERO, undefined, undefined],
  ["a transfer to somebody", 0x08, OTHER, OTHER, OTHER],
  ["one that uses up a nonce", 0x38, undefined, undefined, OWN],
])("%s", (_what, code, to, recipient, ethereum) => {
  const tx = aTransaction(code, to);
  expect([recipientOf(tx), ethereumRecipient(tx)]).toEqual([recipient, ethereum]);
});
