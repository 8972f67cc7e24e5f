/** Readiness of the node for clients, with the reason when it is not ready. */

import type { Chain } from "../chain/chain.ts";
import type { SigningState } from "../consensus/bft/engine.ts";
import type { DiskSpace } from "../observe/disk-space.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { State } from "../state/state.ts";
import type { Readiness } from "../transport/operations.ts";
import { blocksToUnknownFork, isSoon } from "./fork-watch.ts";
import type { NodeNetwork } from "./network.ts";
import type { NodeOptions } from "./options.ts";

/** Parts that readiness depends on. */
export interface ReadinessDeps {
  readonly options: {
    readonly type: NodeOptions["type"];
    readonly consensus: { readonly intervalMs: number };
  };
  readonly chain: Pick<Chain, "head" | "config">;
  readonly clock: Clock;
  readonly state: Pick<State, "ready" | "migration">;
  readonly network: {
    readonly seeksPeers: boolean;
    readonly protocol: Pick<NodeNetwork["protocol"], "synced" | "syncing" | "peerCount">;
  };
  readonly disk: Pick<DiskSpace, "isLow">;
  /** State of signing; undefined on a node that takes no part in the agreement, or not yet. */
  readonly signing: () => SigningState | undefined;
}

/** `keepsAway` is false of what clients need not care about. */
interface Reason {
  readonly name: string;
  readonly keepsAway: boolean;
  readonly holds: () => boolean;
}

/** Judges whenever it is called; also declares what it says as metrics. */
export function openReadiness(deps: ReadinessDeps, metrics: Metrics): () => Readiness {
  const reasons = reasonRows(deps);
  const judge = (): Readiness => {
    const held = reasons.filter(({ holds }) => holds());
    return { ready: !held.some(({ keepsAway }) => keepsAway), reasons: held.map(({ name }) => name) };
  };
  metrics.gauge({
    name: "knit_ready",
    help: "1 while /readyz reports ready.",
    read: () => Number(judge().ready),
  });
  metrics.values("gauge", {
    name: "knit_readiness_reason",
    help: "1 for each reason that /readyz reports.",
    labels: ["reason"],
    read: () => reasons.map(({ name, holds }) => [[name], Number(holds())]),
  });
  return judge;
}

/** States in which a validator does not sign. */
const HELD_BACK = ["listening", "below-min-height", "doppelganger"] as const;

function reasonRows(parts: ReadinessDeps): readonly Reason[] {
  const { state, network, disk } = parts;
  const { protocol } = network;
  const isOpen = isSettled(state.ready);
  const isSynced = isSettled(protocol.synced);
  const started = (): boolean => isOpen() && (isSynced() || !network.seeksPeers);
  const noPeers = (): boolean => network.seeksPeers && protocol.peerCount() === 0;
  return [
    { name: "starting", keepsAway: true, holds: () => !started() },
    { name: "syncing", keepsAway: true, holds: () => protocol.syncing() !== undefined },
    { name: "too-few-peers", keepsAway: true, holds: noPeers },
    { name: "stale-head", keepsAway: true, holds: () => hasStaleHead(parts) },
    ...HELD_BACK.map((name) => ({ name, keepsAway: true, holds: () => parts.signing() === name })),
    { name: "disk-low", keepsAway: true, holds: () => disk.isLow },
    { name: "unknown-fork", keepsAway: true, holds: () => blocksToUnknownFork(parts.chain) <= 0 },
    {
      name: "unknown-fork-soon",
      keepsAway: false,
      holds: () => isSoon(blocksToUnknownFork(parts.chain)),
    },
    { name: "migrating", keepsAway: false, holds: () => state.migration.status.isMigration },
  ];
}

/** Age at which a head is stale, and the same in intervals between blocks where these are longer. */
const STALE_MS = 60_000;
const STALE_INTERVALS = 10;

/**
 * True of an endpoint among peers without a recent block: its answers are old, although no peer has newer ones. Core
 * nodes and proxies serve no clients, and a node without peers serves the chain that it has.
 */
function hasStaleHead({ options, chain, clock, network }: ReadinessDeps): boolean {
  if (options.type !== "endpoint" || !network.seeksPeers) return false;
  const staleMs = Math.max(STALE_MS, STALE_INTERVALS * options.consensus.intervalMs);
  return clock.now() - chain.head().header.time * 1000 > staleMs;
}

/** False until the promise has resolved. */
function isSettled(promise: Promise<unknown>): () => boolean {
  let is = false;
  promise.then(
    () => (is = true),
    () => undefined, // what has failed never starts
  );
  return () => is;
}
