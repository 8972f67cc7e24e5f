/** Schema of a Node's status. */
import type { Condition as AnyCondition } from "./condition.ts";
import { conditions } from "./condition.ts";
import { count, genesisDigest, instantField, permission } from "./fields.ts";
import { type ConditionType, conditionTypes, type Phase, phases } from "./names.ts";
import { backupStatus } from "./node-backup.ts";
import {
  maintenanceHistory,
  maintenanceQueue,
  maintenanceRun,
  outdated,
  rollout,
  scheduleMarks,
} from "./node-runs.ts";
import { MAX_REPLICAS } from "./node-spec.ts";
import { flag, integer, list, object, oneOf, optional, text, type ValueOf } from "./schema.ts";

const conditionNames = Object.keys(conditionTypes) as readonly ConditionType[]; // the keys of a constant table
const phaseNames = Object.keys(phases) as readonly Phase[]; // the keys of a constant table

const disk = object("Volume of the replica.", {
  usedBytes: optional(count("Used bytes of the file system.")),
  capacityBytes: optional(count("Capacity of the file system in bytes.")),
  claimBytes: optional(
    count(
      "Size of the claim in bytes, including an accepted expansion; 0 without a claim. spec.storage.size may be lowered to it.",
    ),
  ),
  requestedBytes: optional(count("Size in bytes that automatic growth has requested.")),
  grownAt: optional(instantField("Time of the last automatic growth.")),
});

const lastExit = object("Last termination of a container of the pod.", {
  container: text("Name of the container.", { maxLength: 64 }),
  reason: text("Reason of the termination, such as OOMKilled.", { maxLength: 64 }),
  exitCode: integer("Exit code.", -1, 255),
  finishedAt: optional(instantField("Time of the termination.")),
});

const memberStatus = object("A replica: one blockchain node with its own key and volume.", {
  name: text("Name of the replica: that of the Node for the first, NAME-m1 and so on for the others.", {
    maxLength: 44,
  }),
  ready: flag("True if the pod is ready and the node responds."),
  reason: optional(text("Reason for not being ready, in CamelCase.", { maxLength: 64 })),
  address: optional(text("Address of its node key.", { maxLength: 42 })),
  validator: optional(
    flag("True if the address of a core node is in the council of the chain, false if it is not."),
  ),
  url: optional(text("Node URL for peers.", { maxLength: 512 })),
  externalUrl: optional(text("Node URL for peers outside the cluster.", { maxLength: 512 })),
  volume: optional(
    text("Name of the PersistentVolume with the chain of a core node, recorded from its first block on.", {
      maxLength: 253,
    }),
  ),
  height: optional(
    count(
      "Block number: the newest block that all synced replicas of the chain had at the last reading, its own newest block if it has less.",
    ),
  ),
  syncing: optional(flag("True while the node is importing blocks that its peers already have.")),
  version: optional(text("Client version.", { maxLength: 256 })),
  peers: optional(count("Number of connected peers.")),
  peersWanted: optional(count("Number of required peers.")),
  peersMissing: optional(count("Number of required peers that are not connected.")),
  mesh: optional(
    list(
      text("URL of a peer.", { maxLength: 512 }),
      "Required peers that the operator has added to the node.",
      {
        maxItems: 128,
        "x-kubernetes-list-type": "atomic",
      },
    ),
  ),
  disk: optional(disk),
  lastExit: optional(lastExit),
});

/** `status` of a Node. */
export const nodeStatus = object("Observed state of the node.", {
  observedGeneration: optional(count("Last value of metadata.generation that was reconciled.")),
  phase: optional(oneOf(phaseNames, "Phase of the Node.")),
  height: optional(count("Highest height of the replicas.")),
  syncing: optional(flag("True while the node is importing blocks that its peers already have.")),
  peers: optional(count("Number of connected peers; of several replicas that of the one with the fewest.")),
  url: optional(text("Node URL of the first replica.", { maxLength: 512 })),
  address: optional(text("Address of the first replica's node key.", { maxLength: 42 })),
  validator: optional(flag("True if a core node is a validator of the chain, false if it is not.")),
  version: optional(text("Client version of the first replica.", { maxLength: 256 })),
  mesh: optional(
    list(
      text("URL of a peer.", { maxLength: 512 }),
      "Required peers of the first replica; written by earlier releases.",
      {
        maxItems: 128,
        "x-kubernetes-list-type": "atomic",
      },
    ),
  ),
  genesis: optional(genesisDigest),
  allowed: optional(
    object("Permissions that have taken effect: the values of their annotations.", {
      newKey: optional(permission("Value of `knit.dev/allow-new-key`.")),
      newChain: optional(permission("Value of `knit.dev/allow-new-chain`.")),
      chainStop: optional(permission("Value of `knit.dev/allow-chain-stop`.")),
    }),
  ),
  readyMembers: optional(count("Number of ready replicas.")),
  replicas: optional(count("Number of replicas, for the scale subresource.")),
  selector: optional(text("Selector of the pods, for the scale subresource.", { maxLength: 256 })),
  members: optional(
    list(memberStatus, "Status of each replica.", {
      maxItems: MAX_REPLICAS,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
  ),
  maintenance: optional(maintenanceRun),
  maintenanceQueue: optional(maintenanceQueue),
  maintenanceHistory: optional(maintenanceHistory),
  schedules: optional(scheduleMarks),
  backup: optional(backupStatus),
  rollout: optional(rollout),
  restartedAt: optional(instantField("Time of the last requested restart (`knit.dev/run=restart`).")),
  outdated: optional(outdated),
  conditions: optional(conditions(conditionNames)),
});

/** Status of a Node. */
export type NodeStatus = ValueOf<typeof nodeStatus>;

/** Status of a replica. */
export type MemberStatus = ValueOf<typeof memberStatus>;

/** Condition of a Node. */
export type Condition = AnyCondition<ConditionType>;
