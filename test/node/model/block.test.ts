/** Tests of blocks, against recorded ones. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { encodeRlpList, listItems } from "../../../node/bytes/rlp.ts";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { parseExactJson } from "../../../node/config/exact-json.ts";
import { rulesAt } from "../../../node/config/rules.ts";
import { createBlock, decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { listRoot } from "../../../node/model/list-root.ts";
import { effectivePrice, senderOf } from "../../../node/model/transaction.ts";
import { transactionFields } from "../../../node/model/transaction-json.ts";
import { blockSamples, genesisSamples, sampleBlock, transferBlockJson, transferBlocks } from "./samples.ts";

function configOf(chain: string) {
  const text = genesisSamples().find(({ name }) => name === chain)?.text ?? "{}";
  return parseChainConfig((parseExactJson(text) as { config: unknown }).config);
}

test("recorded blocks go both ways, and their transactions show what the Go node showed", () => {
  for (const sample of blockSamples()) {
    const bytes = fromHex(sample.rlp);
    const block = decodeBlock(bytes);
    const rules = rulesAt(configOf(sample.chain), sample.number);
    expect(toHex(encodeBlock(block))).toBe(sample.rlp);
    expect(block.size).toBe(bytes.length);
    expect(createBlock(block.header, block.transactions)).toMatchObject({
      hash: block.hash,
      size: block.size,
    });
    const raws = block.transactions.map(({ raw }) => raw);
    expect(toHex(listRoot(sample.deriveShaImpl, raws))).toBe(sample.transactionsRoot);
    for (const [i, tx] of block.transactions.entries()) {
      const price = effectivePrice(tx, block.header.baseFee, rules);
      expect(`0x${price.toString(16)}`).toBe(sample.effective[i]);
      const { hash, from, ...expected } = sample.transactions[i] ?? {};
      const { blockHash: _, blockNumber: _n, transactionIndex: _t, senderTxHash: _s, ...own } = expected;
      expect(transactionFields(tx, price)).toEqual(own);
      expect(toHex(tx.hash)).toBe(hash);
      expect(toHex(senderOf(tx, BigInt(sample.chainId)))).toBe(from);
    }
  }
});

test("a chain of 3100 transfers goes both ways, with every hash and transactions root", () => {
  const recorded = transferBlockJson();
  const blocks = transferBlocks().map((item) => ({ item, block: decodeBlock(item) }));
  expect(blocks).toHaveLength(recorded.length);
  for (const [number, { item, block }] of blocks.entries()) {
    const json = recorded[number];
    expect(toHex(block.hash)).toBe(json?.hash);
    expect(Buffer.compare(encodeBlock(block), item.raw)).toBe(0);
    expect(
      toHex(
        listRoot(
          2,
          block.transactions.map(({ raw }) => raw),
        ),
      ),
    ).toBe(json?.transactionsRoot);
    expect(block.transactions.map(({ hash }) => toHex(hash))).toEqual(
      json?.transactions.map(({ hash }) => hash),
    );
  }
  expect(blocks.reduce((sum, { block }) => sum + block.transactions.length, 0)).toBe(3_100);
});

test("senders of recorded transfers are recovered", () => {
  const recorded = transferBlockJson();
  const number = recorded.findIndex(({ transactions }) => transactions.length > 0);
  const item = transferBlocks()[number];
  if (item === undefined) throw new Error("the chain has transactions");
  const senders = decodeBlock(item)
    .transactions.slice(0, 50)
    .map((tx) => toHex(senderOf(tx, 9001n)));
  const expected = recorded[number]?.transactions.map(({ from }) => from);
  expect(senders).toEqual(expected?.slice(0, 50));
});

test("a block is a list of exactly a header and a list", () => {
  const bytes = sampleBlock("prague");
  const [header, body] = listItems({ isList: true, payload: bytes.subarray(3), raw: bytes }).map(
    ({ raw }) => raw,
  );
  if (header === undefined || body === undefined) throw new Error("a block has two parts");
  expect(() => decodeBlock(encodeRlpList([header]))).toThrow("rlp: too few elements for types.extblock");
  expect(() => decodeBlock(encodeRlpList([header, body, body]))).toThrow("nothing else");
  expect(() => decodeBlock(encodeRlpList([header, Uint8Array.of(0x80)]))).toThrow("rlp");
  expect(() => decodeBlock(Uint8Array.of(0x80))).toThrow("a block is a list");
  expect(() => decodeBlock(Uint8Array.of(...bytes, 0))).toThrow("bytes after");
});
