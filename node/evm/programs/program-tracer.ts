/**
 * A tracer that a caller writes: a JavaScript expression for an object with `fault`, `result`, and `step` or `enter`
 * and `exit`, called as the Go node calls them (`node/cn/tracers`), with what `prelude.ts` has around it.
 */
import { toHex } from "../../bytes/hex.ts";
import type { World } from "../../state/world/world.ts";
import type { FrameEnd, FrameStart, Step, Tracer } from "../tracer.ts";
import { ProgramError } from "./error.ts";
import { PRELUDE } from "./prelude.ts";
import { programHost, type Sight } from "./program-host.ts";
import type { Given, Sandbox, Sandboxes } from "./sandbox.ts";
import { translated } from "./words.ts";

/** What a program is run with. */
export interface ProgramTerms {
  readonly code: string;
  readonly world: World;
  /** As `performance.now()` counts. */
  readonly endsAt: number;
}

/** What a transaction adds. Amounts in peb. */
export interface TracedTransaction {
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly gasPrice: bigint;
  readonly block: number;
  /** How a transaction that enters no frame is told of; not at all when absent. */
  readonly frameless?: Pick<FrameStart, "from" | "to" | "value" | "gas" | "input"> | undefined;
}

/** A program at work on one transaction. */
export interface ProgramTracer extends Disposable {
  readonly tracer: Tracer;
  /** JSON text of the result. Throws `ProgramError`. */
  readonly result: (transaction: TracedTransaction) => string;
}

/** Reads a program. Throws `ProgramError`. */
export function createProgramTracer(sandboxes: Sandboxes, terms: ProgramTerms): ProgramTracer {
  const sight: Sight = { world: terms.world, frames: [], step: undefined };
  const sandbox = sandboxes.open({ script: PRELUDE, host: programHost(sight), endsAt: terms.endsAt });
  try {
    const has = sandbox.call("compile", terms.code);
    return new Running(sandbox, sight, { steps: has.includes("step"), frames: has.includes("enter") });
  } catch (error) {
    sandbox[Symbol.dispose]();
    throw thrownIn(undefined, error);
  }
}

class Running implements ProgramTracer {
  readonly tracer: Tracer;
  readonly #sandbox: Sandbox;
  readonly #sight: Sight;
  #hasStepped = false;
  #trouble: ProgramError | undefined;
  #outermost: { readonly start: FrameStart; end?: FrameEnd } | undefined;

  constructor(sandbox: Sandbox, sight: Sight, calls: { readonly steps: boolean; readonly frames: boolean }) {
    this.#sandbox = sandbox;
    this.#sight = sight;
    this.tracer = {
      enter: (start) => this.#enter(start, calls.frames),
      exit: (end) => this.#exit(end, calls.frames),
      ...(calls.steps ? { step: (step, failure) => this.#step(step, failure?.message) } : {}),
      fault: (step, { message }) => this.#fault(step, message),
    };
  }

  result(transaction: TracedTransaction): string {
    const { context, input, output } = this.#contextOf(transaction);
    const text = this.#called("result", JSON.stringify(context), input, output);
    if (this.#trouble !== undefined) throw this.#trouble;
    return text;
  }

  [Symbol.dispose](): void {
    this.#sandbox[Symbol.dispose]();
  }

  #enter(start: FrameStart, isTold: boolean): void {
    this.#sight.frames.push(start);
    if (start.depth === 0) this.#outermost = { start };
    else if (isTold) {
      const { kind, from, to, input, gas, value } = start;
      const shown = kind === "STATICCALL" ? undefined : value.toString();
      this.#call("enter", kind, toHex(from), toHex(to), input, low(gas), shown);
    }
  }

  #exit(end: FrameEnd, isTold: boolean): void {
    this.#sight.frames.pop();
    if (end.depth === 0 && this.#outermost !== undefined) this.#outermost.end = end;
    else if (isTold) this.#call("exit", low(end.gasUsed), end.output, end.failure?.message);
  }

  #step(step: Step, trouble: string | undefined): void {
    this.#sight.step = step;
    this.#hasStepped = true;
    const { pc, op, gas, gasCost, depth, refund, stackLength } = step;
    this.#call("step", pc, op, low(gas), low(gasCost), depth + 1, refund, stackLength, trouble);
  }

  #fault(step: Step, message: string): void {
    this.#sight.step = step;
    this.#call("fault", step.stackLength, message);
  }

  /** What a program throws is told in the end: the transaction runs on, without it. */
  #call(name: string, ...given: readonly Given[]): void {
    if (this.#trouble !== undefined) return;
    try {
      this.#called(name, ...given);
    } catch (error) {
      if (!(error instanceof ProgramError) || error.code !== "threw") throw error;
      this.#trouble = error;
    }
  }

  #called(name: string, ...given: readonly Given[]): string {
    try {
      return this.#sandbox.call(name, ...given);
    } catch (error) {
      throw thrownIn(name, error);
    }
  }

  #contextOf({ gasLimit, gasUsed, gasPrice, block, frameless }: TracedTransaction): Context {
    const start = this.#outermost?.start ?? frameless;
    const total = { gasUsed: low(gasUsed) };
    if (start === undefined) return { context: total };
    const { end } = this.#outermost ?? {};
    const isCreation = this.#outermost?.start.kind === "CREATE";
    return {
      context: {
        type: isCreation ? "CREATE" : "CALL",
        from: toHex(start.from),
        to: toHex(start.to),
        gas: low(start.gas),
        gasPrice: gasPrice.toString(),
        value: start.value.toString(),
        intrinsicGas: low(gasLimit - start.gas),
        ...(this.#hasStepped ? { block } : {}),
        ...total,
        ...(end?.failure === undefined ? {} : { error: end.failure.message }),
      },
      input: start.input,
      output: end?.output ?? new Uint8Array(0),
    };
  }
}

interface Context {
  readonly context: Readonly<Record<string, string | number>>;
  readonly input?: Uint8Array;
  readonly output?: Uint8Array;
}

/** The error as the Go node tells it, with the function it came from. */
function thrownIn(name: string | undefined, error: unknown): unknown {
  if (!(error instanceof ProgramError) || error.code !== "threw") return error;
  const place = name === undefined ? "" : `    in server-side tracer function '${name}'`;
  return new ProgramError("threw", `${translated(error.message)}${place}`);
}

/** The Go node hands its engine the low 32 bits of what it counts. */
function low(count: bigint): number {
  return Number(BigInt.asUintN(32, count));
}
