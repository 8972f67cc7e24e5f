/** Tests of the JSON of every transaction type. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import type { Chain } from "../../../node/chain/chain.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import type { Block } from "../../../node/model/block.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { chainTransaction, ethTransactionText } from "../../../node/presenters/transaction.ts";
import { aGenesisBlock, aHeader } from "../../support/headers.ts";

/** Recorded JSON of a transaction from a Go node, in both forms. */
interface Answers {
  readonly type: string;
  readonly raw: string;
  readonly baseFee: string;
  readonly chain: string;
  readonly eth: string;
}

const packed = readFileSync(new URL("../../vectors/samples/transaction-answers.json.gz", import.meta.url));
const samples = JSON.parse(gunzipSync(packed).toString()) as readonly Answers[];

test.each(samples.map((sample) => [sample.type, sample] as const))(
  "%s is shown as the Go node shows it, in both forms, to the byte",
  (_type, { raw, baseFee, chain: chainText, eth }) => {
    const tx = decodeTransaction(fromHex(raw));
    const { blockHash, blockNumber, transactionIndex } = JSON.parse(chainText) as Record<string, string>;
    const header = {
      ...aHeader(aGenesisBlock([]), []),
      number: Number(blockNumber),
      baseFee: BigInt(baseFee),
    };
    const block: Block = { header, transactions: [], hash: fromHex(blockHash ?? ""), size: 0 };
    // The views ask a chain for these two alone.
    const chain = {
      config: { chainId: 13_408n },
      rules: () => ({ ...BASE_RULES, effectivePrice: "base-fee-and-tip" }),
    } as unknown as Chain;
    const place = { block, index: Number(transactionIndex) };
    expect(JSON.stringify(chainTransaction(chain, tx, place))).toBe(chainText);
    expect(ethTransactionText(chain, tx, place)).toBe(eth);
  },
);

test("the samples cover nearly every transaction type", () => {
  expect(samples).toHaveLength(20);
});
