/** Tests of the state after kills of a process that writes blocks, in all modes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { crashModes } from "./crash-modes.ts";
import { aTemporaryDirectory, makeBlock, openInMemory, openOnDisk } from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contentOf } from "./random-block.ts";
import { contractsOf, randomBlock } from "./random-contracts.ts";

const KILLS = Math.ceil(Number(process.env["KNIT_KILLS"] ?? 4) / 4);
const CHILD = fileURLToPath(new URL("crash-child.ts", import.meta.url));

/** Lets a child make blocks and kills it a moment after its first; the number of its last acknowledged block. */
async function runAndKill(directory: string, moment: number, mode: string): Promise<number> {
  const child = spawn(process.execPath, [CHILD, directory, mode], { stdio: ["ignore", "pipe", "inherit"] });
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

test.each([
  ["full", 6],
  ["retention", 20],
  ["archive", Number.MAX_SAFE_INTEGER],
  ["migrating", 0],
])(
  `no kill loses an acknowledged block or leaves a wrong state (%s, ${KILLS} kills)`,
  async (mode, depth) => {
    using directory = aTemporaryDirectory();
    await using twin = await openInMemory({ retention: 6, archive: true });
    const random = aRandom(Number(process.env["KNIT_SEED"] ?? 2024));
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await runAndKill(directory.path, random.below(150), mode);
      await using node = await openOnDisk(directory.path, crashModes[mode]);
      const { state } = node;
      expect(state.number).toBeGreaterThanOrEqual(acknowledged);
      while (twin.state.number < state.number) await makeBlock(twin, randomBlock(twin.state.number + 1));
      expect(toHex(state.root)).toBe(toHex(twin.state.root));
      const oldest = Math.max(0, state.number - depth);
      for (const number of [state.number, oldest, oldest + random.below(state.number - oldest + 1)]) {
        expect(contentOf(node, number)).toEqual(contentOf(twin, number));
        expect(contractsOf(state.view(number))).toEqual(contractsOf(twin.state.view(number)));
      }
      await state.ready;
      const { accounts, slots, strayNodes, straySlots } = await state.verify();
      const wanted = { ...(await counts(twin)), strayNodes: 0, straySlots: 0 };
      expect({ accounts, slots, strayNodes, straySlots }).toEqual(wanted);
    }
  },
  3_600_000,
);

async function counts({ state }: Awaited<ReturnType<typeof openInMemory>>): Promise<object> {
  const { accounts, slots } = await state.verify();
  return { accounts, slots };
}
