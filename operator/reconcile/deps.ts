/** Dependencies of reconciliation: the API server, the cluster cache, the nodes and time. */
import type { PodDefaults, PodOptions } from "../build/stateful-set.ts";
import type { Channel } from "../control/channel.ts";
import type { Authorities } from "../control/rotation.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import type { Applier } from "./applier.ts";
import type { ClusterCache } from "./cluster-cache.ts";
import type { EventRecorder } from "./events.ts";
import type { ReconcileMemory } from "./memory.ts";
import type { Poller } from "./poller.ts";

/** Options of the operator that reconciliation uses. */
export interface OperatorSettings extends PodDefaults, Pick<PodOptions, "nodeImage" | "gatewayImage"> {
  /** Namespace of the operator. */
  readonly operatorNamespace: string;
  /** Identity of the release: namespace and name of its Lease. */
  readonly operatorId: string;
  readonly version: string;
  /** Host in the URLs of nodes: the name of the peer Service, which is stable, or the address of the pod. */
  readonly peerAddress: "service" | "pod";
}

/** Dependencies of a reconciliation. */
export interface ReconcileDeps {
  readonly client: KubeClient;
  readonly applier: Applier;
  readonly cache: Pick<
    ClusterCache,
    | "find"
    | "isEnding"
    | "list"
    | "missingNamespaces"
    | "node"
    | "nodes"
    | "network"
    | "serves"
    | "recordWrite"
  >;
  readonly memory: ReconcileMemory;
  readonly poller: Pick<Poller, "latest" | "pollSoon">;
  readonly channel: Channel;
  readonly authorities: () => Authorities;
  readonly events: EventRecorder;
  readonly settings: OperatorSettings;
  /** Creates a private key of 64 hex digits. */
  readonly createKey: () => string;
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets, for waits that protect something. */
  readonly monotonicMs: () => number;
  readonly log: Log;
}
