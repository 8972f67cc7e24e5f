/** A command line's surroundings, played: streams that record, signals that are pressed, a node of no substance. */
import { EventEmitter } from "node:events";
import type { NodeCommands } from "../../node/cli/commands.ts";
import type { Shell } from "../../node/cli/shell.ts";

/** A shell and what happened in it. */
export interface FakeShell {
  readonly shell: Shell;
  readonly out: () => string;
  readonly err: () => string;
  readonly press: (signal: "SIGINT" | "SIGTERM") => void;
  readonly exits: readonly number[];
  /** Number of listeners for signals. */
  readonly listeners: () => number;
}

const refuse = () => Promise.reject(new Error("this test expects no such call"));

/** A shell in which the node does what `commands` says and refuses the rest, and a person types `answers`. */
export function fakeShell(
  commands: Partial<NodeCommands> = {},
  environment: Record<string, string> = {},
  answers: readonly string[] = [],
): FakeShell {
  const left = [...answers];
  const out: string[] = [];
  const err: string[] = [];
  const exits: number[] = [];
  const emitter = new EventEmitter();
  const node: NodeCommands = {
    openNode: refuse,
    genesisHash: refuse,
    initDatadir: refuse,
    importChain: refuse,
    importGoDatadir: refuse,
    exportChain: refuse,
    rewindDatadir: refuse,
    measureDatabase: refuse,
    createCheckpoint: refuse,
    verifyCheckpoint: refuse,
    pushCheckpoint: refuse,
    streamCheckpoint: refuse,
    pullCheckpoint: refuse,
    listCheckpoints: refuse,
    bootstrap: refuse,
    verifyDatabase: refuse,
    ...commands,
  };
  return {
    shell: {
      program: "knit",
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
      prompter: {
        passphrase: (question) => {
          out.push(question, "\n");
          const answer = left.shift();
          return answer === undefined ? refuse() : Promise.resolve(answer);
        },
      },
      binary: () => ({ input: process.stdin, write: refuse }),
      terminal: () => ({ input: process.stdin, output: process.stdout }),
      environment,
      host: { platform: "linux", home: "", workingDirectory: process.cwd(), exists: () => false },
      signals: {
        on: (name, listener) => emitter.on(name, listener),
        off: (name, listener) => emitter.off(name, listener),
        exit: (code) => void exits.push(code),
      },
      clock: { now: () => 0 },
      limitHeap: () => undefined,
      loadNode: () => Promise.resolve(node),
    },
    out: () => out.join(""),
    err: () => err.join(""),
    press: (signal) => void emitter.emit(signal),
    exits,
    listeners: () => emitter.listenerCount("SIGINT") + emitter.listenerCount("SIGTERM"),
  };
}
