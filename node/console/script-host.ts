/** Runs the script thread for the terminal's thread and responds to its requests. */
import { extname } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { messageOf } from "../bytes/message-of.ts";
import type { Answer, ScriptData, ScriptMessage, ScriptTask, TerminalRequest } from "./wire.ts";

/** Handlers of the thread's requests and of its output. */
export interface ScriptHostDeps extends Omit<ScriptData, "bell" | "answers"> {
  readonly print: (text: string) => void;
  /** Responds to a request. Rejects with the error for the script. */
  readonly answer: (question: TerminalRequest) => Promise<string>;
}

type Ended = Extract<ScriptMessage, { readonly kind: "done" | "completions" }>;

/** A thread of scripts that runs one task at a time. Disposing it ends the thread at once. */
export class ScriptHost implements AsyncDisposable {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<Ended> | undefined;

  constructor({ print, answer, ...data }: ScriptHostDeps) {
    const bell = new Int32Array(new SharedArrayBuffer(4));
    const { port1: answers, port2 } = new MessageChannel();
    this.#worker = new Worker(new URL(`./script-thread${extname(import.meta.url)}`, import.meta.url), {
      workerData: { ...data, bell, answers: port2 } satisfies ScriptData,
      transferList: [port2],
    });
    const reply = (given: Answer): void => {
      answers.postMessage(given, []);
      Atomics.store(bell, 0, 1);
      Atomics.notify(bell, 0);
    };
    this.#worker.on("message", (message: ScriptMessage) => {
      if (message.kind === "print") return print(message.text);
      if (message.kind !== "question") return this.#waiting?.resolve(message);
      answer(message.question).then(
        (text) => reply({ text }),
        (error: unknown) => reply({ failure: messageOf(error) }),
      );
    });
    this.#worker.on("error", (error) => this.#waiting?.reject(error));
    this.#worker.on("exit", () => {
      answers.close();
      this.#waiting?.reject(new Error("the thread of scripts ended"));
    });
  }

  /** Runs a source and prints its result or its error. */
  async evaluate(source: string): Promise<void> {
    await this.#do({ kind: "evaluate", source, shows: true });
  }

  /** Runs a source and ignores its error. */
  async attempt(source: string): Promise<void> {
    await this.#do({ kind: "evaluate", source, shows: false });
  }

  /** Runs a file. Rejects with its error. */
  async load(path: string): Promise<void> {
    const ended = await this.#do({ kind: "load", path });
    if (ended.kind === "done" && ended.failure !== undefined) throw new Error(`${path}: ${ended.failure}`);
  }

  async completions(word: string): Promise<readonly string[]> {
    const ended = await this.#do({ kind: "complete", word });
    return ended.kind === "completions" ? ended.names : [];
  }

  async #do(task: ScriptTask): Promise<Ended> {
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(task, []);
    try {
      return await this.#waiting.promise;
    } finally {
      this.#waiting = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
