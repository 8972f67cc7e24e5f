/** What is seen of a Node. */

import type { Condition as AnyCondition } from "./condition.ts";
import { conditions } from "./condition.ts";
import { count, genesisDigest, instant, permission } from "./fields.ts";
import { type ConditionType, conditionTypes, type Phase, phases } from "./names.ts";
import { maintenanceHistory, maintenanceQueue, maintenanceRun, rollout, scheduleMarks } from "./node-runs.ts";
import { MAX_REPLICAS } from "./node-spec.ts";
import { flag, integer, list, object, oneOf, optional, text, type ValueOf } from "./schema.ts";

const conditionNames = Object.keys(conditionTypes) as readonly ConditionType[]; // the keys of a constant table
const phaseNames = Object.keys(phases) as readonly Phase[]; // the keys of a constant table

const disk = object("The volume of a member.", {
  usedBytes: optional(count("How much is used.")),
  capacityBytes: optional(count("How large it is.")),
  claimBytes: optional(
    count("What its claim has or is certain to get, 0 without one; spec.storage.size may be lowered to it."),
  ),
  requestedBytes: optional(count("How large the operator wants it, where it grew by itself.")),
  grownAt: optional(instant("When it last grew by itself.")),
});

const lastExit = object("How the pod's container last ended.", {
  container: text("Which.", { maxLength: 64 }),
  reason: text("Why, in a word.", { maxLength: 64 }),
  exitCode: integer("What the program returned.", -1, 255),
  finishedAt: optional(instant("When.")),
});

const memberStatus = object("A replica: a node with a key and a volume of its own.", {
  name: text("Its name; that of the Node for the first, NAME-m1 and so on for the others.", {
    maxLength: 44,
  }),
  ready: flag("Whether its pod is ready and the node answers."),
  reason: optional(text("Why not, in a word.", { maxLength: 64 })),
  address: optional(text("The address of its key.", { maxLength: 42 })),
  url: optional(text("Where peers reach it.", { maxLength: 512 })),
  externalUrl: optional(text("Where peers outside the cluster reach it.", { maxLength: 512 })),
  volume: optional(
    text("The PersistentVolume with a core node's chain, from its first block on.", { maxLength: 253 }),
  ),
  height: optional(count("The number of its newest block.")),
  syncing: optional(flag("Whether it is taking in blocks that others have.")),
  version: optional(text("What it calls itself.", { maxLength: 256 })),
  peers: optional(count("How many peers are connected.")),
  peersWanted: optional(count("How many peers it is to keep.")),
  peersMissing: optional(count("How many of those are not connected.")),
  mesh: optional(
    list(text("A node URL.", { maxLength: 512 }), "The peers that the operator told it to keep.", {
      maxItems: 128,
      "x-kubernetes-list-type": "atomic",
    }),
  ),
  disk: optional(disk),
  lastExit: optional(lastExit),
});

/** `status` of a Node. */
export const nodeStatus = object("What is seen of the node.", {
  observedGeneration: optional(count("The generation that was acted on.")),
  phase: optional(oneOf(phaseNames, "How it is, in a word.")),
  height: optional(count("The number of the newest block.")),
  syncing: optional(flag("Whether it is taking in blocks that others have.")),
  peers: optional(count("How many peers are connected.")),
  url: optional(text("Where peers reach the node.", { maxLength: 512 })),
  address: optional(text("The address of the node's key.", { maxLength: 42 })),
  version: optional(text("What the node calls itself.", { maxLength: 256 })),
  mesh: optional(
    list(text("A node URL.", { maxLength: 512 }), "The peers that the operator told the node to keep.", {
      maxItems: 128,
      "x-kubernetes-list-type": "atomic",
    }),
  ),
  genesis: optional(genesisDigest),
  allowed: optional(
    object("Permissions that were followed: the values of their annotations.", {
      newKey: optional(permission("Of `knit.dev/allow-new-key`.")),
      newChain: optional(permission("Of `knit.dev/allow-new-chain`.")),
    }),
  ),
  readyMembers: optional(count("How many replicas are ready.")),
  members: optional(
    list(memberStatus, "Each replica.", {
      maxItems: MAX_REPLICAS,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
  ),
  maintenance: optional(maintenanceRun),
  maintenanceQueue: optional(maintenanceQueue),
  maintenanceHistory: optional(maintenanceHistory),
  schedules: optional(scheduleMarks),
  rollout: optional(rollout),
  conditions: optional(conditions(conditionNames)),
});

/** What is seen of a Node. */
export type NodeStatus = ValueOf<typeof nodeStatus>;

/** What is seen of a replica. */
export type MemberStatus = ValueOf<typeof memberStatus>;

/** A condition. */
export type Condition = AnyCondition<ConditionType>;
