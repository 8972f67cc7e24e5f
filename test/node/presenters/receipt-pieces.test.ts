/** Receipts with many logs, written in pieces. */
import { expect, test } from "@jest/globals";
import type { Chain } from "../../../node/chain/chain.ts";
import { goJson } from "../../../node/jsonrpc/json-text.ts";
import { createBlock } from "../../../node/model/block.ts";
import { EMPTY_BLOOM } from "../../../node/model/bloom.ts";
import type { Receipt } from "../../../node/model/receipt.ts";
import { type BlockReceipts, type FormatReceipt, logsOf } from "../../../node/presenters/receipt.ts";
import {
  blockReceiptPieces,
  receiptPieces,
  type TextPieces,
} from "../../../node/presenters/receipt-pieces.ts";
import { bareHeader } from "../../support/bare-header.ts";
import { aTransfer } from "../../support/protocol-node.ts";

const LOGS = [0, 1000, 256, 257];

function aReceipt(count: number, place: number): Receipt {
  const logs = Array.from({ length: count }, (_, at) => ({
    address: new Uint8Array(20).fill(place),
    topics: [],
    data: Uint8Array.of(at & 255),
  }));
  const transactionHash = aTransfer(place).hash;
  return { status: 1, gasUsed: 1n, bloom: EMPTY_BLOOM, logs, transactionHash, contractAddress: undefined };
}

const all: BlockReceipts = {
  block: createBlock(
    bareHeader({ number: 1 }),
    LOGS.map((_, place) => aTransfer(place)),
  ),
  receipts: LOGS.map(aReceipt),
  logsBefore: [0, 0, 1000, 1256],
  cumulativeGas: [1n, 2n, 3n, 4n],
  form: { contractAddress: "deployments", gasPrice: "paid" },
};
const chain = {} as Chain; // the format below reads nothing of it
const format: FormatReceipt = (_chain, receipts, index) => ({
  gasUsed: "0x1",
  logs: logsOf(receipts, index),
  transactionIndex: index,
});

function textOf({ count, write }: TextPieces): string {
  return Array.from({ length: count }, (_, piece) => write(piece)).join("");
}

test("the pieces of a receipt make up its text", () => {
  const pieces = LOGS.map((_, index) => receiptPieces(chain, all, index, format));
  expect(pieces.map(({ count }) => count)).toEqual([1, 4, 1, 2]);
  expect(pieces.map(textOf)).toEqual(LOGS.map((_, index) => goJson(format(chain, all, index))));
});

test("the pieces of a block's receipts make up a list", () => {
  const pieces = blockReceiptPieces(chain, all, format);
  expect(pieces.count).toBe(8);
  expect(textOf(pieces)).toBe(LOGS.map((_, index) => goJson(format(chain, all, index))).join(","));
});
