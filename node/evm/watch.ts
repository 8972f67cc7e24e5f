/**
 * Reports the execution of a machine to a tracer. In: the loop's progress. Out: the tracer's hooks, with gas
 * and failures as the Go node shows them. A machine without a tracer has no `Watch`.
 */
import type { Address } from "../bytes/brands.ts";
import type { World } from "../state/world/world.ts";
import type { EvmFailure } from "./failure.ts";
import { type CallFrame, totalGas } from "./frame.ts";
import type { RevisionTables } from "./revision.ts";
import type { FrameKind, FrameStart, OpcodeStep, Tracer } from "./tracer.ts";

interface WatchDeps {
  readonly world: World;
  readonly tables: RevisionTables;
}

/** The current opcode; it is reported once its gas is known. */
interface Pending {
  readonly pc: number;
  readonly op: number;
  readonly gas: bigint;
  readonly sp: number;
  /** Computation cost before the opcode. */
  readonly computation: number;
  cost: Cost;
  /** Static gas and computation cost are charged. */
  ready: boolean;
  reported: boolean;
}

interface Cost {
  readonly gas: bigint;
  readonly computation: number;
}

const NOTHING: Cost = { gas: 0n, computation: 0 };
/** Failures before an opcode's cost is known; the Go node shows the cost of the opcode before it. */
const UNPRICED_FAILURES: ReadonlySet<string> = new Set([
  "invalid-opcode",
  "stack-underflow",
  "stack-overflow",
]);

/** Operands that an opcode has removed from the stack when it fails. */
const REMOVED_OPERANDS: ReadonlyMap<number, number> = new Map([
  [0x3e, 3], // RETURNDATACOPY
  [0x56, 1], // JUMP
  [0x57, 2], // JUMPI
  [0xf1, 7], // CALL
  [0xfd, 2], // REVERT
]);

/** The tracer's side of a machine. */
export class Watch {
  readonly tracer: Tracer;
  readonly #place: WatchDeps;
  /** Cost of the last reported opcode by frame. */
  readonly #costs = new WeakMap<CallFrame, Cost>();
  #pending: Pending | undefined;

  constructor(tracer: Tracer, place: WatchDeps) {
    this.tracer = tracer;
    this.#place = place;
  }

  /** Starts an opcode; `gas` and `computation` are the values before it. */
  begin(
    frame: CallFrame,
    at: { pc: number; op: number; gas: number; sp: number; computation: number },
  ): void {
    const { tables } = this.#place;
    const [gas, computation] = [tables.gas[at.op] as number, tables.cost[at.op] as number]; // there is one for each byte
    this.#pending = {
      ...at,
      gas: totalGas(frame, at.gas),
      cost: { gas: BigInt(gas), computation },
      ready: false,
      reported: false,
    };
  }

  /** Marks the opcode as allowed to run; its dynamic gas is not known yet. */
  allow(frame: CallFrame): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    pending.ready = true;
    if (this.#place.tables.isDynamic[pending.op] === 0) this.#report(frame, undefined);
  }

  /**
   * Adds the opcode's dynamic gas, `Infinity` for an overflow, and reports the opcode when the frame can pay.
   */
  addGas(frame: CallFrame, cost: number | bigint): void {
    const pending = this.#pending;
    if (pending === undefined || cost === Infinity) return;
    this.addUnpaidGas(BigInt(cost));
    if (pending.cost.gas <= pending.gas) this.#report(frame, undefined); // else it fails
  }

  /** Adds gas to the report of an opcode that is about to fail for lack of gas. */
  addUnpaidGas(cost: bigint): void {
    const pending = this.#pending;
    if (pending !== undefined) pending.cost = { ...pending.cost, gas: pending.cost.gas + cost };
  }

  /** Reports that the current opcode failed. */
  fail(frame: CallFrame, failure: EvmFailure): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const before = this.#costs.get(frame) ?? NOTHING;
    if (UNPRICED_FAILURES.has(failure.code)) pending.cost = before;
    else if (!pending.ready) pending.cost = { ...pending.cost, computation: before.computation };
    if (!pending.reported) return this.#report(frame, failure);
    const sp = pending.sp - (REMOVED_OPERANDS.get(pending.op) ?? 0);
    this.tracer.fault?.(this.#step(frame, { ...pending, sp }), failure);
  }

  enter(frame: CallFrame, isPrecompile: boolean): void {
    frame.gasAtEnter = totalGas(frame, frame.gas);
    this.#costs.delete(frame); // frames are pooled
    const isCode = frame.kind === "DELEGATECALL" || frame.kind === "CALLCODE";
    this.tracer.enter?.({
      kind: frame.kind,
      depth: frame.depth,
      from: isCode ? frame.address : frame.caller,
      to: frame.codeAddress,
      value: frame.value,
      gas: frame.gasAtEnter,
      input: frame.input.slice(),
      isPrecompile,
    });
  }

  exit(frame: CallFrame): void {
    if (frame.gasAtEnter === undefined) return;
    const { depth, output, failure } = frame;
    const gasUsed = frame.gasAtEnter - totalGas(frame, frame.gas);
    this.tracer.exit?.({ depth, output, gasUsed, failure });
  }

  /** Reports a SELFDESTRUCT, which looks like a frame that ends at once. */
  selfdestruct(frame: CallFrame, to: Address, value: bigint): void {
    const kind: FrameKind = "SELFDESTRUCT";
    const depth = frame.depth + 1;
    const input = new Uint8Array(0);
    const start: FrameStart = {
      kind,
      depth,
      from: frame.address,
      to,
      value,
      gas: 0n,
      input,
      isPrecompile: false,
    };
    this.tracer.enter?.(start);
    this.tracer.exit?.({ depth, output: input, gasUsed: 0n, failure: undefined });
  }

  #report(frame: CallFrame, failure: EvmFailure | undefined): void {
    const pending = this.#pending;
    if (pending === undefined || pending.reported) return;
    pending.reported = true;
    this.#costs.set(frame, pending.cost);
    this.tracer.step?.(this.#step(frame, pending), failure);
  }

  #step(frame: CallFrame, { pc, op, gas, sp, computation, cost }: Pending): OpcodeStep {
    const { memory } = frame;
    const { world } = this.#place;
    return {
      pc,
      op,
      gas,
      gasCost: cost.gas,
      computationCost: cost.computation,
      computation: computation + cost.computation,
      depth: frame.depth,
      address: frame.address,
      caller: frame.caller,
      code: frame.code.bytes,
      stack: frame.stack,
      stackLength: sp,
      memory: memory.bytes.subarray(0, memory.size),
      returnData: frame.returnData,
      refund: world.refund,
    };
  }
}
