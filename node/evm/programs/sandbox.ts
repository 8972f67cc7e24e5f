/**
 * Runs untrusted JavaScript: QuickJS in WebAssembly, with limits of memory, stack and time. A program reaches
 * nothing but the host functions, and its globals end with it. An engine that has failed is not used again.
 */
import type {
  CustomizeVariantOptions,
  QuickJSContext,
  QuickJSHandle,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { ProgramError } from "./error.ts";

/** The used part of the global `WebAssembly`, whose types are only in the browser's library. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
};

/** A value that passes between host and program. */
export type HostValue = undefined | boolean | number | string | Uint8Array;

/** A host function. Its arguments are untrusted, converted to a text and two numbers. */
export type HostFunction = (text: string, first: number, second: number) => HostValue;

/** Options of one sandbox. */
export interface SandboxOptions {
  /**
   * A trusted script whose value is a function that takes the host's functions and returns the functions to
   * call.
   */
  readonly script: string;
  readonly host: Readonly<Record<string, HostFunction>>;
  /** Deadline on the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
}

/** One set of globals in an engine. */
export interface Sandbox extends Disposable {
  /**
   * Calls a function of the script, which returns `=` and a value, 1 for none, or `!` and the exception.
   * Throws `ProgramError`, or the error of a host function.
   */
  readonly call: (name: string, ...given: readonly HostValue[]) => string;
}

/** An engine; all its sandboxes share its memory. */
export interface Sandboxes {
  /** Opens a sandbox. Throws `ProgramError` when the engine has failed before. */
  readonly open: (options: SandboxOptions) => Sandbox;
}

const PAGE_BYTES = 65_536;
const INITIAL_BYTES = 16 * 1024 * 1024;
/** Upper bound of an engine's memory in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/**
 * Upper bound of the stack in bytes. At 128 KiB a deep recursion of the parser stays within the thread's own
 * stack; at twice as much it does not.
 */
const STACK_BYTES = 96 * 1024;
const MAX_WORDS = 1000;
/** Result of a script's function that has no value. */
const NOTHING = 1;

/** Loads an engine; takes about ten milliseconds. */
export async function loadSandboxes(): Promise<Sandboxes> {
  const { newQuickJSWASMModuleFromVariant, newVariant } = await import("quickjs-emscripten-core");
  const { default: variant } = await import("@jitl/quickjs-wasmfile-release-sync");
  const pages = { initial: INITIAL_BYTES / PAGE_BYTES, maximum: MAX_BYTES / PAGE_BYTES };
  const memory = { wasmMemory: new WebAssembly.Memory(pages) } as CustomizeVariantOptions; // as it is named there
  const own = newVariant(variant as unknown as QuickJSSyncVariant, memory); // its types are those of its CommonJS twin
  const engine = await newQuickJSWASMModuleFromVariant(own);
  let failed = false;
  const onFailure = (): void => {
    failed = true;
  };
  return {
    open: (options) => {
      if (failed) throw new ProgramError("engine-failed", "the tracer's engine has failed");
      return new QuickSandbox(engine, options, onFailure);
    },
  };
}

type Outcome = ReturnType<QuickJSContext["callFunction"]>;

class QuickSandbox implements Sandbox {
  readonly #context: QuickJSContext;
  readonly #functions: QuickJSHandle;
  /** Handles of the script's functions by name. */
  readonly #handles = new Map<string, QuickJSHandle>();
  readonly #endsAt: number;
  readonly #onFailure: () => void;
  #isLate = false;
  #hostTrouble: { readonly error: unknown } | undefined;
  #failed = false;

  constructor(engine: QuickJSWASMModule, { script, host, endsAt }: SandboxOptions, onFailure: () => void) {
    this.#endsAt = endsAt;
    this.#onFailure = onFailure;
    const runtime = engine.newRuntime();
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(() => {
      this.#isLate ||= performance.now() > this.#endsAt;
      return this.#isLate;
    });
    this.#context = runtime.newContext();
    this.#functions = this.#functionsOf(script, host);
  }

  call(name: string, ...given: readonly HostValue[]): string {
    const result = this.#guard(() => {
      const context = this.#context;
      const handles = given.map((value) => this.#handleOf(value));
      const outcome = context.callFunction(this.#functionOf(name), context.undefined, handles);
      for (const handle of handles) handle.dispose();
      return this.#textOf(outcome);
    });
    if (result.startsWith("!")) throw new ProgramError("threw", result.slice(1, 1 + MAX_WORDS));
    return result.slice(1);
  }

  [Symbol.dispose](): void {
    if (this.#failed) return;
    this.#guard(() => {
      for (const known of this.#handles.values()) known.dispose();
      this.#functions.dispose();
      const { runtime } = this.#context;
      this.#context.dispose();
      runtime.dispose();
    });
  }

  #functionsOf(script: string, host: SandboxOptions["host"]): QuickJSHandle {
    return this.#guard(() => {
      const context = this.#context;
      using make = this.#valueOf(context.evalCode(script, "prelude", { type: "global" }));
      using offered = context.newObject();
      for (const [name, run] of Object.entries(host)) {
        using made = context.newFunction(name, (text, first, second) =>
          this.#runHost(run, text, first, second),
        );
        context.setProp(offered, name, made);
      }
      return this.#valueOf(context.callFunction(make, context.undefined, offered));
    });
  }

  /** Runs a host function. Its exception ends the program and is thrown again by the call that led to it. */
  #runHost(run: HostFunction, ...[text, first, second]: readonly QuickJSHandle[]): QuickJSHandle {
    const context = this.#context;
    const numberOf = (handle: QuickJSHandle | undefined): number =>
      handle === undefined ? 0 : context.getNumber(handle);
    try {
      return this.#handleOf(
        run(text === undefined ? "" : context.getString(text), numberOf(first), numberOf(second)),
      );
    } catch (error) {
      this.#hostTrouble ??= { error };
      this.#isLate = true;
      throw error;
    }
  }

  /**
   * Runs a step of the engine. An exception of the surrounding JavaScript engine, such as a full stack or a
   * trap, leaves QuickJS in an undefined state and marks the engine as failed.
   */
  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof ProgramError || this.#hostTrouble?.error === error) throw error;
      this.#failed = true;
      this.#onFailure();
      throw new ProgramError("engine-failed", "the tracer's engine has failed", { cause: error });
    }
  }

  #functionOf(name: string): QuickJSHandle {
    let known = this.#handles.get(name);
    if (known === undefined) {
      known = this.#context.getProp(this.#functions, name);
      this.#handles.set(name, known);
    }
    return known;
  }

  /**
   * Returns the text of an outcome. A number stands for no value, because it is read much faster than a text.
   */
  #textOf(outcome: Outcome): string {
    using value = this.#valueOf(outcome);
    return this.#context.getNumber(value) === NOTHING ? "=" : this.#context.getString(value);
  }

  #valueOf(outcome: Outcome): QuickJSHandle {
    if (outcome.error === undefined && this.#hostTrouble === undefined && !this.#isLate) return outcome.value;
    using thrown = outcome.error ?? outcome.value;
    if (this.#hostTrouble !== undefined) throw this.#hostTrouble.error;
    if (this.#isLate) throw new ProgramError("late", "execution timeout");
    throw new ProgramError("threw", messageOf(this.#context.dump(thrown)));
  }

  #handleOf(value: HostValue): QuickJSHandle {
    const context = this.#context;
    if (value === undefined) return context.undefined;
    if (typeof value === "boolean") return value ? context.true : context.false;
    if (typeof value === "number") return context.newNumber(value);
    if (typeof value === "string") return context.newString(value);
    return context.newArrayBuffer(new Uint8Array(value).buffer); // a copy, of these bytes alone
  }
}

/** Returns the text of an exception that the script could not catch, such as a lack of memory. */
function messageOf(thrown: unknown): string {
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown };
  return typeof name === "string" && typeof message === "string" ? `${name}: ${message}` : "Error";
}
