/**
 * A tracer written by a client: a JavaScript expression for an object with `fault`, `result`, and `step` or
 * `enter` and `exit`, called as the Go node calls them (`node/cn/tracers/tracer.go@v2.2.2`), in the
 * environment of `prelude.ts`.
 */
import { toHex } from "../../bytes/hex.ts";
import type { World } from "../../state/world/world.ts";
import type { FrameEnd, FrameStart, OpcodeStep, Tracer } from "../tracer.ts";
import { ProgramError } from "./error.ts";
import { PRELUDE } from "./prelude.ts";
import { programHost, type TracerView } from "./program-host.ts";
import type { HostValue, Sandbox, Sandboxes } from "./sandbox.ts";

/** Options of a program's execution. */
export interface ProgramOptions {
  readonly code: string;
  readonly world: World;
  /** Deadline on the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
}

/** Facts about the transaction that the result needs. Amounts are in peb. */
export interface ProgramTransaction {
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly gasPrice: bigint;
  readonly block: number;
  /** The frame to report for a transaction that begins none; absent when none is reported. */
  readonly frameless?: Pick<FrameStart, "from" | "to" | "value" | "gas" | "input"> | undefined;
}

/** A program that traces one transaction. */
export interface ProgramTracer extends Disposable {
  readonly tracer: Tracer;
  /** Returns the result as JSON text. Throws `ProgramError`. */
  readonly result: (transaction: ProgramTransaction) => string;
}

/** Compiles a program. Throws `ProgramError`. */
export function createProgramTracer(sandboxes: Sandboxes, options: ProgramOptions): ProgramTracer {
  const view: TracerView = { world: options.world, frames: [], step: undefined };
  const sandbox = sandboxes.open({ script: PRELUDE, host: programHost(view), endsAt: options.endsAt });
  try {
    const has = sandbox.call("compile", options.code);
    return new RunningProgram(sandbox, view, { steps: has.includes("step"), frames: has.includes("enter") });
  } catch (error) {
    sandbox[Symbol.dispose]();
    throw errorIn(undefined, error);
  }
}

class RunningProgram implements ProgramTracer {
  readonly tracer: Tracer;
  readonly #sandbox: Sandbox;
  readonly #view: TracerView;
  #hasStepped = false;
  #failure: ProgramError | undefined;
  #outermost: { readonly start: FrameStart; end?: FrameEnd } | undefined;

  constructor(
    sandbox: Sandbox,
    view: TracerView,
    calls: { readonly steps: boolean; readonly frames: boolean },
  ) {
    this.#sandbox = sandbox;
    this.#view = view;
    this.tracer = {
      enter: (start) => this.#enter(start, calls.frames),
      exit: (end) => this.#exit(end, calls.frames),
      ...(calls.steps ? { step: (step, failure) => this.#step(step, failure?.message) } : {}),
      fault: (step, { message }) => this.#fault(step, message),
    };
  }

  result(transaction: ProgramTransaction): string {
    const { context, input, output } = this.#contextOf(transaction);
    const text = this.#callSandbox("result", JSON.stringify(context), input, output);
    if (this.#failure !== undefined) throw this.#failure;
    return text;
  }

  [Symbol.dispose](): void {
    this.#sandbox[Symbol.dispose]();
  }

  #enter(start: FrameStart, isTold: boolean): void {
    this.#view.frames.push(start);
    if (start.depth === 0) this.#outermost = { start };
    else if (isTold) {
      const { kind, from, to, input, gas, value } = start;
      const shown = kind === "STATICCALL" ? undefined : value.toString();
      this.#call("enter", kind, toHex(from), toHex(to), input, low32(gas), shown);
    }
  }

  #exit(end: FrameEnd, isTold: boolean): void {
    this.#view.frames.pop();
    if (end.depth === 0 && this.#outermost !== undefined) this.#outermost.end = end;
    else if (isTold) this.#call("exit", low32(end.gasUsed), end.output, end.failure?.message);
  }

  #step(step: OpcodeStep, trouble: string | undefined): void {
    this.#view.step = step;
    this.#hasStepped = true;
    const { pc, op, gas, gasCost, depth, refund, stackLength } = step;
    this.#call("step", pc, op, low32(gas), low32(gasCost), depth + 1, refund, stackLength, trouble);
  }

  #fault(step: OpcodeStep, message: string): void {
    this.#view.step = step;
    this.#call("fault", step.stackLength, message);
  }

  /**
   * Calls a function of the program. The first exception is kept for the result; the transaction runs on
   * without the program.
   */
  #call(name: string, ...given: readonly HostValue[]): void {
    if (this.#failure !== undefined) return;
    try {
      this.#callSandbox(name, ...given);
    } catch (error) {
      if (!(error instanceof ProgramError) || error.code !== "threw") throw error;
      this.#failure = error;
    }
  }

  #callSandbox(name: string, ...given: readonly HostValue[]): string {
    try {
      return this.#sandbox.call(name, ...given);
    } catch (error) {
      throw errorIn(name, error);
    }
  }

  #contextOf({ gasLimit, gasUsed, gasPrice, block, frameless }: ProgramTransaction): ProgramContext {
    const start = this.#outermost?.start ?? frameless;
    const total = { gasUsed: low32(gasUsed) };
    if (start === undefined) return { context: total };
    const { end } = this.#outermost ?? {};
    const isCreation = this.#outermost?.start.kind === "CREATE";
    return {
      context: {
        type: isCreation ? "CREATE" : "CALL",
        from: toHex(start.from),
        to: toHex(start.to),
        gas: low32(start.gas),
        gasPrice: gasPrice.toString(),
        value: start.value.toString(),
        intrinsicGas: low32(gasLimit - start.gas),
        ...(this.#hasStepped ? { block } : {}),
        ...total,
        ...(end?.failure === undefined ? {} : { error: end.failure.message }),
      },
      input: start.input,
      output: end?.output ?? new Uint8Array(0),
    };
  }
}

interface ProgramContext {
  readonly context: Readonly<Record<string, string | number>>;
  readonly input?: Uint8Array;
  readonly output?: Uint8Array;
}

/** Returns the error in the Go node's words, with the name of the program's function. */
function errorIn(name: string | undefined, error: unknown): unknown {
  if (!(error instanceof ProgramError) || error.code !== "threw") return error;
  const place = name === undefined ? "" : `    in server-side tracer function '${name}'`;
  return new ProgramError("threw", `${translateMessage(error.message)}${place}`);
}

/** Returns the low 32 bits of a count, which is all that the Go node passes to its engine. */
function low32(count: bigint): number {
  return Number(BigInt.asUintN(32, count));
}

/** Messages of QuickJS for common faults, with those of the Go node's engine (Duktape). */
const TRANSLATIONS: readonly (readonly [RegExp, string])[] = [
  [/^ReferenceError: '?([^' ]+)'? is not defined/, "ReferenceError: identifier '$1' undefined"],
  [/^TypeError: cannot set property/, "TypeError: cannot write property"],
  [/^TypeError: circular reference/, "TypeError: cyclic input"],
];

/** Returns the Go node's message for an exception; unknown messages are returned unchanged. */
function translateMessage(words: string): string {
  return TRANSLATIONS.reduce((text, [pattern, into]) => text.replace(pattern, into), words);
}
