/** Reasons of conditions, a row each; those of Ready that tell where a call failed are in `hops.ts`. */

import type { NetworkConditionType } from "./names.ts";

/** What waiting or failing at a step says, as the reason of Ready and of a replica. */
export const stepReasons = {
  NodeKeyMissing: "the Secret in `spec.nodeKeySecret` is not there",
  NodeKeyUnusable: "the Secret holds no key",
  NetworkMissing: "there is no Network of that name, and the Node names no genesis",
  GenesisMissing: "the ConfigMap with the genesis is not there; or nobody has made one yet",
  ObjectRefused: "an object could not be written; the message says which and why",
  PodMissing: "the pod is being made",
  PodPending: "the pod has no machine or no address yet, in its own words",
  PodNotReady: "the pod is not ready, in its own words",
  NotAsked: "the node has not been asked yet",
  NoAnswer: "the node has not answered for long",
  WrongNode: "another node's key answers at this address",
  Suspended: "the spec asks for no pods, and there is none",
  Suspending: "the spec asks for no pods, and one is there still",
  Deleting: "the Node is being deleted; the message says what it waits for",
  Error: "reconciling failed; the message says why",
} as const;

/** Reasons to stop that only a person can judge: why Ready is False and Degraded True, with nothing replaced. */
export const stopReasons = {
  NodeKeyLost: "the Secret with the key of the noted address is gone",
  NodeKeyChanged: "the Secret holds another key than that of the noted address",
  KeyInUse: "another node, or a pod that has not ended, has the same key; the message names it",
  GenesisLost: "the noted genesis is gone, or it is another one",
  ChainLost: "the volume with the chain is gone, and an empty one would begin another chain",
} as const;

/** A reason to stop. */
export type StopReason = keyof typeof stopReasons;

/** The reasons that judge a Node as a whole: by condition, with the status that each comes with. */
export const verdictReasons = {
  Available: {
    ReplicasReady: ["True", "at least one replica is ready"],
    NoneReady: ["False", "no replica is ready"],
    Suspended: ["False", "the spec asks for no pods, and there is none"],
  },
  Progressing: {
    RollingOut: ["True", "a replica is being replaced; the message says which, and who waits"],
    RolloutWaits: ["True", "replicas are to be replaced when nothing speaks against it any more"],
    PodsStarting: ["True", "pods are made or start"],
    RolloutPaused: ["False", "a replaced replica did not become ready in time; change the spec to go on"],
    UpToDate: ["False", "every replica is what the spec asks for"],
    Suspended: ["False", "the spec asks for no pods, and there is none"],
    Suspending: ["True", "the spec asks for no pods, and one is there still"],
    Deleting: ["True", "the Node is being deleted"],
  },
  Degraded: {
    NodeKeyLost: ["True", stopReasons.NodeKeyLost],
    NodeKeyChanged: ["True", stopReasons.NodeKeyChanged],
    KeyInUse: ["True", stopReasons.KeyInUse],
    GenesisLost: ["True", stopReasons.GenesisLost],
    ChainLost: ["True", stopReasons.ChainLost],
    StepFailed: ["True", "a step failed; Ready has its reason"],
    RolloutPaused: ["True", "a replaced replica did not become ready in time"],
    PodFailing: ["True", "a container cannot start or ends again and again"],
    StorageTrouble: ["True", "a volume is full or cannot grow; StorageHealthy has the reason"],
    AsExpected: ["False", "nothing needs more than time"],
  },
  PeersReady: {
    Connected: ["True", "connected to every peer to be kept"],
    PeersMissing: ["False", "peers that are to be kept are not connected"],
    NotAsked: ["Unknown", "not every replica has told its peers"],
  },
  Synced: {
    Level: ["True", "every replica is level with the network's newest block"],
    Syncing: ["False", "a replica takes in blocks that others have"],
    Behind: ["False", "a replica is behind the network's newest block"],
    NotAsked: ["Unknown", "not every replica has told its height"],
  },
  MaintenanceInProgress: {
    UnderWay: ["True", "a replica is being maintained; the message says which and how far it is"],
    Waiting: ["False", "maintenance was wished for and waits; the message says for what"],
    Idle: ["False", "nothing is wished for"],
  },
  StorageHealthy: {
    Healthy: ["True", "every volume is as large as asked for and has room"],
    Growing: ["False", "a volume is not as large yet as was asked for"],
    Unbound: ["False", "a volume is not there yet"],
    LimitReached: ["False", "a volume is as full as it should grow at, and as large as it may grow"],
    Full: ["False", "at least 95 percent of a volume are used"],
    GrowthFailed: [
      "False",
      "a volume cannot become as large as was asked for; the message says why, and what to do",
    ],
  },
  PrivilegedApi: {
    Allowed: ["True", "the spec allows it"],
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<string, readonly ["True" | "False" | "Unknown", string]>>>
>;

/** A condition whose reasons are in `verdictReasons`. */
export type JudgedType = keyof typeof verdictReasons;

/** The reasons of a Network's conditions, likewise. */
export const networkReasons = {
  Ready: {
    Ready: ["True", "all nodes are ready"],
    GenesisMissing: ["False", "there is no genesis; the message says what it waits for"],
    GenesisLost: ["False", "the noted genesis is gone, or it is another one; the message says what to do"],
    GenesisDiffers: ["False", "nodes tell of more than one block 0, or of another than was noted"],
    ValidatorsMissing: ["False", "validators of block 0 have no node with their key"],
    NoNodes: ["False", "no Node names this network"],
    NodesNotReady: ["False", "nodes are not ready; the message names them"],
  },
  GenesisReady: {
    GenesisFound: ["True", "there is a genesis; the message says where"],
    GenesisMissing: ["False", "there is no genesis; the message says what it waits for"],
    GenesisLost: ["False", "the noted genesis is gone, or it is another one; the message says what to do"],
  },
} as const satisfies Readonly<
  Record<NetworkConditionType, Readonly<Record<string, readonly ["True" | "False", string]>>>
>;
