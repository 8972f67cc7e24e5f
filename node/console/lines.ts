/** Reader of input lines: with line editing on a terminal, plain from any other input. */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { callbackify } from "node:util";
import { ECHO_WARNING } from "./echo-warning.ts";

/** Streams of a console. */
export interface ConsoleStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** A line, or the reason for none. */
export type Typed =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C, which drops the line. */
  | { readonly kind: "aborted" }
  /** Ctrl-D or the end of the input. */
  | { readonly kind: "end" };

/** Completes the line up to the cursor. */
export type Completer = (line: string) => Promise<[names: string[], word: string]>;

/** The undeclared history of the readline interface, the newest line first. */
interface WithHistory {
  history?: string[];
}

/**
 * Reads lines from a terminal or a stream. `onInterrupt` is called for Ctrl-C while no line is read.
 * Disposing it ends the reading.
 */
export class Lines implements Disposable {
  readonly #interface: Interface;
  readonly #isTerminal: boolean;
  readonly #output: ConsoleStreams["output"];
  readonly #queue: Typed[] = [];
  #waiting: ((typed: Typed) => void) | undefined;
  #isHidden = false;
  #warned = false;

  constructor({ input, output }: ConsoleStreams, complete: Completer, onInterrupt: () => void) {
    this.#output = output;
    this.#isTerminal = input.isTTY === true && output.isTTY === true;
    const shown = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (!this.#isHidden) output.write(chunk);
        done();
      },
    });
    this.#interface = createInterface({
      input,
      output: Object.assign(shown, { columns: output.columns, isTTY: this.#isTerminal }),
      terminal: this.#isTerminal,
      historySize: HISTORY_SIZE,
      completer: callbackify(complete),
    });
    this.#interface.on("line", (text) => this.#give({ kind: "line", text }));
    this.#interface.on("close", () => this.#give({ kind: "end" }));
    this.#interface.on("SIGINT", () => {
      if (this.#waiting === undefined) return onInterrupt();
      output.write("^C\n");
      this.#interface.write(null, { ctrl: true, name: "e" });
      this.#interface.write(null, { ctrl: true, name: "u" });
      this.#give({ kind: "aborted" });
    });
  }

  #give(typed: Typed): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#queue.push(typed);
    else waiting(typed);
  }

  /** Reads a line. `history` has the commands so far, the oldest first. */
  async next(prompt: string, history: readonly string[]): Promise<Typed> {
    this.#remember(history);
    if (this.#isTerminal) {
      this.#interface.setPrompt(prompt);
      this.#interface.prompt();
    } else {
      this.#output.write(prompt);
    }
    return this.#take();
  }

  /** Reads a line without echo. Rejects when the input ends. */
  async secret(prompt: string): Promise<string> {
    if (!this.#isTerminal && !this.#warned) {
      this.#output.write(ECHO_WARNING);
      this.#warned = true;
    }
    this.#output.write(prompt);
    this.#isHidden = true;
    try {
      this.#interface.setPrompt("");
      const typed = await this.#take();
      if (typed.kind === "line") return typed.text;
      throw new Error(typed.kind === "end" ? "EOF" : "prompt aborted");
    } finally {
      this.#isHidden = false;
      this.#output.write("\n");
    }
  }

  #take(): Promise<Typed> {
    const next = this.#queue.shift();
    if (next?.kind === "end") this.#queue.unshift(next); // for whoever asks again
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Replaces the library's history, which may have a passphrase. */
  #remember(history: readonly string[]): void {
    const { history: entries } = this.#interface as WithHistory;
    entries?.splice(0, entries.length, ...history.toReversed());
  }

  [Symbol.dispose](): void {
    this.#interface.close();
  }
}

const HISTORY_SIZE = 1_000;
