/** `debug`: blocks as they are stored, refused blocks, and the chain taken back. */
import { bareHex, toHex } from "../bytes/hex.ts";
import {
  type BlockReference,
  blockNumber,
  blockReference,
  numberAt,
} from "../calls/arguments/block-number.ts";
import { findBlock } from "../calls/lookup.ts";
import { requireBadBlocks } from "../calls/traces/traced-blocks.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { data, listOf } from "../jsonrpc/codecs/hex.ts";
import { nothing, plain, text, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { type Block, encodeBlock } from "../model/block.ts";
import { chainBlock } from "../presenters/block.ts";
import { printBlock } from "../presenters/print-block.ts";

/** What these methods read and steer. */
export interface DebugChainParts {
  readonly chain: Chain;
  readonly profile: Pick<RpcProfile, "hasGasless" | "line" | "shownGasLimit">;
  /** Takes the chain back to an earlier block. Rejects with `ChainError` `no-block`. */
  readonly setHead: (number: number) => Promise<void>;
}

/** The methods. */
export function debugChainMethods(parts: DebugChainParts): Method[] {
  const { chain } = parts;
  return [
    method({
      name: "debug_getBlockRlp",
      summary: "A block's RLP, as hex without 0x.",
      params: { block: blockReference },
      result: text,
      handle: ({ block }) => bareHex(encodeBlock(found(chain, block))),
    }),
    method({
      name: "debug_printBlock",
      summary: "A block as text for people.",
      privilege: "process",
      params: { block: blockReference },
      result: text,
      handle: ({ block }) => printBlock(found(chain, block)),
    }),
    method({
      name: "debug_getBadBlocks",
      summary: "Blocks that broke a rule, with all their transactions, the highest numbers first.",
      params: {},
      result: writtenAs("{hash, block}[]", arraySchema(objectSchema("{hash, block}"))),
      handle: () => badBlocksText(parts),
    }),
    method({
      name: "debug_setHead",
      summary: "Takes the chain back to an earlier block, as far as states are kept.",
      privilege: "process",
      params: { number: blockNumber },
      result: nothing,
      handle: async ({ number }) => {
        await parts.setHead(numberAt(chain.head().header.number, number));
        return undefined;
      },
    }),
    ...(parts.profile.hasGasless ? gaslessMethods() : []),
  ];
}

async function badBlocksText({
  chain,
  profile,
}: Pick<DebugChainParts, "chain" | "profile">): Promise<string> {
  const entries = requireBadBlocks(chain.badBlocks()).map(async ({ block }) => {
    const shown = await chainBlock(chain, block, { profile, full: true });
    return `{"hash":"${toHex(block.hash)}","block":${shown}}`;
  });
  return `[${(await Promise.all(entries)).join(",")}]`;
}

/** The Go node leaves out what was not named. */
function found(chain: Chain, reference: BlockReference | undefined): Block {
  if (reference === undefined) throw failure("block  not found");
  const { hash, number } = reference;
  const block = hash === undefined ? findBlock(chain, number) : chain.blockByHash(hash);
  if (block !== undefined) return block;
  throw failure(hash === undefined ? `block #${number} not found` : `block ${toHex(hash)} not found`);
}

const NO_ROUTER = `0x${"0".repeat(40)}`;
/** The Go node's default. */
const MAX_BUNDLE = 100;

/** No token pays for gas on this node: there is no router that would change it. */
function gaslessMethods(): Method[] {
  return [
    method({
      name: "debug_gaslessInfo",
      summary: "With which tokens gas can be paid: with none.",
      params: {},
      result: plain<object>("{isDisabled, swapRouter, allowedTokens, maxBundleTxs}"),
      handle: () => ({
        isDisabled: false,
        swapRouter: NO_ROUTER,
        allowedTokens: [],
        maxBundleTxs: MAX_BUNDLE,
      }),
    }),
    method({
      name: "debug_isGaslessTx",
      summary: "Whether transactions pay for their gas with a token: they do not.",
      params: { transactions: listOf(data, "[]hexutil.Bytes") },
      result: plain<object>("{isGasless, reason}"),
      handle: () => ({ isGasless: false, reason: "no token is allowed to pay for gas" }),
    }),
  ];
}
