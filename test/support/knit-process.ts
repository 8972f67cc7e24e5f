/** The real program as a child process, the way a person starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The program, built: it starts in two thirds of the time that its sources need (`build.js`). */
export const MAIN = fileURLToPath(new URL("../../.cache/built/node/main.js", import.meta.url));

/** A running `knit`. */
export interface KnitProcess {
  readonly child: ChildProcess;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Resolves with the match once the output holds `pattern`; rejects when the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Sends the signal and resolves with the exit code when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `knit` with these arguments. */
export function startKnit(...args: string[]): KnitProcess {
  return startKnitBehind([], args);
}

/** The same as the last arguments of another command. */
export function startKnitBehind(prefix: readonly string[], args: readonly string[]): KnitProcess {
  const [command, ...rest] = [...prefix, process.execPath, MAIN, ...args];
  const child = spawn(command ?? process.execPath, rest, { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const exited = once(child, "exit");
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  return {
    child,
    output: () => text,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const match = text.match(pattern);
          if (match === null) return;
          listeners.delete(check);
          resolve(match);
        };
        listeners.add(check);
        exited.then(() => reject(new Error(`knit ended before printing ${pattern}:\n${text}`)), reject);
        check();
      }),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

/** Exit and output of a run of `knit`. */
export interface KnitRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs `knit` to its end. */
export function runKnit(...args: string[]): Promise<KnitRun> {
  return runKnitBehind([], args);
}

/** The same as the last arguments of another command. */
export async function runKnitBehind(prefix: readonly string[], args: readonly string[]): Promise<KnitRun> {
  const knit = startKnitBehind(prefix, args);
  const [code] = (await once(knit.child, "close")) as [number | null];
  return { code, output: knit.output() };
}
