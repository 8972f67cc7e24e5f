/** Validators at their start: what they wait for before they sign, in virtual time (`test/support/whole/level-run.ts`). */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const RUN = fileURLToPath(new URL("../../support/whole/level-run.ts", import.meta.url));
const TIMEOUT_MS = 120_000;

interface Outcome {
  /** Per validator. */
  readonly signed: readonly boolean[];
  readonly blocks: readonly number[];
}

function run(scene: "alone" | "liars"): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [RUN, scene], (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Outcome);
      else reject(error);
    });
  });
}

test(
  "a validator that has boot nodes alone signs nothing before a peer has reported its head",
  async () => {
    expect(await run("alone")).toMatchObject({ signed: [false], blocks: [0] });
  },
  TIMEOUT_MS,
);

test(
  "strangers who claim blocks that do not exist keep no validator from signing and following",
  async () => {
    const { signed, blocks } = await run("liars");
    expect(signed).toEqual([true, true, true, true]);
    expect(Math.min(...blocks)).toBeGreaterThan(60);
  },
  TIMEOUT_MS,
);
