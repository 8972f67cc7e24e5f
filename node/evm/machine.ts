/** State shared by all frames of one transaction. */
import type { Address, Hash } from "../bytes/brands.ts";
import type { Rules } from "../config/rules.ts";
import type { World } from "../state/world/world.ts";
import type { Codes } from "./code.ts";
import type { CallFrame } from "./frame.ts";
import type { GasSchedule, RevisionTables } from "./revision.ts";
import type { Watch } from "./watch.ts";

/** Block and transaction values as stack words. */
export interface ContextWords {
  readonly origin: bigint;
  readonly gasPrice: bigint;
  readonly coinbase: bigint;
  readonly timestamp: bigint;
  readonly number: bigint;
  /** Result of opcode 0x44. */
  readonly difficulty: bigint;
  readonly gasLimit: bigint;
  readonly chainId: bigint;
  readonly baseFee: bigint;
  readonly blobBaseFee: bigint;
  readonly blobHashes: readonly Hash[];
}

/** State shared by the frames of one transaction. */
export interface Machine {
  readonly world: World;
  readonly rules: Rules;
  readonly tables: RevisionTables;
  readonly schedule: GasSchedule;
  readonly codes: Codes;
  readonly number: number;
  readonly blockHash: (number: number) => Hash | undefined;
  readonly feePayer: Address;
  /** Set before any code runs. */
  readonly context: ContextWords;
  /** Upper bound of `computation`. */
  readonly limit: number;
  readonly watch: Watch | undefined;
  /** Computation cost of all opcodes so far. */
  computation: number;
  /** The frame to run next, set by an opcode that calls or creates. */
  next: CallFrame | undefined;
}
