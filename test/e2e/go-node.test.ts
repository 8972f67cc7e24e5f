/**
 * The Go node judges blocks made here: a chain of every fork level is imported by it, so headers, seals, roots,
 * base fees, fees and rewards are what it computes itself. Needs its binary: KNIT_PEER_KCN.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { forks } from "../../node/config/forks.ts";
import { hasGoNode, importWithGoNode } from "../support/go-node.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

const ETHEREUM_TYPES = [0, 0x7801, 0x7802];
/** Randomness and what came after it need contracts in the genesis, which chains made here do not have. */
const levels = forks.filter(({ ordered, changes }) => ordered && !changes.randao && !changes.blobGas);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-go-node-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const judged = hasGoNode ? test : test.skip;
const reason = hasGoNode ? "" : " (skipped: KNIT_PEER_KCN names no Go node)";

judged.each([
  ["no fork", 0, {}],
  ...levels.map(({ name }, i) => [name, i + 1, {}] as [string, number, object]),
  ["no fork, fees at once", 0, { deferredTxFee: false }],
  ["all forks, fees at once", levels.length, { deferredTxFee: false }],
] as [string, number, object][])(
  `the Go node imports a chain made here: %s${reason}`,
  async (name, count, reward) => {
    const active = levels.slice(0, count).map(({ configKey }) => configKey);
    const config = Object.fromEntries(active.map((key) => [key, 0]));
    const types = active.includes("ethTxTypeCompatibleBlock") ? ETHEREUM_TYPES : [0];
    for (const [policy, deriveShaImpl] of [
      [0, 2],
      [2, 0],
      [0, 1],
    ] as const) {
      const chain = join(directory, `${name}-${policy}-${deriveShaImpl}`);
      const istanbul = { epoch: 604_800, policy, sub: 22 };
      await makeTransferChain(chain, {
        accounts: 40,
        blocks: 12,
        transfers: 20,
        types,
        config: { ...config, istanbul, deriveShaImpl },
        reward,
      });
      expect((await importWithGoNode(chain, `${chain}-go`))?.seconds).toBeGreaterThan(0);
    }
  },
  120_000,
);
