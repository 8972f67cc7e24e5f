/** Readiness of the node for clients, with the reason when it is not ready. */

import type { DiskSpace } from "../observe/disk-space.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { State } from "../state/state.ts";
import type { Readiness } from "../transport/operations.ts";
import type { NodeNetwork } from "./network.ts";

/** Parts that readiness depends on. */
export interface ReadinessDeps {
  readonly state: Pick<State, "ready" | "migration">;
  readonly network: {
    readonly seeksPeers: boolean;
    readonly protocol: Pick<NodeNetwork["protocol"], "synced" | "syncing" | "peerCount">;
  };
  readonly disk: Pick<DiskSpace, "isLow">;
}

/** `keepsAway` is false of what clients need not care about. */
interface Reason {
  readonly name: string;
  readonly keepsAway: boolean;
  readonly holds: () => boolean;
}

/** Judges whenever it is called; also declares what it says as metrics. */
export function openReadiness(parts: ReadinessDeps, metrics: Metrics): () => Readiness {
  const reasons = reasonRows(parts);
  const judge = (): Readiness => {
    const held = reasons.filter(({ holds }) => holds());
    return { ready: !held.some(({ keepsAway }) => keepsAway), reasons: held.map(({ name }) => name) };
  };
  metrics.gauge({ name: "knit_ready", help: "1 when /readyz says so.", read: () => Number(judge().ready) });
  metrics.values("gauge", {
    name: "knit_readiness_reason",
    help: "1 for each reason that /readyz names.",
    labels: ["reason"],
    read: () => reasons.map(({ name, holds }) => [[name], Number(holds())]),
  });
  return judge;
}

function reasonRows({ state, network, disk }: ReadinessDeps): readonly Reason[] {
  const { protocol, seeksPeers } = network;
  const started = isSettled(seeksPeers ? Promise.all([state.ready, protocol.synced]) : state.ready);
  const noPeers = (): boolean => seeksPeers && protocol.peerCount() === 0;
  return [
    { name: "starting", keepsAway: true, holds: () => !started() },
    { name: "syncing", keepsAway: true, holds: () => protocol.syncing() !== undefined },
    { name: "too-few-peers", keepsAway: true, holds: noPeers },
    { name: "disk-low", keepsAway: true, holds: () => disk.isLow },
    { name: "migrating", keepsAway: false, holds: () => state.migration.status.isMigration },
  ];
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
