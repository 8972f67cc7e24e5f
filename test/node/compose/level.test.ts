/** Nodes among peers that lie about their heads: when they sign and what they follow, in virtual time (`test/support/whole/level-run.ts`). */
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

function run(scene: "alone" | "liars" | "traitors" | "endpoint"): Promise<Outcome> {
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

test(
  "two validators that claim blocks again and again keep the others from signing for a while at most",
  async () => {
    const { signed, blocks } = await run("traitors");
    expect(signed).toEqual([true, true, true, true, true]);
    expect(Math.min(...blocks)).toBeGreaterThan(10); // two of seven proposers are silent
  },
  TIMEOUT_MS,
);

test(
  "an endpoint follows those who deliver blocks, among ten strangers who claim more with ever new keys",
  async () => {
    const { blocks } = await run("endpoint");
    expect(Math.min(...blocks)).toBeGreaterThan(140);
  },
  TIMEOUT_MS,
);
