/** `debug`: raw and printed blocks, bad blocks, and rewinding of the chain. */
import { bareHex, toHex } from "../bytes/hex.ts";
import {
  type BlockReference,
  blockNumber,
  blockReference,
  resolveNumber,
} from "../calls/arguments/block-number.ts";
import { findBlock } from "../calls/lookup.ts";
import { requireBadBlocks } from "../calls/traces/traced-blocks.ts";
import type { Chain } from "../chain/chain.ts";
import { nothing, text, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { type Block, encodeBlock } from "../model/block.ts";
import { type BlockMembers, chainBlock } from "../presenters/block.ts";
import { chainBlockSchema } from "../presenters/block-schemas.ts";
import { blockText } from "../presenters/not-found.ts";
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
      result: writtenAs(
        "{hash, block}[]",
        arraySchema(recordSchema({ hash: schemaRefs.hash, block: chainBlockSchema })),
      ),
      handle: () => badBlocksText(deps),
    }),
    method({
      name: "debug_setHead",
      summary: "Rewinds the chain to an earlier block whose state is stored.",
      privilege: "process",
      params: { number: blockNumber },
      result: nothing,
      handle: async ({ number }) => {
        if (number === "latest" || number === "pending") throw failure("Cannot rewind to future");
        await deps.setHead(resolveNumber(chain.head().header.number, number));
        return undefined;
      },
    }),
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
  throw failure(
    hash === undefined ? `block #${blockText(number)} not found` : `block ${toHex(hash)} not found`,
  );
}
