/** Tests of the recovery of senders ahead of the calls of a batch. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { decodeChainTransaction } from "../../../node/calls/raw-transaction.ts";
import { SenderPrefetch } from "../../../node/calls/sender-prefetch.ts";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { aSigner, aTransaction } from "../../support/pool-transactions.ts";
import { aCall, anEndpoint, aSession } from "./fixture.ts";

const raws = Array.from({ length: 70 }, (_, i) => toHex(aTransaction({ from: aSigner(i + 1) }).raw));

const atOnce = (): undefined => undefined;

/** A method that returns the hash of its transaction, with a log of the prefetches. */
function aTaker() {
  const recovered: Transaction[][] = [];
  const taken: (Transaction | undefined)[] = [];
  const ahead = new SenderPrefetch({
    read: decodeChainTransaction,
    recover: async (transactions) => void recovered.push([...transactions]),
  });
  const row = method({
    name: "chain_sendRawTransaction",
    summary: "",
    params: { raw: ahead.codec },
    result: text,
    prefetch: {
      prepare: (calls, pause) => ahead.readAll(calls, pause),
      forget: (calls) => ahead.forget(calls),
    },
    handle: ({ raw }) => {
      taken.push("transaction" in raw ? raw.transaction : undefined);
      return toHex(ahead.transactionOf(raw).hash);
    },
  });
  return { endpoint: anEndpoint({ methods: [row] }), recovered, taken, ahead };
}

const batchOf = (given: readonly unknown[]) =>
  `[${given.map((raw, i) => aCall("chain_sendRawTransaction", [raw], i)).join(",")}]`;

test("the senders of a large batch are recovered together, and each call gets its transaction", async () => {
  const { endpoint, recovered, taken } = aTaker();
  const answers = JSON.parse(String(await endpoint.answer(batchOf(raws), aSession))) as { result: string }[];
  expect(answers.map(({ result }) => result)).toEqual(
    raws.map((raw) => toHex(decodeChainTransaction(fromHex(raw)).hash)),
  );
  expect(recovered).toHaveLength(1);
  expect(taken).toEqual(recovered[0]);
});

test("a small batch runs without prefetch", () => {
  const { endpoint, recovered } = aTaker();
  expect(typeof endpoint.answer(batchOf(raws.slice(0, 7)), aSession)).toBe("string");
  expect(recovered).toEqual([]);
});

test("malformed transactions are refused by their calls, and copies are decoded by themselves", async () => {
  const { endpoint, recovered, taken } = aTaker();
  const odd = [...raws.slice(0, 64), raws[0], "0xc0", "zz", 5, null, { raw: "0x" }];
  const answers = JSON.parse(String(await endpoint.answer(batchOf(odd), aSession))) as {
    error?: { message: string };
  }[];
  expect(answers.slice(64).map(({ error }) => error?.message ?? "taken")).toEqual([
    "taken",
    "rlp: too few elements for types.TxInternalDataLegacy",
    "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type hexutil.Bytes",
    "invalid argument 0: json: cannot unmarshal non-string into Go value of type hexutil.Bytes",
    "invalid argument 0: json: cannot unmarshal non-string into Go value of type hexutil.Bytes",
    "invalid argument 0: json: cannot unmarshal non-string into Go value of type hexutil.Bytes",
  ]);
  expect(recovered[0]).toHaveLength(65);
  expect(taken[64]).toBeUndefined();
});

test("unused transactions are deleted, and the prefetch stays below its limit", async () => {
  const { ahead } = aTaker();
  const calls = raws.map((raw) => [raw]);
  await ahead.readAll(calls, atOnce);
  ahead.forget(calls.slice(1));
  expect(ahead.codec.decode(raws[1])).toEqual({ raw: fromHex(raws[1] ?? "0x") });
  expect(ahead.codec.decode(raws[0])).toHaveProperty("transaction");
  const long = toHex(aTransaction({ input: new Uint8Array(120_000), gas: 20_000_000 }).raw);
  const copies = Array.from({ length: 40 }, (_, i) => {
    return toHex(aTransaction({ input: new Uint8Array(120_000), gas: 20_000_000 + i }).raw);
  });
  await ahead.readAll(
    copies.map((raw) => [raw]),
    atOnce,
  );
  const held = copies.filter((raw) => "transaction" in ahead.codec.decode(raw));
  expect(held).toHaveLength(Math.floor((8 * 1024 * 1024) / long.length));
});
