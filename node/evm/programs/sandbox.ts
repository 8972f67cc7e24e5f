/**
 * Runs strangers' JavaScript: QuickJS in WebAssembly, with memory, stack and time of its own. A program reaches nothing
 * but the functions it is given, and what it does to its globals ends with it. An engine that failed is not used again.
 */
import type {
  CustomizeVariantOptions,
  QuickJSContext,
  QuickJSHandle,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { ProgramError } from "./error.ts";

/** What is used of the global of that name, whose types are only in the browser's library. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
};

/** What crosses the border by value. */
export type Given = undefined | boolean | number | string | Uint8Array;

/** A function that programs may call; its arguments are whatever they say, as a text and two numbers. */
export type HostFunction = (text: string, first: number, second: number) => Given;

/** What a sandbox is made of. */
export interface SandboxOptions {
  /** A trusted script: gives a function that takes the host's functions and returns the functions to call. */
  readonly script: string;
  readonly host: Readonly<Record<string, HostFunction>>;
  /** When programs are stopped, as `performance.now()` counts. */
  readonly endsAt: number;
}

/** One set of globals. */
export interface Sandbox extends Disposable {
  /**
   * Calls a function of the script, which gives `=` and a value, 1 for none, or `!` and what was thrown. Throws `ProgramError`, and
   * whatever a host function threw.
   */
  readonly call: (name: string, ...given: readonly Given[]) => string;
}

/** Opens sandboxes, all in one engine's memory. */
export interface Sandboxes {
  /** Throws `ProgramError` when the engine has failed before. */
  readonly open: (options: SandboxOptions) => Sandbox;
}

const PAGE_BYTES = 65_536;
const INITIAL_BYTES = 16 * 1024 * 1024;
/** Of an engine with everything in it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** With 128 KiB deep recursion of the parser leaves the thread's own stack whole; twice as much does not. */
const STACK_BYTES = 96 * 1024;
const MAX_WORDS = 1000;
/** What functions of the script give in place of `=` and no value. */
const NOTHING = 1;

/** Loads an engine; takes some ten milliseconds. */
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
  /** Of those that were called. */
  readonly #known = new Map<string, QuickJSHandle>();
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

  call(name: string, ...given: readonly Given[]): string {
    const told = this.#guarded(() => {
      const context = this.#context;
      const handles = given.map((value) => this.#handleOf(value));
      const outcome = context.callFunction(this.#functionOf(name), context.undefined, handles);
      for (const handle of handles) handle.dispose();
      return this.#textOf(outcome);
    });
    if (told.startsWith("!")) throw new ProgramError("threw", told.slice(1, 1 + MAX_WORDS));
    return told.slice(1);
  }

  [Symbol.dispose](): void {
    if (this.#failed) return;
    this.#guarded(() => {
      for (const known of this.#known.values()) known.dispose();
      this.#functions.dispose();
      const { runtime } = this.#context;
      this.#context.dispose();
      runtime.dispose();
    });
  }

  #functionsOf(script: string, host: SandboxOptions["host"]): QuickJSHandle {
    return this.#guarded(() => {
      const context = this.#context;
      using make = this.#valueOf(context.evalCode(script, "prelude", { type: "global" }));
      using offered = context.newObject();
      for (const [name, run] of Object.entries(host)) {
        using made = context.newFunction(name, (text, first, second) =>
          this.#hosted(run, text, first, second),
        );
        context.setProp(offered, name, made);
      }
      return this.#valueOf(context.callFunction(make, context.undefined, offered));
    });
  }

  /** A host function's own trouble ends the program and is thrown by the call that led to it. */
  #hosted(run: HostFunction, ...[text, first, second]: readonly QuickJSHandle[]): QuickJSHandle {
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

  /** What JavaScript's own engine throws here, a full stack or a trap, leaves QuickJS in the middle of something. */
  #guarded<T>(run: () => T): T {
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
    let known = this.#known.get(name);
    if (known === undefined) {
      known = this.#context.getProp(this.#functions, name);
      this.#known.set(name, known);
    }
    return known;
  }

  /** A number stands for nothing to tell: it is read much faster than a text. */
  #textOf(outcome: Outcome): string {
    using value = this.#valueOf(outcome);
    return this.#context.getNumber(value) === NOTHING ? "=" : this.#context.getString(value);
  }

  #valueOf(outcome: Outcome): QuickJSHandle {
    if (outcome.error === undefined && this.#hostTrouble === undefined && !this.#isLate) return outcome.value;
    using thrown = outcome.error ?? outcome.value;
    if (this.#hostTrouble !== undefined) throw this.#hostTrouble.error;
    if (this.#isLate) throw new ProgramError("late", "execution timeout");
    throw new ProgramError("threw", wordsOf(this.#context.dump(thrown)));
  }

  #handleOf(value: Given): QuickJSHandle {
    const context = this.#context;
    if (value === undefined) return context.undefined;
    if (typeof value === "boolean") return value ? context.true : context.false;
    if (typeof value === "number") return context.newNumber(value);
    if (typeof value === "string") return context.newString(value);
    return context.newArrayBuffer(new Uint8Array(value).buffer); // a copy, of these bytes alone
  }
}

/** Of what the script itself could not catch, such as a lack of memory. */
function wordsOf(thrown: unknown): string {
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown };
  return typeof name === "string" && typeof message === "string" ? `${name}: ${message}` : "Error";
}
