import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { aTemporaryDirectory, makeBlock, openInMemory, openOnDisk } from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contentOf, randomChange } from "./random-block.ts";

const KILLS = Number(process.env["KNIT_KILLS"] ?? 10);
const CHILD = fileURLToPath(new URL("crash-child.ts", import.meta.url));

/** Lets a child make blocks and kills it a moment after its first; the number of its last acknowledged block. */
async function runAndKill(directory: string, moment: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  let acknowledged = -1;
  const first = once(lines, "line");
  lines.on("line", (line) => {
    acknowledged = Number(line);
  });
  await first;
  await setTimeout(moment);
  child.kill("SIGKILL");
  await Promise.all([once(child, "close"), once(lines, "close")]);
  return acknowledged;
}

test(`no kill loses an acknowledged block or leaves a wrong state (${KILLS} kills)`, async () => {
  using directory = aTemporaryDirectory();
  await using twin = await openInMemory({ retention: 6 });
  const random = aRandom(Number(process.env["KNIT_SEED"] ?? 2024));
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await runAndKill(directory.path, random.below(150));
    await using node = await openOnDisk(directory.path, { flushInterval: 3, retention: 6 });
    expect(node.state.number).toBeGreaterThanOrEqual(acknowledged);
    while (twin.state.number < node.state.number) {
      await makeBlock(twin, randomChange(aRandom(twin.state.number + 1)));
    }
    expect(toHex(node.state.root)).toBe(toHex(twin.state.root));
    for (const number of [node.state.number, Math.max(0, node.state.number - 6)]) {
      expect(contentOf(node, number)).toEqual(contentOf(twin, number));
    }
    await node.state.ready;
    const { accounts, slots, strayNodes } = await node.state.verify();
    expect({ accounts, slots, strayNodes }).toEqual({ ...(await counts(twin)), strayNodes: 0 });
  }
}, 600_000);

async function counts({ state }: Awaited<ReturnType<typeof openInMemory>>): Promise<object> {
  const { accounts, slots } = await state.verify();
  return { accounts, slots };
}
