/** Blocks and headers as JSON, in Kaia's form and in Ethereum's. Keys are sorted. */
import type { Address, Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { BlockHead, Chain } from "../chain/chain.ts";
import type { AnswerRoom } from "../jsonrpc/answer-memory.ts";
import { goJson, sortedMembers, sortKeys } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Transaction } from "../model/transaction.ts";
import { writeInSlices } from "./slices.ts";
import { chainTransactionText, ethTransactionText } from "./transaction.ts";

/** Keccak-256 of an empty RLP list: blocks have no uncles. */
const NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
const ZERO_HASH = `0x${"0".repeat(64)}`;
const NO_ADDRESS = new Uint8Array(20);
/** A block as JSON text; a promise when the block is long. */
export type BlockText = string | Promise<string>;

/** Members of blocks and headers that interfaces choose. */
export interface BlockMembers {
  /** Blocks and Ethereum's headers contain the sum of all block scores. */
  readonly totalScore: boolean;
  /** The gas limit of Ethereum's form; the chain itself has none unless a development chain has set one. */
  readonly gasLimit: bigint;
  /** The account that Ethereum's form names as miner. */
  readonly miner: "author" | "rewardbase";
  /** Memory of a header's fixed part, as the Go node counts it in the size of Ethereum's form. */
  readonly headerBytes: number;
}

/** Form of a block's JSON. */
export interface BlockForm {
  readonly members: BlockMembers;
  /** Lists whole transactions instead of their hashes. */
  readonly full: boolean;
  /** The block was requested as `pending`: hash, nonce and miner are null. */
  readonly isPending?: boolean;
  /** Memory for the text while it is written. */
  readonly room?: AnswerRoom | undefined;
}

/** Members of the block that was requested as `pending`, which is the newest one. */
export const PENDING_MEMBERS = { hash: null, miner: null, nonce: null };

/** Formats a block in Kaia's form. */
export function chainBlock(
  chain: Chain,
  block: Block,
  { members, full, isPending = false, room }: BlockForm,
): BlockText {
  const fields = { ...chainBlockFields(chain, block, members), ...(isPending ? PENDING_MEMBERS : {}) };
  const format: FormatInBlock = (tx, index) => chainTransactionText(chain, tx, { block, index });
  return withTransactions(block, fields, { format: full && format, room });
}

/** Returns the members of a block in Kaia's form, except its transactions. */
export function chainBlockFields(
  chain: Chain,
  { header, hash, size }: Block,
  { totalScore }: BlockMembers,
): Record<string, unknown> {
  return {
    ...chainFields(header, hash),
    ...(header.baseFee === undefined ? {} : { baseFeePerGas: toQuantity(header.baseFee) }),
    ...(header.mixHash === undefined ? {} : { mixHash: toHex(header.mixHash) }),
    ...(totalScore ? { totalBlockScore: toQuantity(chain.totalBlockScore(header.number)) } : {}),
    size: toQuantity(size),
  };
}

type FormatInBlock = (tx: Transaction, index: number) => string;

/** Adds the transactions to the sorted members. Lists their hashes when `format` is false. */
function withTransactions(
  { transactions }: Block,
  fields: Readonly<Record<string, unknown>>,
  { format, room }: { readonly format: FormatInBlock | false; readonly room: BlockForm["room"] },
): BlockText {
  const members = Object.entries(fields).map(([key, value]) => [key, goJson(value)] as const);
  return writeInSlices(
    transactions.length,
    (index) => {
      const tx = transactions[index] as Transaction; // within the length
      return format === false ? `"${toHex(tx.hash)}"` : format(tx, index);
    },
    (parts) => sortedMembers([...members, ["transactions", `[${parts.join(",")}]`]]),
    { room }, // of all callers that ask for the text meanwhile
  );
}

/** Formats a header in Kaia's form. */
export function chainHeader(chain: Chain, { header, hash }: BlockHead): object {
  const { headerShowsBaseFee } = chain.rules(header.number);
  return sortKeys({
    ...chainFields(header, hash),
    ...(headerShowsBaseFee ? { baseFeePerGas: toQuantity(header.baseFee ?? 0n) } : {}),
    ...(header.mixHash === undefined ? {} : { mixhash: toHex(header.mixHash) }),
  });
}

function chainFields(header: Header, hash: Hash): Record<string, unknown> {
  return {
    ...commonFields(header, hash),
    blockScore: toQuantity(header.blockScore),
    extraData: toHex(header.extra),
    governanceData: toHex(header.governance),
    reward: toHex(header.rewardbase),
    timestampFoS: toQuantity(header.timeFoS),
    voteData: toHex(header.vote),
    ...(header.randomReveal === undefined ? {} : { randomReveal: toHex(header.randomReveal) }),
  };
}

function commonFields(header: Header, hash: Hash): Record<string, unknown> {
  return {
    gasUsed: toQuantity(header.gasUsed),
    hash: toHex(hash),
    logsBloom: toHex(header.bloom),
    number: toQuantity(header.number),
    parentHash: toHex(header.parentHash),
    receiptsRoot: toHex(header.receiptsRoot),
    stateRoot: toHex(header.stateRoot),
    timestamp: toQuantity(header.time),
    transactionsRoot: toHex(header.transactionsRoot),
    ...(header.blobGasUsed === undefined ? {} : { blobGasUsed: toQuantity(header.blobGasUsed) }),
    ...(header.excessBlobGas === undefined ? {} : { excessBlobGas: toQuantity(header.excessBlobGas) }),
  };
}

/** Facts of a chain that Ethereum's form of its blocks shows. */
export type DescribedChain = Pick<Chain, "config" | "rules" | "author" | "gasLimit" | "totalBlockScore">;

/** Formats a block in Ethereum's form. */
export function ethBlock(chain: DescribedChain, block: Block, form: BlockForm): BlockText {
  const fields = { ...ethFields(chain, block, form), size: toQuantity(block.size), uncles: [] };
  const format: FormatInBlock = (tx, index) => ethTransactionText(chain, tx, { block, index });
  return withTransactions(block, fields, { format: form.full && format, room: form.room });
}

/** Formats a header in Ethereum's form. */
export function ethHeader(chain: Chain, block: BlockHead, form: Omit<BlockForm, "full">): object {
  const size = headerSize(block.header, form.members.headerBytes);
  return sortKeys({ ...ethFields(chain, block, form), size: toQuantity(size) });
}

function ethFields(
  chain: DescribedChain,
  { header, hash }: BlockHead,
  { members: { totalScore, gasLimit, miner }, isPending = false }: Omit<BlockForm, "full">,
): Record<string, unknown> {
  const { headerShowsBaseFee } = chain.rules(header.number);
  return {
    ...commonFields(header, hash),
    ...(headerShowsBaseFee ? { baseFeePerGas: toQuantity(header.baseFee ?? 0n) } : {}),
    difficulty: toQuantity(header.blockScore),
    extraData: "0x",
    gasLimit: toQuantity(chain.gasLimit(header.number) ?? gasLimit),
    miner: toHex(minerOf(chain, header, miner) ?? NO_ADDRESS),
    mixHash: header.mixHash === undefined ? ZERO_HASH : toHex(header.mixHash),
    nonce: "0x0000000000000000",
    ...(header.randomReveal === undefined ? {} : { randomReveal: toHex(header.randomReveal) }),
    sha3Uncles: NO_UNCLES,
    ...(totalScore ? { totalDifficulty: toQuantity(chain.totalBlockScore(header.number)) } : {}),
    ...(isPending ? PENDING_MEMBERS : {}),
  };
}

function minerOf(chain: DescribedChain, header: Header, miner: BlockMembers["miner"]): Address | undefined {
  if (header.number === 0) return undefined;
  return miner === "rewardbase" ? header.rewardbase : chain.author(header);
}

/**
 * Returns the size of a header in memory as the Go node computes it (`Header.Size` in
 * `blockchain/types/block.go@v2.2.2`), in bytes.
 */
function headerSize(
  { extra, governance, vote, randomReveal, mixHash, blockScore, number, time, baseFee }: Header,
  fixed: number,
): number {
  const bits = bitLength(blockScore) + bitLength(BigInt(number)) + bitLength(BigInt(time));
  const fee = baseFee === undefined ? 0 : Math.floor(bitLength(baseFee) / 8);
  const bytes = extra.length + governance.length + vote.length;
  const random = (randomReveal?.length ?? 0) + (mixHash?.length ?? 0);
  return fixed + bytes + random + Math.floor(bits / 8) + fee;
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
