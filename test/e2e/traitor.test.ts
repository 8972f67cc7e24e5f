/**
 * Four validators, one of which lies to the others in every way that the simulation knows, over real connections. The
 * others agree on one chain, which goes on; the second time two of them are Go nodes. KNIT_TRAITOR_BLOCKS is the number
 * of blocks: four of each kind of lie.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import type { NetworkNode, NetworkOptions } from "../../scripts/network/network.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { MAIN } from "../support/knit-process.ts";
import { reachHeight } from "../support/network-answers.ts";
import { testNetworks } from "../support/test-network.ts";

const BLOCKS = Number(process.env["KNIT_TRAITOR_BLOCKS"] ?? 8);
/** Each block may wait for the end of a round, of ten seconds. */
const TIMEOUT_MS = 60_000 + 12_000 * BLOCKS;
const TRAITOR = 1;
const TRAITOR_FILE = fileURLToPath(new URL("../support/bft/traitor.ts", import.meta.url));

const networks = testNetworks("traitor");

async function hashOf({ ask }: NetworkNode, number: number): Promise<unknown> {
  const block = await ask("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
  return (block as { readonly hash: string }).hash;
}

function liesOf(directory: string, name: string): ReadonlySet<string> {
  const log = readFileSync(join(directory, `${name}.log`), "utf8");
  return new Set([...log.matchAll(/^lie (\S+) \d+$/gm)].map(([, kind = ""]) => kind));
}

async function agreeBeside(go: NetworkOptions["go"]): Promise<void> {
  const size = { core: 4, proxy: 0, endpoint: 0 };
  const entryOf = (place: number) => (place === TRAITOR ? TRAITOR_FILE : MAIN);
  const { nodes } = await networks.open({ size, entryOf, go });
  const honest = nodes.filter((_, place) => place !== TRAITOR);
  await reachHeight(honest, BLOCKS);
  for (let number = 1; number <= BLOCKS; number++) {
    const hashes = await Promise.all(honest.map((node) => hashOf(node, number)));
    expect({ number, hashes: new Set(hashes).size }).toEqual({ number, hashes: 1 });
  }
  const kinds = liesOf(networks.directory, `core-${TRAITOR}`);
  expect(kinds.size).toBeGreaterThanOrEqual(Math.min(6, Math.floor(BLOCKS / 4)));
}

test("honest validators agree while one lies", () => agreeBeside(undefined), TIMEOUT_MS);

const [goTest, reason] = goTests();

goTest(
  `honest validators of both programs agree while one lies${reason}`,
  () => agreeBeside({ core: 2, binary: GO_BINARY }),
  TIMEOUT_MS,
);
