/** Opens the transaction pool of a node and adapts the chain to what the pool reads. */
import { join } from "node:path";
import type { Chain } from "../chain/chain.ts";
import { recoverSigners } from "../chain/recover-signers.ts";
import { rpcProfiles } from "../compat/profiles.ts";
import { MAX_TRANSACTION_BLOBS } from "../config/blob-schedule.ts";
import type { Kzg } from "../crypto/kzg.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { recoverInTurns } from "../crypto/recovery-turns.ts";
import type { Gasless } from "../gasless/gasless.ts";
import type { DiskSpace } from "../observe/disk-space.ts";
import type { Log } from "../observe/log.ts";
import type { MemoryWatch } from "../observe/memory-watch.ts";
import type { Metrics } from "../observe/metrics.ts";
import { systemClock } from "../runtime/clock.ts";
import type { StateView } from "../state/state.ts";
import { kzgProver } from "../txpool/blobs.ts";
import { openTxPool } from "../txpool/open-pool.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { PoolChain, PoolState } from "../txpool/pool-chain.ts";
import { openSidecars, type Sidecars } from "../txpool/sidecars.ts";
import type { NodeOptions } from "./options.ts";

/** Parts that the pool works with. */
export interface OpenPoolDeps {
  readonly chain: Chain;
  readonly recoverer: Recoverer;
  readonly kzg: Kzg;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly memory: MemoryWatch;
  /** Rules for senders without KAIA. */
  readonly gasless: Gasless | undefined;
}

/** Opens the transaction pool on a chain. */
export function openPool(
  options: NodeOptions,
  { chain, recoverer, kzg, log, metrics, memory, gasless }: OpenPoolDeps,
): Promise<TxPool> {
  const { chainId } = chain.config;
  const strangers = recoverInTurns(recoverer);
  return openTxPool({
    chain: chainForPool(chain),
    clock: systemClock,
    log,
    metrics,
    options: { ...options.pool, maxGas: rpcProfiles[options.rpc.profile].maxGas },
    journalPath: options.isTemporary ? undefined : options.pool.journal, // it would end with the chain
    prove: kzgProver(kzg),
    recoverSenders: (transactions) => recoverSigners(strangers, chainId, transactions),
    isShort: () => memory.isShort,
    exceptions: gasless,
  });
}

/** Opens the blob sidecars of a chain that the pool follows. */
export function openNodeSidecars(
  { paths }: Pick<NodeOptions, "paths">,
  deps: Pick<OpenPoolDeps, "chain" | "kzg" | "log"> & {
    readonly pool: TxPool;
    readonly disk: Pick<DiskSpace, "isLow">;
  },
): Sidecars {
  const { chain, kzg, log, pool, disk } = deps;
  return openSidecars({
    chain,
    pool,
    prove: kzgProver(kzg),
    directory: join(paths.chainData, "blobs"),
    hasRoom: () => !disk.isLow,
    clock: systemClock,
    log,
  });
}

/** The chain as the transaction pool sees it. */
export function chainForPool(chain: Chain): PoolChain {
  const head = (): number => chain.head().header.number;
  return {
    chainId: chain.config.chainId,
    maxBlobs: MAX_TRANSACTION_BLOBS,
    head: () => chain.head().header,
    rules: (number) => chain.rules(number),
    stateAtHead: () => poolState(chain.stateAt(head())),
    unitPrice: (number) => chain.parameters(number).unitPrice,
    nextBaseFee: () => chain.nextBaseFee(),
    gasLimit: (number) => chain.gasLimit(number),
    onHead: (listener) => {
      const ends = [chain.onHead(listener), chain.onRewind((_removed, block) => listener(block, []))];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function poolState(view: StateView): PoolState {
  return {
    account: (address) => view.account(address),
    nonce: (address) => view.account(address)?.nonce ?? 0n,
    balance: (address) => view.account(address)?.balance ?? 0n,
  };
}
