/**
 * The entry to the interpreter. In: a message, the world that it changes, the rules, the block and the
 * transaction around it. Out: the gas left, the output, and the failure if there is one. Synchronous.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { Rules } from "../config/rules.ts";
import type { World } from "../state/world/world.ts";
import { wordOf } from "./address.ts";
import { beginCall } from "./call-frames.ts";
import { Codes } from "./code.ts";
import { beginCreation } from "./creation-frames.ts";
import type { EvmFailure } from "./failure.ts";
import { type CallFrame, limitGas, releaseFrame, setGas, takeFrame, totalGas } from "./frame.ts";
import { run } from "./loop.ts";
import type { ContextWords, Machine } from "./machine.ts";
import { type GasSchedule, tablesOf } from "./revision.ts";
import { finish, settle } from "./settle.ts";
import type { Tracer } from "./tracer.ts";
import { Watch } from "./watch.ts";

/** Block values that opcodes can read, as `BlockContext` of `blockchain/vm/evm.go@v2.2.2`. */
export interface EvmBlock {
  readonly number: number;
  /** Block time in seconds. */
  readonly time: number;
  /** Result of COINBASE. */
  readonly author: Address;
  readonly blockScore: bigint;
  /** Base fee in peb; zero where the header has none. */
  readonly baseFee: bigint;
  readonly blobBaseFee: bigint;
  /** 32 bytes; result of opcode 0x44 from Kore on. */
  readonly random: Uint8Array;
  /** Result of GASLIMIT; zero for blocks of a chain. */
  readonly gasLimit: bigint;
  /** Returns a block's hash; called only for the 256 blocks before this one. */
  readonly blockHash: (number: number) => Hash | undefined;
}

/** Transaction values that opcodes can read, as `TxContext` of `blockchain/vm/evm.go@v2.2.2`. */
export interface EvmTransaction {
  readonly origin: Address;
  /** Effective gas price in peb. */
  readonly gasPrice: bigint;
  readonly feePayer: Address;
  readonly blobHashes: readonly Hash[];
}

/** Options of one transaction's execution. */
export interface EvmOptions {
  readonly world: World;
  readonly rules: Rules;
  readonly chainId: bigint;
  readonly block: EvmBlock;
  readonly transaction: EvmTransaction;
  /** Limit of the computation cost in place of the rules' own; `Infinity` for no limit. */
  readonly computationLimit?: number;
  readonly tracer?: Tracer;
  /**
   * Gas that a message may use before `GasBudgetExceeded` is thrown. The world is left in an undefined state
   * then.
   */
  readonly gasBudget?: number | undefined;
}

/** A call. The caller's nonce is not changed. */
export interface CallMessage {
  readonly caller: Address;
  readonly to: Address;
  readonly input: Uint8Array;
  readonly value: bigint;
  /** Gas limit, below 2^64. */
  readonly gas: bigint;
}

/** A contract creation. The caller's nonce is raised by 1. */
export interface CreateMessage {
  readonly caller: Address;
  readonly code: Uint8Array;
  readonly value: bigint;
  /** Gas limit, below 2^64. */
  readonly gas: bigint;
}

/** Result of a message. */
export interface EvmResult {
  readonly gasLeft: bigint;
  /** Output of RETURN or REVERT; for a failed creation also the code that could not be stored. */
  readonly output: Uint8Array;
  readonly failure: EvmFailure | undefined;
  /** Address of a creation; also set for a creation that failed after its address was computed. */
  readonly created: Address | undefined;
  /** Computation cost of all opcodes that ran (`params/computation_cost_params.go@v2.2.2`). */
  readonly computation: number;
}

/** Interpreter of one transaction's messages. */
export interface Evm {
  call(message: CallMessage): EvmResult;
  create(message: CreateMessage): EvmResult;
}

/** Creates the interpreter of one transaction. */
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
  { gasBudget }: EvmOptions,
): CallFrame {
  const frame = takeFrame();
  setGas(frame, gas);
  if (gasBudget !== undefined) limitGas(frame, gasBudget);
  frame.caller = caller;
  frame.value = value;
  frame.depth = 0;
  frame.isStatic = false;
  return frame;
}

function resultOf(m: Machine, top: CallFrame, runs: boolean): EvmResult {
  if (runs) {
    top.addressWord = wordOf(top.address);
    top.callerWord = wordOf(top.caller);
    runFrames(m, top);
  }
  finish(m, top);
  const { output, failure } = top;
  const gasLeft = totalGas(top, top.gas);
  releaseFrame(top);
  return { gasLeft, output, failure, created: undefined, computation: m.computation };
}

/**
 * Runs a frame and all frames that it begins in one loop, so that calls never nest on the JavaScript stack.
 */
function runFrames(m: Machine, top: CallFrame): void {
  let frame = top;
  for (;;) {
    if (run(m, frame)) {
      const next = m.next as CallFrame; // set whenever `run` returns true
      m.next = undefined;
      frame = next;
      continue;
    }
    if (frame === top) return;
    const parent = frame.parent as CallFrame; // only the top has none
    settle(m, frame);
    frame = parent;
  }
}

function createMachine(options: EvmOptions): Machine {
  const { world, rules, block, transaction, tracer } = options;
  const tables = tablesOf(rules);
  return {
    world,
    rules,
    tables,
    schedule: tables.schedule,
    codes: new Codes(world),
    number: block.number,
    blockHash: block.blockHash,
    feePayer: transaction.feePayer,
    context: new LazyContext(options, tables.schedule),
    limit: options.computationLimit ?? rules.computationLimit,
    watch: tracer === undefined ? undefined : new Watch(tracer, { world, tables }),
    computation: 0,
    next: undefined,
  };
}

/** Converts block and transaction values to stack words on demand: most code reads none of them. */
class LazyContext implements ContextWords {
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

  get blobHashes(): readonly Hash[] {
    return this.#options.transaction.blobHashes;
  }
}
