/** Reasons of conditions, with their meaning; `hops.ts` has the reasons of Ready for failed calls. */
import type { NetworkConditionType } from "./names.ts";

/** Reasons of Ready and of a replica for a step that waits or fails. */
export const stepReasons = {
  NodeKeyMissing: "the Secret in `spec.nodeKeySecret` does not exist",
  NodeKeyUnusable: "the Secret contains no node key",
  NetworkMissing: "the Network does not exist, and the Node names no genesis",
  GenesisMissing: "the ConfigMap with the genesis does not exist, or has not been created yet",
  ObjectRefused: "the API server refused an object; the message has the object and the error",
  PodMissing: "the pod is being created",
  PodPending: "the pod is not scheduled or has no address yet; the message has its status",
  PodNotReady: "the pod is not ready; the message has its status",
  ImagePullFailed: "an image cannot be pulled; the message has the error",
  ContainerCrashing:
    "a container ends again and again; the message has its exit code and the last line of its log",
  ContainerNotStarted: "a container cannot start; the message has the error",
  MachineLost:
    "the machine of the pod does not report, or the pod does not end in time; the message has the remedy",
  NodeNotReady: "the node reports that it is not ready for clients; the message has its reasons",
  Behind: "a replica is behind the newest block of the network",
  NoPeers: "the node has no peer, so its newest block may be old",
  NotAsked: "the node has not been queried yet",
  NoAnswer: "the node has not responded recently",
  WrongNode: "a node with another key responds at this address",
  Suspended: "spec.suspend is true, and there are no pods",
  Suspending: "spec.suspend is true, and pods are terminating",
  Deleting: "the Node is being deleted; the message has the condition that it waits for",
  Unreadable: "this version of the operator cannot parse the Node; its pods and peers stay as they are",
  Error: "reconciliation failed; the message has the error",
} as const;

/** Reasons to stop a replica until a user intervenes: Ready is False and Degraded True, and nothing is replaced. */
export const stopReasons = {
  NodeKeyLost: "the Secret with the key of the recorded address is missing",
  NodeKeyChanged: "the Secret contains another key than that of the recorded address",
  KeyInUse: "another node, or a pod that has not terminated, uses the same key; the message names it",
  GenesisLost: "the recorded genesis is missing or has changed",
  ChainLost: "the volume with the chain is missing, and an empty one would start another chain",
} as const;

/** Reason to stop a replica. */
export type StopReason = keyof typeof stopReasons;

/** Reasons of a Node's other conditions: by condition, with status and meaning. */
export const verdictReasons = {
  Available: {
    ReplicasReady: ["True", "at least one replica is ready"],
    NoneReady: ["False", "no replica is ready"],
    Suspended: ["False", "spec.suspend is true, and there are no pods"],
  },
  Progressing: {
    RollingOut: ["True", "a replica is being recreated; the message names it and those that wait"],
    RolloutWaits: ["True", "replicas wait to be recreated; the message has the reason"],
    PodsStarting: ["True", "pods are being created or are starting"],
    RolledBack: [
      "False",
      "the first recreated replica did not become ready and has its former pod template again; change the spec to continue",
    ],
    RolloutPaused: ["False", "a recreated replica did not become ready in time; change the spec to continue"],
    ChainStopRefused: [
      "True",
      "a suspension or deletion waits, because too few validators would be left; the message has the figures and the remedy",
    ],
    UpToDate: ["False", "every replica matches the spec"],
    Suspended: ["False", "spec.suspend is true, and there are no pods"],
    Suspending: ["True", "spec.suspend is true, and pods are terminating"],
    Deleting: ["True", "the Node is being deleted"],
  },
  Degraded: {
    NodeKeyLost: ["True", stopReasons.NodeKeyLost],
    NodeKeyChanged: ["True", stopReasons.NodeKeyChanged],
    KeyInUse: ["True", stopReasons.KeyInUse],
    GenesisLost: ["True", stopReasons.GenesisLost],
    ChainLost: ["True", stopReasons.ChainLost],
    StepFailed: ["True", "reconciliation failed; Ready has the reason"],
    RolledBack: ["True", "the first recreated replica did not become ready and was rolled back"],
    RolloutPaused: ["True", "a recreated replica did not become ready in time"],
    ImagePullFailed: ["True", "an image cannot be pulled"],
    ContainerCrashing: ["True", "a container ends again and again"],
    ContainerNotStarted: ["True", "a container cannot start"],
    MachineLost: ["True", "the machine of a pod does not report"],
    StorageTrouble: ["True", "a volume is full, lost or cannot be expanded; StorageHealthy has the reason"],
    AsExpected: ["False", "there is no failure that needs intervention"],
  },
  PeersReady: {
    Connected: ["True", "all required peers are connected"],
    PeersMissing: ["False", "required peers are not connected"],
    NoPeers: ["False", "a replica has no peer at all, and its type needs one"],
    NotAsked: ["Unknown", "not every replica has reported its peers"],
  },
  Synced: {
    Level: ["True", "every replica has the newest block of the network"],
    Syncing: ["False", "a replica is importing blocks that its peers already have"],
    Behind: ["False", "a replica is behind the newest block of the network"],
    Isolated: ["False", "a replica has no peer, so the newest block of the network is unknown to it"],
    NotAsked: ["Unknown", "not every replica has reported its height"],
  },
  MaintenanceInProgress: {
    UnderWay: ["True", "maintenance of a replica is in progress; the message has its name and state"],
    Waiting: ["False", "maintenance is requested and waits; the message has the reason"],
    Idle: ["False", "no maintenance is requested"],
  },
  StorageHealthy: {
    Healthy: ["True", "every volume has the requested size and free space"],
    Growing: ["False", "a volume is being expanded"],
    Replacing: ["False", "maintenance deletes and recreates the volume of a replica"],
    Unbound: ["False", "a volume is not bound yet"],
    Unbindable: ["False", "a volume is not bound after five minutes; the message has the remedy"],
    TooSmall: ["False", "a volume is smaller than the free space that the node requires to write blocks"],
    Terminating: ["False", "a claim is being deleted; the message describes how to keep its chain"],
    Lost: ["False", "the PersistentVolume of a claim is missing"],
    LimitReached: ["False", "a volume has reached its growth threshold at its maximum size"],
    Full: ["False", "at least 95 percent of a volume is used"],
    GrowthFailed: ["False", "a volume cannot be expanded; the message has the error and the remedy"],
  },
  BackedUp: {
    Recent: ["True", "there is a backup since the last but one scheduled time; the message has its block"],
    NotDue: ["Unknown", "no backup is made yet, and the schedule asked for none long enough ago"],
    Overdue: ["False", "two scheduled times have passed without a backup; the message has the last one"],
  },
  ForksReady: {
    Scheduled: ["True", "every replica reports the scheduled forks"],
    ForkMissing: ["False", "a replica lacks a scheduled fork; the message has the block and its version"],
  },
  Contested: {
    ScopesOverlap: ["True", "another operator would manage the Node too; the message names it"],
  },
  Paused: {
    ByAnnotation: ["True", "the annotation `knit.dev/paused` is set"],
  },
  PrivilegedApi: {
    Allowed: ["True", "`spec.api.privileged` is true"],
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<string, readonly ["True" | "False" | "Unknown", string]>>>
>;

/** Condition type with reasons in `verdictReasons`. */
export type JudgedType = keyof typeof verdictReasons;

/** Reasons of a Network's conditions: by condition, with status and meaning. */
export const networkReasons = {
  Ready: {
    Ready: ["True", "all nodes are ready"],
    GenesisMissing: ["False", "the genesis does not exist yet; the message has the missing prerequisite"],
    GenesisLost: [
      "False",
      "the recorded genesis is missing or has changed; the message describes the remedy",
    ],
    GenesisDiffers: ["False", "nodes report different genesis hashes, or another than the recorded one"],
    ValidatorsMissing: ["False", "validators of the genesis have no node with their key"],
    NoNodes: ["False", "no Node belongs to this network"],
    ChainStalled: ["False", "nodes have reported no new block for a minute"],
    NodesNotReady: ["False", "nodes are not ready; the message names them"],
    ObjectRefused: [
      "False",
      "the API server refused the budget of the validators; the message has its words",
    ],
    NodesRefused: [
      "False",
      "Nodes of spec.nodes were not applied: the API server refused them, or others have their names",
    ],
  },
  GenesisReady: {
    GenesisFound: ["True", "the genesis exists; the message names the ConfigMap or the public network"],
    GenesisMissing: ["False", "the genesis does not exist yet; the message has the missing prerequisite"],
    GenesisLost: [
      "False",
      "the recorded genesis is missing or has changed; the message describes the remedy",
    ],
  },
  Producing: {
    NewBlocks: ["True", "nodes report new blocks"],
    ChainStalled: ["False", "nodes have reported no new block for a minute"],
    NotReported: ["Unknown", "no node has reported a new block recently"],
  },
  FaultTolerant: {
    Tolerant: ["True", "another validator may be missing; the message has the figures"],
    AtLimit: ["False", "as many validators are missing as may be; the message names them"],
    BelowQuorum: ["False", "more validators are missing than may be; the message names them"],
    TooFewValidators: ["False", "fewer than four validators tolerate no missing one"],
    CouncilUnknown: ["Unknown", "the chain has no known council yet"],
  },
  ForksReady: {
    Scheduled: ["True", "every node reports the scheduled forks"],
    ForkMissing: [
      "False",
      "nodes lack a scheduled fork; the message names them with the blocks that are left",
    ],
    ForkRefused: ["False", "the schedule of the spec is not applied; the message has the reason"],
  },
} as const satisfies Readonly<
  Record<NetworkConditionType, Readonly<Record<string, readonly ["True" | "False" | "Unknown", string]>>>
>;
