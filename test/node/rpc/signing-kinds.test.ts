/** Signing of every Kaia transaction type, by senders and fee payers. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { addressOfPublicKey } from "../../../node/crypto/secp256k1.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { payerKeys, senderKeys } from "../../../node/model/transaction-signers.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import type { TransactionType } from "../../../node/model/transaction-type.ts";
import { aSigningNode, refusalOf, type SigningNode } from "./signing-fixture.ts";

let node: SigningNode;
let rich: string;
let payer: string;
const to = `0x${"77".repeat(20)}`;

/** Tags of the Go node's fields that are not the name of the member. */
const TAGS: Readonly<Record<string, string>> = {
  accessList: "accessList,omitempty",
  chainId: "chainId,omitempty",
};

beforeAll(async () => {
  node = await aSigningNode();
  ({ rich, payer } = node);
});
afterAll(async () => node[Symbol.asyncDispose]());

function signersOf(keys: readonly Uint8Array[]): string[] {
  return keys.map((key) => toHex(addressOfPublicKey(key)));
}

/** Values of the members that a type may have. */
const MEMBERS: Readonly<Record<string, string | number | boolean>> = {
  to,
  value: "0x5",
  input: "0x6001",
  codeFormat: 0,
  humanReadable: false,
  key: "0x01c0",
  feeRatio: 30,
};

/** The members that a type needs besides sender, gas, price and nonce. */
function membersOf(type: TransactionType): Record<string, string | number | boolean> {
  const content = {
    nonce: 0n,
    gas: 0n,
    gasFeeCap: 0n,
    gasTipCap: 0n,
    value: 0n,
    to: fromHex(to),
    input: fromHex("0x"),
    chainId: undefined,
    fields: {},
  };
  const json = type.json(type.creates(content) ? { ...content, to: undefined } : content);
  const own = Object.entries(MEMBERS).filter(([name]) => (json[name] ?? null) !== null);
  return { ...Object.fromEntries(own), ...(type.payerDigest === undefined ? {} : { feePayer: payer }) };
}

const families = transactionTypes.filter(({ code }) => code > 0 && code < 0x100);

function argumentsOf(type: TransactionType): Record<string, unknown> {
  const price = { gas: "0x30d40", gasPrice: "0x5d21dba00", nonce: "0x7" };
  return { from: rich, ...price, typeInt: type.code, ...membersOf(type) };
}

describe.each(families.map((type) => [type.name, type] as const))("%s", (name, type) => {
  test("is signed by its sender, and the JSON has its members", async () => {
    const { raw, tx } = await node.call("chain_signTransaction", [argumentsOf(type)]);
    const decoded = decodeTransaction(fromHex(raw));
    expect(decoded.type).toBe(type);
    expect(signersOf(senderKeys(decoded, node.chainId))).toEqual([rich]);
    const shown = Object.entries(membersOf(type)).map(([member, value]) => [
      member,
      typeof value === "number" ? `0x${value.toString(16)}` : value,
    ]);
    const head = { typeInt: type.code, type: name, from: rich, nonce: "0x7", hash: toHex(decoded.hash) };
    expect(tx).toMatchObject({ ...head, ...Object.fromEntries(shown) });
  });

  test("requires its members and refuses others", async () => {
    const all = argumentsOf(type);
    for (const member of Object.keys(membersOf(type))) {
      const { [member]: _, ...rest } = all;
      expect(await node.call("chain_signTransaction", [rest])).toEqual(
        refusalOf(`json:"${member}" is required for ${name}`),
      );
    }
    const others = {
      data: "0x01",
      maxFeePerGas: "0x1",
      chainId: "0x1",
      accessList: [],
      ...MEMBERS,
      feePayer: to,
    };
    for (const [member, value] of Object.entries(others)) {
      if (member in membersOf(type) || (member === "to" && "codeFormat" in membersOf(type))) continue;
      expect(await node.call("chain_signTransaction", [{ ...all, [member]: value }])).toEqual(
        refusalOf(`json:"${TAGS[member] ?? member}" is not a field of ${name}`),
      );
    }
  });
});

const delegated = families.filter(({ payerDigest }) => payerDigest !== undefined);

test.each(delegated.map((type) => [type.name, type] as const))(
  "%s is signed by its fee payer before or after its sender",
  async (_name, type) => {
    const { tx: bySender } = await node.call("chain_signTransaction", [argumentsOf(type)]);
    const { signatures } = bySender;
    const { raw, tx } = await node.call("chain_signTransactionAsFeePayer", [
      { ...argumentsOf(type), signatures },
    ]);
    const decoded = decodeTransaction(fromHex(raw));
    expect(signersOf(senderKeys(decoded, node.chainId))).toEqual([rich]);
    expect(signersOf(payerKeys(decoded, node.chainId))).toEqual([payer]);
    const early = await node.call("chain_signTransactionAsFeePayer", [argumentsOf(type)]);
    expect(early.tx["signatures"]).toEqual([]);
    expect(early.tx["feePayerSignatures"]).toEqual(tx["feePayerSignatures"]);
  },
);

test("a fee payer's request needs all members that the sender signed", async () => {
  const { typeInt, nonce, gas, gasPrice, ...rest } = argumentsOf(delegated[0] as TransactionType);
  const steps = [
    ["tx should have a type value", {}],
    ["nonce of the sender is not set", { typeInt }],
    ["gas limit is not set", { nonce }],
    ["gas price is not set", { gas }],
    ["sender signature is not set", { gasPrice }],
  ] as const;
  let said: object = rest;
  for (const [message, next] of steps) {
    said = { ...said, ...next };
    expect(await node.call("personal_sendTransactionAsFeePayer", [said, ""])).toEqual(refusalOf(message));
    expect(await node.call("chain_sendTransactionAsFeePayer", [said])).toEqual(refusalOf(message));
  }
  const plain = { ...argumentsOf(families[0] as TransactionType), signatures: [] };
  expect(await node.call("chain_sendTransactionAsFeePayer", [plain])).toEqual(
    refusalOf("invalid fee payer is set"),
  );
});

test("a sender cannot send a transaction that needs a fee payer", async () => {
  const text = "invalid fee payer: invalid account key";
  const transaction = argumentsOf(delegated[0] as TransactionType);
  expect(await node.call("chain_sendTransaction", [transaction])).toEqual(refusalOf(text));
  expect(await node.call("personal_sendTransaction", [transaction, ""])).toEqual(refusalOf(text));
});
