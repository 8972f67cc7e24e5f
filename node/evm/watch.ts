/** Tells a tracer what happens. A machine without a tracer has none of this. */
import type { World } from "../state/world/world.ts";
import type { EvmFailure } from "./failure.ts";
import { type Frame, totalGas } from "./frame.ts";
import type { RevisionTables } from "./revision.ts";
import type { FrameKind, FrameStart, Step, Tracer } from "./tracer.ts";

interface Place {
  readonly world: World;
  readonly tables: RevisionTables;
}

/** The opcode at hand: when it is reported depends on when its gas is known. */
interface Pending {
  readonly pc: number;
  readonly op: number;
  readonly gas: bigint;
  readonly sp: number;
  /** Before the opcode. */
  readonly computation: number;
  cost: Cost;
  /** Its fixed gas and its computation are paid. */
  ready: boolean;
  reported: boolean;
}

interface Cost {
  readonly gas: bigint;
  readonly computation: number;
}

const NOTHING: Cost = { gas: 0n, computation: 0 };
/** Failures before an opcode's cost is known: the Go node shows that of the opcode before it. */
const UNCHARGED: ReadonlySet<string> = new Set(["invalid-opcode", "stack-underflow", "stack-overflow"]);

/** Words that opcodes have taken from the stack when they fail. */
const TAKEN: ReadonlyMap<number, number> = new Map([
  [0x3e, 3], // RETURNDATACOPY
  [0x56, 1], // JUMP
  [0x57, 2], // JUMPI
  [0xf1, 7], // CALL
  [0xfd, 2], // REVERT
]);

/** The observer's side of a machine. */
export class Watch {
  readonly tracer: Tracer;
  readonly #place: Place;
  /** Of the opcode reported last, by frame. */
  readonly #costs = new WeakMap<Frame, Cost>();
  #pending: Pending | undefined;

  constructor(tracer: Tracer, place: Place) {
    this.tracer = tracer;
    this.#place = place;
  }

  /** An opcode that is looked at; `gas` and `computation` are without it. */
  begin(frame: Frame, at: { pc: number; op: number; gas: number; sp: number; computation: number }): void {
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

  /** The opcode may run; what its gas depends on is not known yet. */
  ready(frame: Frame): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    pending.ready = true;
    if (this.#place.tables.isDynamic[pending.op] === 0) this.#report(frame, undefined);
  }

  /** The rest of the opcode's gas is known; `Infinity` for more than can be counted. */
  charged(frame: Frame, cost: number | bigint): void {
    const pending = this.#pending;
    if (pending === undefined || cost === Infinity) return;
    this.unpaid(BigInt(cost));
    if (pending.cost.gas <= pending.gas) this.#report(frame, undefined); // else it fails
  }

  /** The opcode is about to fail for its gas: what it is shown with besides its fixed gas. */
  unpaid(cost: bigint): void {
    const pending = this.#pending;
    if (pending !== undefined) pending.cost = { ...pending.cost, gas: pending.cost.gas + cost };
  }

  /** The opcode at hand failed. */
  failed(frame: Frame, failure: EvmFailure): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const before = this.#costs.get(frame) ?? NOTHING;
    if (UNCHARGED.has(failure.code)) pending.cost = before;
    else if (!pending.ready) pending.cost = { ...pending.cost, computation: before.computation };
    if (!pending.reported) return this.#report(frame, failure);
    const sp = pending.sp - (TAKEN.get(pending.op) ?? 0);
    this.tracer.fault?.(this.#step(frame, { ...pending, sp }), failure);
  }

  enter(frame: Frame, isPrecompile: boolean): void {
    frame.seenWith = totalGas(frame, frame.gas);
    this.#costs.delete(frame); // frames are used again
    const isCode = frame.kind === "DELEGATECALL" || frame.kind === "CALLCODE";
    this.tracer.enter?.({
      kind: frame.kind,
      depth: frame.depth,
      from: isCode ? frame.address : frame.caller,
      to: frame.codeAddress,
      value: frame.value,
      gas: frame.seenWith,
      input: frame.input.slice(),
      isPrecompile,
    });
  }

  exit(frame: Frame): void {
    if (frame.seenWith === undefined) return;
    const { depth, output, failure } = frame;
    const gasUsed = frame.seenWith - totalGas(frame, frame.gas);
    this.tracer.exit?.({ depth, output, gasUsed, failure });
  }

  /** A contract that hands its balance on; looks like a frame that ends at once. */
  destroyed(frame: Frame, to: Uint8Array, value: bigint): void {
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

  #report(frame: Frame, failure: EvmFailure | undefined): void {
    const pending = this.#pending;
    if (pending === undefined || pending.reported) return;
    pending.reported = true;
    this.#costs.set(frame, pending.cost);
    this.tracer.step?.(this.#step(frame, pending), failure);
  }

  #step(frame: Frame, { pc, op, gas, sp, computation, cost }: Pending): Step {
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
