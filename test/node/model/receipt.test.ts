/** Tests of receipts in both encodings. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { bloomMayHold, bloomOf, EMPTY_BLOOM, mergeBlooms } from "../../../node/model/bloom.ts";
import { listRoot } from "../../../node/model/list-root.ts";
import {
  decodeStoredReceipts,
  encodeReceipt,
  encodeReceipts,
  encodeStoredReceipts,
  loggedReceipts,
  type Receipt,
  readLoggedReceipts,
} from "../../../node/model/receipt.ts";
import { STATUS_SUCCESS, STATUS_TEXTS } from "../../../node/model/receipt-status.ts";
import { type ReceiptSample, receiptSamples } from "./samples.ts";

function receiptOf(json: ReceiptSample["receipts"][number]): Receipt {
  return {
    status: Number(json.txError ?? json.status),
    gasUsed: BigInt(json.gasUsed),
    bloom: fromHex(json.logsBloom),
    logs: json.logs.map(({ address, topics, data }) => ({
      address: fromHex(address),
      topics: topics.map(fromHex),
      data: fromHex(data),
    })),
    transactionHash: fromHex(json.transactionHash),
    contractAddress: json.contractAddress === null ? undefined : fromHex(json.contractAddress),
  };
}

const blocks = receiptSamples().map((sample) => ({ ...sample, receipts: sample.receipts.map(receiptOf) }));
const all = blocks.flatMap(({ receipts }) => receipts);

test("recorded receipts have their block's receipts root and bloom", () => {
  expect(new Set(blocks.map(({ deriveShaImpl }) => deriveShaImpl))).toEqual(new Set([0, 2]));
  for (const { receipts, receiptsRoot, logsBloom, deriveShaImpl } of blocks) {
    const encoded = encodeReceipts(receipts);
    expect(toHex(listRoot(deriveShaImpl, encoded))).toBe(receiptsRoot);
    expect(encoded).toEqual(receipts.map(encodeReceipt));
    expect(toHex(mergeBlooms(receipts.map(({ bloom }) => bloom)))).toBe(logsBloom);
  }
});

test("a recorded receipt's bloom follows from its logs and covers them", () => {
  expect(all.some(({ logs }) => logs.length > 0)).toBe(true);
  for (const { logs, bloom } of all) {
    expect(toHex(bloomOf(logs))).toBe(toHex(bloom));
    for (const { address, topics } of logs) {
      expect([address, ...topics].every((value) => bloomMayHold(bloom, value))).toBe(true);
      expect(bloomMayHold(EMPTY_BLOOM, address)).toBe(false);
    }
  }
});

test("the bloom of logs is that of each of them, whatever one repeats of the one before", () => {
  const logs = all.flatMap((receipt) => receipt.logs);
  const repeated = logs.flatMap((log, at) => [log, { ...log, topics: log.topics.slice(at % 3) }, log]);
  expect(toHex(bloomOf(repeated))).toBe(toHex(mergeBlooms(repeated.map((log) => bloomOf([log])))));
});

test("stored receipts come back whole, bloom included", () => {
  expect(decodeStoredReceipts(encodeStoredReceipts(all))).toEqual(all);
  expect(decodeStoredReceipts(encodeStoredReceipts([]))).toEqual([]);
});

test("receipts with logs are found among stored ones with their places", () => {
  const mixed = [
    ...all,
    ...blocks.flatMap(({ receipts }) => receipts.map((each) => ({ ...each, logs: [] }))),
    ...all,
  ];
  const found = readLoggedReceipts(encodeStoredReceipts(mixed));
  expect(found).toEqual(loggedReceipts(mixed));
  expect(found.map(({ transactionIndex }) => mixed[transactionIndex]?.transactionHash)).toEqual(
    found.map(({ transactionHash }) => transactionHash),
  );
  const logs = mixed.flatMap((receipt) => receipt.logs);
  for (const { logs: own, logsBefore } of found)
    expect(logs.slice(logsBefore, logsBefore + own.length)).toEqual(own);
});

test("a receipt without logs takes about 40 bytes in the database", () => {
  const receipt: Receipt = {
    status: STATUS_SUCCESS,
    gasUsed: 21_000n,
    bloom: EMPTY_BLOOM,
    logs: [],
    transactionHash: new Uint8Array(32).fill(1),
    contractAddress: undefined,
  };
  expect(encodeStoredReceipts([receipt]).length).toBeLessThan(45);
  expect(decodeStoredReceipts(encodeStoredReceipts([receipt]))).toEqual([receipt]);
});

test("a bloom of another length has no consensus form", () => {
  const [receipt] = all;
  if (receipt === undefined) throw new Error("there are samples");
  expect(() => encodeReceipt({ ...receipt, bloom: new Uint8Array(255) })).toThrow("256 bytes");
});

test("every status from 2 to 0x1e has a text", () => {
  expect([...STATUS_TEXTS.keys()]).toEqual(Array.from({ length: 0x1d }, (_, i) => i + 2));
});

test.each(["0x", "0xc1c0", "0x80", "0xc0c0"])("%s is refused as stored receipts", (bytes) => {
  expect(() => decodeStoredReceipts(fromHex(bytes))).toThrow(/rlp|bytes after/);
  expect(() => readLoggedReceipts(fromHex(bytes))).toThrow(/rlp|bytes after/);
});
