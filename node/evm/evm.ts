/**
 * Runs contracts. In: a message, the world it changes, the rules, the block and the transaction around it. Out: what
 * is left of the gas, the output, and why it failed. Synchronous.
 */
import type { Rules } from "../config/rules.ts";
import type { World } from "../state/world/world.ts";
import { wordOf } from "./address.ts";
import { beginCall } from "./call-frames.ts";
import { Codes } from "./code.ts";
import { beginCreation } from "./creation-frames.ts";
import type { EvmFailure } from "./failure.ts";
import { type Frame, keepAtHand, releaseFrame, setGas, takeFrame, totalGas } from "./frame.ts";
import { run } from "./loop.ts";
import type { Machine, Surroundings } from "./machine.ts";
import { type GasSchedule, tablesOf } from "./revision.ts";
import { finish, settle } from "./settle.ts";
import type { Tracer } from "./tracer.ts";
import { Watch } from "./watch.ts";

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
  /** A message that needs more gas than this is given up by throwing `GasAtHandSpent`; what it did then is undefined. */
  readonly gasAtHand?: number | undefined;
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
  /** What it returned or reverted with; also the code that a failed creation could not store. */
  readonly output: Uint8Array;
  readonly failure: EvmFailure | undefined;
  /** The address of a creation, also of one that failed after its address was known. */
  readonly created: Uint8Array | undefined;
  /** Computation cost of everything that ran (execution.md 5.4). */
  readonly computation: number;
}

/** Runs messages of one transaction. */
export interface Evm {
  call(message: CallMessage): EvmResult;
  create(message: CreateMessage): EvmResult;
}

/** An interpreter for one transaction. */
export function createEvm(options: EvmOptions): Evm {
  const machine = createMachine(options);
  return {
    call: ({ caller, to, input, value, gas }) => {
      const frame = topFrame({ caller, value, gas }, options);
      frame.kind = "CALL";
      frame.address = to;
      frame.codeAddress = to;
      frame.input = input;
      return resultOf(machine, frame, beginCall(machine, frame));
    },
    create: ({ caller, code, value, gas }) => {
      const frame = topFrame({ caller, value, gas }, options);
      frame.kind = "CREATE";
      frame.address = caller;
      frame.input = code;
      const runs = beginCreation(machine, frame, undefined);
      const created = frame.address === caller ? undefined : frame.address;
      return { ...resultOf(machine, frame, runs), created };
    },
  };
}

function topFrame(
  { caller, value, gas }: Pick<CallMessage, "caller" | "value" | "gas">,
  { gasAtHand }: EvmOptions,
): Frame {
  const frame = takeFrame();
  setGas(frame, gas);
  if (gasAtHand !== undefined) keepAtHand(frame, gasAtHand);
  frame.caller = caller;
  frame.value = value;
  frame.depth = 0;
  frame.isStatic = false;
  return frame;
}

function resultOf(m: Machine, top: Frame, runs: boolean): EvmResult {
  if (runs) {
    top.addressWord = wordOf(top.address);
    top.callerWord = wordOf(top.caller);
    drive(m, top);
  }
  finish(m, top);
  const { output, failure } = top;
  const gasLeft = totalGas(top, top.gas);
  releaseFrame(top);
  return { gasLeft, output, failure, created: undefined, computation: m.computation };
}

/** Runs a frame and all that it calls, one after another: calls never nest on JavaScript's own stack. */
function drive(m: Machine, top: Frame): void {
  let frame = top;
  for (;;) {
    if (run(m, frame)) {
      const next = m.next as Frame; // set whenever `run` returns true
      m.next = undefined;
      frame = next;
      continue;
    }
    if (frame === top) return;
    const parent = frame.parent as Frame; // only the top has none
    settle(m, frame);
    frame = parent;
  }
}

function createMachine(options: EvmOptions): Machine {
  const { world, rules, block, transaction, tracer } = options;
  const tables = tablesOf(rules.evm);
  return {
    world,
    rules,
    tables,
    schedule: tables.schedule,
    codes: new Codes(world),
    number: block.number,
    blockHash: block.blockHash,
    feePayer: transaction.feePayer,
    surroundings: new LazySurroundings(options, tables.schedule),
    limit: options.computationLimit ?? rules.computationLimit,
    watch: tracer === undefined ? undefined : new Watch(tracer, { world, tables }),
    computation: 0,
    next: undefined,
  };
}

/** Words are made when code asks for them: most of it asks for none. */
class LazySurroundings implements Surroundings {
  readonly #options: EvmOptions;
  readonly #schedule: GasSchedule;

  constructor(options: EvmOptions, schedule: GasSchedule) {
    this.#options = options;
    this.#schedule = schedule;
  }

  get origin(): bigint {
    return wordOf(this.#options.transaction.origin);
  }

  get gasPrice(): bigint {
    return this.#options.transaction.gasPrice;
  }

  get coinbase(): bigint {
    return wordOf(this.#options.block.author);
  }

  get timestamp(): bigint {
    return BigInt(this.#options.block.time);
  }

  get number(): bigint {
    return BigInt(this.#options.block.number);
  }

  get difficulty(): bigint {
    const { random, blockScore } = this.#options.block;
    return this.#schedule.random ? wordOf(random) : blockScore;
  }

  get gasLimit(): bigint {
    return this.#options.block.gasLimit;
  }

  get chainId(): bigint {
    return this.#options.chainId;
  }

  get baseFee(): bigint {
    return this.#options.block.baseFee;
  }

  get blobBaseFee(): bigint {
    return this.#options.block.blobBaseFee;
  }

  get blobHashes(): readonly Uint8Array[] {
    return this.#options.transaction.blobHashes;
  }
}
