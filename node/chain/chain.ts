/**
 * The chain: the durable sequence of blocks and what can be looked up in it. Blocks come in through
 * `append` (made here) and `importBlocks` (made elsewhere); out go head events, blocks, receipts and
 * state views. What is not yet synced to disk is visible to nobody outside this room.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import type { Rules } from "../config/rules.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { StateView } from "../state/state.ts";
import type { World } from "../state/world/world.ts";
import type { BadBlock } from "./bad-blocks.ts";

/** Called after a block is synced to disk, in block order; must not throw. */
export type HeadListener = (block: Block, receipts: readonly Receipt[]) => void;

/** A block that is no longer in the chain, with its receipts. */
export interface RemovedBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

/** Called when the chain was taken back to `head`, with the removed blocks, the newest first; must not throw. */
export type RewindListener = (removed: readonly RemovedBlock[], head: Block) => void;

/** A block without its body, which need not be kept. */
export type BlockHead = Pick<Block, "header" | "hash">;

/** Position of a transaction in the chain. */
export interface TransactionPlace {
  readonly block: Block;
  /** Position in the block, from 0. */
  readonly index: number;
}

/**
 * The chain as readers see it. Bodies and receipts of old blocks may be pruned: reading them throws
 * `ChainError` `pruned-history`.
 */
export interface Chain {
  readonly config: ChainConfig;
  readonly genesisHash: Hash;
  /** The newest durable block. */
  head(): Block;
  block(number: number): Block | undefined;
  /** The first block after block 0 of which body and receipts are kept. */
  oldestBody(): number;
  /** Forgets what was read of the bodies before `number`; called after they were pruned. */
  forgetBodies(number: number): void;
  header(number: number): BlockHead | undefined;
  /** The number of the block with this hash. */
  number(hash: Hash): number | undefined;
  blockByHash(hash: Hash): Block | undefined;
  receipts(number: number): readonly Receipt[] | undefined;
  findTransaction(hash: Hash): TransactionPlace | undefined;
  /** The state after block `number`. Throws `StateError` `state-missing` when it is no longer kept. */
  stateAt(number: number): StateView;
  /** A world on that state, for calls; nothing of it is ever kept. Throws as `stateAt`. */
  worldAt(number: number): World;
  rules(number: number): Rules;
  /** Governance parameters in force at a block. */
  parameters(number: number): GovernanceParameters;
  /** Base fee of the block after the head; undefined where its rules have none. */
  nextBaseFee(): bigint | undefined;
  /** Limit of gas that a development chain has set for a block; undefined for none. */
  gasLimit(number: number): bigint | undefined;
  /** Proposer of a block, recovered from its seal; undefined for block 0 and unreadable seals. */
  author(header: Header): Address | undefined;
  /** Sum of the block scores of blocks 0 to `number`. */
  totalBlockScore(number: number): bigint;
  /** Blocks that broke a rule, the highest numbers first: the 100 highest, also from before the last start. */
  badBlocks(): readonly BadBlock[];
  /** Registers a listener; the result takes it out again. */
  onHead(listener: HeadListener): () => void;
  /** The same for when an operator took the chain back to an earlier block. */
  onRewind(listener: RewindListener): () => void;
}
