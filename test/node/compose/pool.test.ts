/** Tests of the pool as the node composes it. */
import { expect, test } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { developmentGenesis } from "../../../node/chain/development.ts";
import { chainForPool, openPool } from "../../../node/compose/pool.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { DEFAULT_POOL_OPTIONS } from "../../../node/txpool/options.ts";
import { aChain } from "../../support/chain.ts";
import { aTransfer } from "../../support/protocol-node.ts";

const genesis = developmentGenesis({
  validator: new Uint8Array(20),
  keys: DEVELOPMENT_KEYS.slice(0, 3),
  chainId: 1337,
  balance: 10n ** 28n,
  time: 1,
});

test("a transaction has one blob at most in the pool, also where a block may have six", async () => {
  const verbatim = { blobSchedule: { osaka: { target: 3, max: 6, baseFeeUpdateFraction: 5_007_716 } } };
  await using open = await aChain({ ...genesis, config: { ...genesis.config, verbatim } });
  expect(chainForPool(open.chain).maxBlobs).toBe(1);
});

test.each([
  ["klaytn", "accepted"],
  ["kaia", "tx gas limit exceeds the upper limit: gas 600000000, limit 500000000"],
])("the pool of the profile %s answers a gas limit above 500,000,000: %s", async (profile, outcome) => {
  await using open = await aChain(genesis);
  const options = { pool: { ...DEFAULT_POOL_OPTIONS, journal: undefined }, rpc: { profile } };
  const deps = { chain: open.chain, log: silentLog, metrics: createMetrics(), memory: { isShort: false } };
  await using pool = await openPool(options as never, deps as never);
  const add = async (): Promise<string> => {
    pool.add(aTransfer(0, 0, 600_000_000n), "local");
    return "accepted";
  };
  expect(await add().catch((error: Error) => error.message)).toBe(outcome);
});
