/** A program in a real terminal, of which `script` (util-linux) keeps the other end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A running program and its screen; disposal kills it. */
export class Terminal implements Disposable {
  readonly #child: ChildProcess;
  #output = "";

  constructor(command: readonly string[]) {
    const line = command.map((word) => `'${word}'`).join(" ");
    this.#child = spawn("script", ["-qec", `stty cols 120; exec ${line}`, "/dev/null"]);
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  /** Lines as they stand on the screen. */
  lines(): string[] {
    return screenLines(this.#output);
  }

  /** Types, as fast as a person who waits for the prompt. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Resolves when the last line is this and, if told, the number of lines; rejects after half a minute. */
  async shows(last: string, count = 0): Promise<void> {
    const end = performance.now() + 30_000;
    const isThere = (lines: readonly string[]): boolean => lines.at(-1) === last && lines.length >= count;
    while (!isThere(this.lines())) {
      if (performance.now() > end)
        throw new Error(`no ${JSON.stringify(last)} in the terminal:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  /** Resolves with what is on the screen when the program has ended. */
  async ended(): Promise<string[]> {
    if (this.#child.exitCode === null) await once(this.#child, "close");
    return this.lines();
  }
}

/** Screen of a terminal after these bytes: lines that were redrawn count once, colours are left out. */
export function screenLines(bytes: string): string[] {
  const escape = "\u001b";
  const drawn = bytes
    .replaceAll(`${escape}[1G${escape}[0K`, "\f")
    .replaceAll(`${escape}[1G${escape}[0J`, "\f");
  const plain = drawn.replaceAll(new RegExp(`${escape}\\[[0-9;]*[A-Za-z]`, "g"), "");
  return plain
    .replaceAll("\r", "")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\f") + 1));
}
