/**
 * Runs contracts. In: a message, the world it changes, the rules, the block and the transaction around it. Out: what
 * is left of the gas, the output, and why it failed. Synchronous.
 */
import type { Rules } from "../config/rules.ts";
import type { World } from "../state/world.ts";
import type { EvmFailure } from "./failure.ts";
import type { Tracer } from "./tracer.ts";

/** What contracts can ask about the block they run in (execution.md 2). */
export interface EvmBlock {
  readonly number: number;
  /** Seconds. */
  readonly time: number;
  /** What COINBASE answers. */
  readonly author: Uint8Array;
  readonly blockScore: bigint;
  /** Zero where the header has none. */
  readonly baseFee: bigint;
  readonly blobBaseFee: bigint;
  /** 32 bytes; what opcode 0x44 answers since Kore. */
  readonly random: Uint8Array;
  /** What GASLIMIT answers: zero on a chain. */
  readonly gasLimit: bigint;
  /** Asked only for the 256 blocks before this one. */
  readonly blockHash: (number: number) => Uint8Array | undefined;
}

/** What contracts can ask about the transaction they run in. */
export interface EvmTransaction {
  readonly origin: Uint8Array;
  /** The effective price. */
  readonly gasPrice: bigint;
  readonly feePayer: Uint8Array;
  readonly blobHashes: readonly Uint8Array[];
}

/** All that stays the same during a transaction. */
export interface EvmOptions {
  readonly world: World;
  readonly rules: Rules;
  readonly chainId: bigint;
  readonly block: EvmBlock;
  readonly transaction: EvmTransaction;
  /** Instead of the rules' own; `Infinity` for no limit. */
  readonly computationLimit?: number;
  readonly tracer?: Tracer;
}

/** A call; the caller's nonce is the caller's business. */
export interface CallMessage {
  readonly caller: Uint8Array;
  readonly to: Uint8Array;
  readonly input: Uint8Array;
  readonly value: bigint;
  /** Below 2^64. */
  readonly gas: bigint;
}

/** A creation; raises the caller's nonce. */
export interface CreateMessage {
  readonly caller: Uint8Array;
  readonly code: Uint8Array;
  readonly value: bigint;
  /** Below 2^64. */
  readonly gas: bigint;
}

/** How a message ended. */
export interface EvmResult {
  readonly gasLeft: bigint;
  readonly output: Uint8Array;
  readonly failure: EvmFailure | undefined;
  /** The address of a creation, also of one that failed after its address was known. */
  readonly created: Uint8Array | undefined;
}
