/** A terminal as a reader of a page has it: one shell for several commands, which keep their variables. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Output of commands. */
export interface Shown {
  readonly code: number;
  readonly output: string;
  /** Standard error, as much of it as had arrived. */
  readonly complaint: string;
}

/** A running shell. */
export interface Terminal extends AsyncDisposable {
  /** Runs commands up to the first one that fails, which ends the shell. */
  run(text: string): Promise<Shown>;
}

const MARK = "-- the commands have ended --";

/** Starts a shell in a directory. */
export function openTerminal(directory: string, variables: Readonly<Record<string, string>>): Terminal {
  const shell = spawn("bash", ["-e"], { cwd: directory, env: { ...process.env, ...variables } });
  const closed = once(shell, "close") as Promise<[number | null]>;
  let texts = { output: "", complaint: "" };
  let onEnd: (() => void) | undefined;
  shell.stdout.setEncoding("utf8").on("data", (more: string) => {
    texts.output += more;
    if (texts.output.includes(MARK)) onEnd?.();
  });
  shell.stderr.setEncoding("utf8").on("data", (more: string) => void (texts.complaint += more));
  shell.stdin.on("error", () => undefined);
  return {
    async run(text) {
      texts = { output: "", complaint: "" };
      const ended = new Promise<number>((resolve) => {
        onEnd = () => resolve(0);
      });
      // The block is read as a whole before its first command, which must not read the next ones.
      shell.stdin.write(`{\n${text}\n} </dev/null\necho "${MARK}"\n`);
      const code = await Promise.race([ended, closed.then(([status]) => status ?? 1)]);
      return { ...texts, code, output: texts.output.replace(`${MARK}\n`, "") };
    },
    async [Symbol.asyncDispose]() {
      shell.stdin.end("exit 0\n");
      await closed;
    },
  };
}
