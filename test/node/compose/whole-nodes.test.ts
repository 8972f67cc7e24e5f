/**
 * Whole nodes under one clock, one network and disks that lie by a seed. `KNIT_WHOLE_SEEDS` is the number of runs,
 * `KNIT_WHOLE_SEED` the first seed: `node test/support/whole/run.ts SEED 1 --log` repeats one with its log.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const SEEDS = Number(process.env["KNIT_WHOLE_SEEDS"] ?? 1);
const FIRST = Number(process.env["KNIT_WHOLE_SEED"] ?? 1);
const RUN = fileURLToPath(new URL("../../support/whole/run.ts", import.meta.url));
const TIMEOUT_MS = 120_000 + SEEDS * 20_000;

/** The lines of a run and its exit code. */
function run(...parameters: readonly string[]): Promise<{ lines: readonly string[]; code: number }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [RUN, ...parameters], (_, stdout) => {
      resolve({ lines: stdout.trim().split("\n"), code: child.exitCode ?? 1 });
    });
  });
}

test(
  "nodes never fork, contradict themselves or lose a published block, and come together once the world is good",
  async () => {
    const { lines, code } = await run(`${FIRST}`, `${SEEDS}`);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: expect.stringContaining('"blocks"') });
    expect(lines).toHaveLength(SEEDS);
  },
  TIMEOUT_MS,
);

test(
  "a seed gives the same run, also behind another one",
  async () => {
    const [alone, behind] = await Promise.all([run("2", "1"), run("1", "2")]);
    expect(behind.lines.at(-1)).toBe(alone.lines.at(-1));
  },
  TIMEOUT_MS,
);

test(
  "a disk that loses what it synced is found out",
  async () => {
    const { lines, code } = await run("1", "20", "--forgetful");
    expect(code).toBe(1);
    expect(lines.join("\n")).toMatch(/had published \d+ and opens at|signed twice|fork at/);
  },
  TIMEOUT_MS,
);
