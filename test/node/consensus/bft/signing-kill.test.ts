/**
 * A validator is killed with `kill -9` while it signs, again and again: in all its lives together it never signs two
 * things of a kind in one round, and never votes for another block than the one that it was bound to. `KNIT_KILLS`
 * says how often, a tenth of it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { seededRandom } from "../../../support/random.ts";

const KILLS = Math.ceil(Number(process.env["KNIT_KILLS"] ?? 10) / 10);
const PROCESS = fileURLToPath(new URL("../../../support/bft/signing-process.ts", import.meta.url));
const random = seededRandom(7);

/** Messages until it was killed, some of them after the first. */
async function saidInOneLife(directory: string, seed: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [PROCESS, directory, `${seed}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const said: string[] = [];
  const most = 5 + Math.floor(random() * 60);
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === most) child.kill("SIGKILL");
  }
  await gone;
  return said;
}

/** Each kind is for one block in each round, and from the first commit on for the block of that. */
function checkContradictions(said: readonly string[], bound: string | undefined): void {
  const signed = new Map<string, string>();
  let isBound = false;
  for (const line of said) {
    const [kind = "", round = "", digest = ""] = line.split(" ");
    const before = signed.get(`${kind} ${round}`) ?? digest;
    expect(line).toBe(`${kind} ${round} ${before}`);
    signed.set(`${kind} ${round}`, digest);
    isBound ||= kind === "commit";
    if (isBound && kind !== "round-change") expect(digest).toBe(bound);
  }
}

test("a killed validator never contradicts itself", async () => {
  const directory = await mkdtemp(join(tmpdir(), "knit-signing-"));
  try {
    const said: string[] = [];
    for (let life = 0; life <= KILLS; life++) said.push(...(await saidInOneLife(directory, life)));
    const bound = said.find((line) => line.startsWith("commit "))?.split(" ")[2];
    expect(bound).toBeDefined();
    checkContradictions(said, bound);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 600_000);
