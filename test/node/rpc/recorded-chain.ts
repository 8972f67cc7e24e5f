/** The recorded chain in memory, and a pool on it. */
import type { Chain } from "../../../node/chain/chain.ts";
import { chainForPool } from "../../../node/compose/pool.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { openTxPool } from "../../../node/txpool/open-pool.ts";
import type { TxPool } from "../../../node/txpool/pool.ts";
import { aChain, decodedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";

/** All recorded blocks, imported. */
export async function recordedChain(): Promise<TestChain> {
  const chain = await aChain(await recordedGenesis());
  for (const block of (await decodedBlocks()).slice(1)) await chain.writer.insert(block);
  await chain.writer.settle();
  return chain;
}

/** A pool on a chain, without a journal. */
export function aPool(chain: Chain): Promise<TxPool> {
  return openTxPool({
    chain: chainForPool(chain),
    clock: systemClock,
    log: silentLog,
    metrics: createMetrics(),
  });
}
