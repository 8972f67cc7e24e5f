/** Blocks, headers and receipts of whole blocks, in Kaia's form and in Ethereum's. */

import { blockNumber, blockReference } from "../calls/arguments/block-number.ts";
import { blockOf, findHead, findHeadByHash, headAt, headByHash, wholeBlock } from "../calls/lookup.ts";
import type { BlockHead, Chain } from "../chain/chain.ts";
import type { ByteCache } from "../jsonrpc/byte-cache.ts";
import { hash, nullable } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { type CallOrigin, type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";
import type { Block } from "../model/block.ts";
import {
  type BlockMembers,
  type BlockText,
  chainBlock,
  chainHeader,
  ethBlock,
  ethHeader,
} from "../presenters/block.ts";
import { BlockCache } from "../presenters/block-cache.ts";
import {
  chainBlockSchema,
  chainHeaderSchema,
  chainReceiptSchema,
  ethBlockSchema,
  ethHeaderSchema,
  ethReceiptSchema,
} from "../presenters/block-schemas.ts";
import { noHeader, noHeaderAt } from "../presenters/not-found.ts";
import {
  blockReceipts,
  chainReceipt,
  ethReceipt,
  type FormatReceipt,
  type ReceiptForm,
} from "../presenters/receipt.ts";
import { blockReceiptPieces } from "../presenters/receipt-pieces.ts";
import { writeInSlices } from "../presenters/slices.ts";

/** Dependencies of the methods about blocks. */
export interface ChainBlockDeps {
  readonly chain: Chain;
  readonly blockMembers: BlockMembers;
  readonly receiptForm: ReceiptForm;
  /** Cache of the bytes of block texts that are requested repeatedly. */
  readonly keptBytes: ByteCache;
}

const block = writtenAs("block", chainBlockSchema);
const header = plain<object>("header", chainHeaderSchema);
const ethBlockOrNull = nullable(writtenAs("block", ethBlockSchema));
const ethHeaderOrNull = nullable(plain<object>("header", ethHeaderSchema));

/** The methods of `chain` and `eth` about blocks. */
export function chainBlockMethods(deps: ChainBlockDeps): Method[] {
  return [...chainForm(deps), ...ethForm(deps), ...receiptMethods(deps)];
}

function chainForm({ chain, blockMembers: members, keptBytes }: ChainBlockDeps): Method[] {
  const texts = new BlockCache(keptBytes);
  const format = (head: BlockHead, full: boolean, { room }: CallOrigin): BlockText =>
    texts.text(head, full ? "full" : "hashes", () =>
      chainBlock(chain, wholeBlock(chain, head), { members, full, room }),
    );
  return [
    method({
      name: "chain_getBlockByNumber",
      summary:
        "Returns a block by number or tag, with whole transactions or their hashes. Fails for an unknown block.",
      params: { number: blockNumber, full: boolean },
      result: block,
      handle: ({ number, full }, origin) => {
        return number === "pending"
          ? chainBlock(chain, chain.head(), { members, full, isPending: true, room: origin.room })
          : format(headAt(chain, number), full, origin);
      },
    }),
    method({
      name: "chain_getBlockByHash",
      summary:
        "Returns a block by hash, with whole transactions or their hashes. Fails for an unknown block.",
      params: { hash, full: boolean },
      result: block,
      handle: (args, origin) => format(headByHash(chain, args.hash), args.full, origin),
    }),
    method({
      name: "chain_getHeaderByNumber",
      summary: "Returns a header by number or tag. Fails for an unknown block.",
      params: { number: blockNumber },
      result: header,
      handle: ({ number }) => {
        const found = findHead(chain, number);
        if (found === undefined) throw noHeaderAt(number);
        return chainHeader(chain, found);
      },
    }),
    method({
      name: "chain_getHeaderByHash",
      summary: "Returns a header by hash. Fails for an unknown block.",
      params: { hash },
      result: header,
      handle: (args) => {
        const found = findHeadByHash(chain, args.hash);
        if (found === undefined) throw noHeader(args.hash);
        return chainHeader(chain, found);
      },
    }),
  ];
}

function ethForm({ chain, blockMembers: members, keptBytes }: ChainBlockDeps): Method[] {
  const texts = new BlockCache(keptBytes);
  const format = (head: BlockHead | undefined, full: boolean, { room }: CallOrigin): BlockText | undefined =>
    head &&
    texts.text(head, `${full ? "full" : "hashes"}${chain.gasLimit(head.header.number) ?? ""}`, () =>
      ethBlock(chain, wholeBlock(chain, head), { members, full, room }),
    );
  const formatHeader = (found: BlockHead | undefined, isPending: boolean) =>
    found && ethHeader(chain, found, { members, isPending });
  return [
    method({
      name: "eth_getBlockByNumber",
      summary: "Returns a block in Ethereum's form by number or tag; null for an unknown block.",
      params: { number: blockNumber, full: boolean },
      result: ethBlockOrNull,
      handle: ({ number, full }, origin) => {
        if (number !== "pending") return format(findHead(chain, number), full, origin);
        return ethBlock(chain, chain.head(), { members, full, isPending: true, room: origin.room });
      },
    }),
    method({
      name: "eth_getBlockByHash",
      summary: "Returns a block in Ethereum's form by hash; null for an unknown block.",
      params: { hash, full: boolean },
      result: ethBlockOrNull,
      handle: (args, origin) => format(findHeadByHash(chain, args.hash), args.full, origin),
    }),
    method({
      name: "eth_getHeaderByNumber",
      summary: "Returns a header in Ethereum's form by number or tag; null for an unknown block.",
      params: { number: blockNumber },
      result: ethHeaderOrNull,
      handle: ({ number }) => formatHeader(findHead(chain, number), number === "pending"),
    }),
    method({
      name: "eth_getHeaderByHash",
      summary: "Returns a header in Ethereum's form by hash; null for an unknown block.",
      params: { hash },
      result: ethHeaderOrNull,
      handle: (args) => formatHeader(findHeadByHash(chain, args.hash), false),
    }),
  ];
}

function receiptMethods({ chain, receiptForm }: ChainBlockDeps): Method[] {
  const all = (found: Block, view: FormatReceipt, origin: CallOrigin) => {
    const pieces = blockReceiptPieces(chain, blockReceipts(chain, found, receiptForm), view);
    return writeInSlices(pieces.count, pieces.write, (parts) => `[${parts.join("")}]`, origin);
  };
  return [
    method({
      name: "chain_getBlockReceipts",
      summary: "Returns the receipts of all transactions of a block.",
      params: { block: blockReference },
      result: writtenAs("receipt[]", arraySchema(chainReceiptSchema)),
      handle: (args, origin) => all(blockOf(chain, args.block), chainReceipt, origin),
    }),
    method({
      name: "eth_getBlockReceipts",
      summary: "Returns the receipts of all transactions of a block, in Ethereum's form.",
      params: { block: blockReference },
      result: writtenAs("receipt[]", arraySchema(ethReceiptSchema)),
      handle: (args, origin) => all(blockOf(chain, args.block), ethReceipt, origin),
    }),
  ];
}
