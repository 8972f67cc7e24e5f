/** Blocks and receipts in the forms of Otterscan's methods (API level 8): without what its pages do not show. */
import type { Address, Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import { type BlockMembers, ethHeader } from "./block.ts";
import { type BlockReceipts, ethReceipt } from "./receipt.ts";
import { ethTransactionText, paidPrice } from "./transaction.ts";

/** Returns a block with the number of its transactions instead of them, and without its bloom filter. */
export function otterscanBlock(chain: Chain, block: Block, members: BlockMembers): Record<string, unknown> {
  return {
    ...ethHeader(chain, block, { members }),
    size: toQuantity(block.size),
    uncles: [],
    logsBloom: null,
    transactionCount: block.transactions.length,
  };
}

/** Returns the sum of the fees of a block's transactions, in peb. */
export function feesPaid(chain: Chain, { block, receipts }: BlockReceipts): bigint {
  return block.transactions.reduce(
    (sum, tx, index) => sum + (receipts[index]?.gasUsed ?? 0n) * paidPrice(chain, tx, block),
    0n,
  );
}

const SELECTOR_TEXT = 10;

/** Returns a transaction of a block in Ethereum's form, with the selector of its input alone. */
export function shortTransaction(chain: Chain, block: Block, index: number): object {
  const tx = wholeTransaction(chain, block, index);
  return { ...tx, input: String(tx["input"]).slice(0, SELECTOR_TEXT) };
}

/** Returns a transaction of a block in Ethereum's form. */
export function wholeTransaction(chain: Chain, block: Block, index: number): Record<string, unknown> {
  const tx = block.transactions[index];
  if (tx === undefined) return {};
  return JSON.parse(ethTransactionText(chain, tx, { block, index })) as Record<string, unknown>; // an object's text
}

/** Returns a receipt without its logs and its bloom filter. */
export function shortReceipt(chain: Chain, all: BlockReceipts, index: number): object {
  return sortKeys({ ...ethReceipt(chain, all, index), logs: null, logsBloom: null });
}

/** Returns a receipt with the time of its block. */
export function timedReceipt(chain: Chain, all: BlockReceipts, index: number): object {
  return sortKeys({ ...ethReceipt(chain, all, index), timestamp: all.block.header.time });
}

/** Returns the reward of a block, which no uncles share. */
export function issuance(minted: bigint): object {
  const amount = toQuantity(minted);
  return { blockReward: amount, uncleReward: "0x0", issuance: amount };
}

/** Returns a creation in the form of `ots_getContractCreator`. */
export function contractCreator(hash: Hash, creator: Address): object {
  return { hash: toHex(hash), creator: toHex(creator) };
}
