/** `debug`: raw and printed blocks, bad blocks, and rewinding of the chain. */
import { bareHex, toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import {
  type BlockReference,
  blockNumber,
  blockReference,
  resolveNumber,
} from "../calls/arguments/block-number.ts";
import { findBlock } from "../calls/lookup.ts";
import { decodeEitherTransaction } from "../calls/raw-transaction.ts";
import { requireBadBlocks } from "../calls/traces/traced-blocks.ts";
import type { Chain } from "../chain/chain.ts";
import { data, listOf } from "../jsonrpc/codecs/hex.ts";
import { nothing, plain, text, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { type Block, encodeBlock } from "../model/block.ts";
import { type BlockMembers, chainBlock } from "../presenters/block.ts";
import { printBlock } from "../presenters/print-block.ts";

/** Dependencies of the methods about stored blocks. */
export interface DebugChainDeps {
  readonly chain: Chain;
  readonly blockMembers: BlockMembers;
  /** Rewinds the chain to an earlier block. Rejects with `ChainError` `no-block`. */
  readonly setHead: (number: number) => Promise<void>;
}

/** The methods of `debug` about stored blocks. */
export function debugChainMethods(deps: DebugChainDeps): Method[] {
  const { chain } = deps;
  return [
    method({
      name: "debug_getBlockRlp",
      summary: "Returns the RLP of a block, as hex without 0x.",
      params: { block: blockReference },
      result: text,
      handle: ({ block }) => bareHex(encodeBlock(requireBlock(chain, block))),
    }),
    method({
      name: "debug_printBlock",
      summary: "Returns a block as readable text.",
      privilege: "process",
      params: { block: blockReference },
      result: text,
      handle: ({ block }) => printBlock(requireBlock(chain, block)),
    }),
    method({
      name: "debug_getBadBlocks",
      summary: "Returns the bad blocks with all their transactions, the highest numbers first.",
      params: {},
      result: writtenAs("{hash, block}[]", arraySchema(objectSchema("{hash, block}"))),
      handle: () => badBlocksText(deps),
    }),
    method({
      name: "debug_setHead",
      summary: "Rewinds the chain to an earlier block whose state is stored.",
      privilege: "process",
      params: { number: blockNumber },
      result: nothing,
      handle: async ({ number }) => {
        await deps.setHead(resolveNumber(chain.head().header.number, number));
        return undefined;
      },
    }),
    ...gaslessMethods(),
  ];
}

async function badBlocksText({ chain, blockMembers: members }: DebugChainDeps): Promise<string> {
  const entries = requireBadBlocks(chain.badBlocks()).map(async ({ block }) => {
    const shown = await chainBlock(chain, block, { members, full: true });
    return `{"hash":"${toHex(block.hash)}","block":${shown}}`;
  });
  return `[${(await Promise.all(entries)).join(",")}]`;
}

/** Returns the referenced block. Like the Go node's, the error names no block. */
function requireBlock(chain: Chain, reference: BlockReference | undefined): Block {
  if (reference === undefined) throw failure("block  not found");
  const { hash, number } = reference;
  const block = hash === undefined ? findBlock(chain, number) : chain.blockByHash(hash);
  if (block !== undefined) return block;
  throw failure(hash === undefined ? `block #${number} not found` : `block ${toHex(hash)} not found`);
}

const NO_ROUTER = `0x${"0".repeat(40)}`;
/** The Go node's default. */
const MAX_BUNDLE_TRANSACTIONS = 100;

/** The methods about gasless transactions. The node has no swap router and allows no token. */
function gaslessMethods(): Method[] {
  return [
    method({
      name: "debug_gaslessInfo",
      summary: "Returns the gasless configuration. No token can pay for gas.",
      params: {},
      result: plain<object>("{isDisabled, swapRouter, allowedTokens, maxBundleTxs}"),
      handle: () => ({
        isDisabled: false,
        swapRouter: NO_ROUTER,
        allowedTokens: [],
        maxBundleTxs: MAX_BUNDLE_TRANSACTIONS,
      }),
    }),
    method({
      name: "debug_isGaslessTx",
      summary: "Always returns false, with a reason: no token can pay for gas.",
      params: { transactions: listOf(data, "[]hexutil.Bytes") },
      result: plain<object>("{isGasless, reason}"),
      handle: ({ transactions }) => ({ isGasless: false, reason: notGasless(transactions) }),
    }),
  ];
}

/** Returns why transactions are not gasless, in the order of `IsGaslessTx` (`kaiax/gasless/impl/api.go@v2.2.2`). */
function notGasless(transactions: readonly Uint8Array[]): string {
  for (const [index, raw] of transactions.entries()) {
    if (raw.length === 0) return `empty transaction at index ${index}`;
    try {
      decodeEitherTransaction(raw);
    } catch (error) {
      return `failed to decode transaction at index ${index}: ${messageOf(error)}`;
    }
  }
  switch (transactions.length) {
    case 0:
      return "no transactions provided";
    case 1:
      return "transaction is not a swap transaction";
    case 2:
      return "first transaction is not an approve transaction";
    default:
      return `expected 1 or 2 transactions, got ${transactions.length}`;
  }
}
