/** Names of the public API: group, labels, annotations, conditions, phases and event reasons; ports and paths of pods. */

/** The API group. */
export const GROUP = "knit.dev";
/** The API version. */
export const VERSION = "v1alpha1";
/** `apiVersion` of a Node. */
export const API_VERSION = `${GROUP}/${VERSION}`;
/** Field manager of the operator's writes. */
export const FIELD_MANAGER = "knit-operator";

/** Finalizer of Nodes: deletion waits until the pods have ended and peers have removed the node, or until a timeout. */
export const FINALIZER = `${GROUP}/orderly-deletion`;

/** Labels of objects that the operator creates. */
export const labels = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  component: "app.kubernetes.io/component",
  managedBy: "app.kubernetes.io/managed-by",
  node: "knit.dev/node",
  /** Name of the replica, on objects of a single replica. */
  member: "knit.dev/member",
  /** Marks the Service that a ServiceMonitor selects. */
  service: "knit.dev/service",
  network: "knit.dev/network",
} as const;

/** Annotations. */
export const annotations = {
  /** On a Node: a requested maintenance operation, or a restart; removed once the status records the request. */
  run: "knit.dev/run",
  /** On a Node: the operator observes it and changes nothing; any value but "false". */
  paused: "knit.dev/paused",
  /** On a pod template: time of the requested restart; a later one recreates the pod. */
  restart: "knit.dev/restart",
  /** On a pod template: digest of its inputs in the spec; another digest recreates the pod. */
  settings: "knit.dev/settings",
  /** On a Node: permits another node key in place of a lost or changed one. Each value takes effect once. */
  allowNewKey: "knit.dev/allow-new-key",
  /** On a Node or a Network: permits a new chain after a lost volume or a changed genesis. Each value takes effect once. */
  allowNewChain: "knit.dev/allow-new-chain",
  /** On a Node: permits an action that leaves fewer validators than the chain needs. Each value takes effect once. On a Network: drains are not limited. */
  allowChainStop: "knit.dev/allow-chain-stop",
  /** On a Node and on objects: the operator that manages it, `NAMESPACE/LEASE`; another value hands a Node over. */
  operator: "knit.dev/operator",
  /** On a Node: another operator whose scope contains it, its version and the time. */
  contender: "knit.dev/contender",
  /** On a pod: the address of its node key. */
  address: "knit.dev/address",
  /** On objects of the operator: digest of the draft that was applied last. */
  applied: "knit.dev/applied",
  /** On a StatefulSet: the last pod template and settings with which the pod was ready, for a rollback. */
  former: "knit.dev/former-template",
  /** On a StatefulSet: the pod template as it was applied, reused until its inputs change. */
  template: "knit.dev/template",
  /** On a StatefulSet: the settings file of that template, reused with it. */
  settingsFile: "knit.dev/settings-file",
} as const;

/** Maintenance operations by their annotation value, with the RPC method that starts each. */
export const operations = {
  migrate: "admin_startStateMigration",
  "save-cache": "admin_saveTrieNodeToDisk",
  checkpoint: "admin_startBackup",
  "join-council": "governance_vote",
  "leave-council": "governance_vote",
} as const;

/** Operations that replace a volume, by their annotation value, with their meaning. */
export const volumeOperations = {
  replace: "replaces the volume of a replica, which starts from `spec.bootstrap`, or from block 0 without it",
  resync:
    "replaces the volume of a replica, which takes in the chain from its peers, block by block, whatever `spec.bootstrap` says",
} as const;

/** An operation that replaces a volume. */
export type VolumeOperation = keyof typeof volumeOperations;

/** Value of the annotation `knit.dev/run` that requests a rolling restart. */
export const RESTART = "restart";

/** A maintenance operation that a method of the node starts. */
export type NodeOperation = keyof typeof operations;

/** A maintenance operation. */
export type Operation = NodeOperation | VolumeOperation;

/** All maintenance operations. */
export const operationNames: readonly Operation[] = [
  ...(Object.keys(operations) as NodeOperation[]), // the keys of a constant table
  ...(Object.keys(volumeOperations) as VolumeOperation[]), // the keys of a constant table
];

/** True for an operation that replaces a volume. */
export function isVolumeOperation(operation: Operation): operation is VolumeOperation {
  return Object.hasOwn(volumeOperations, operation);
}

/** Votes of the operations that change the council. */
export const councilVotes = {
  "join-council": "governance.addvalidator",
  "leave-council": "governance.removevalidator",
} as const;

/** An operation by votes of validators. */
export type CouncilOperation = keyof typeof councilVotes;

/** True for an operation by votes of validators, which does not burden the node. */
export function isCouncilOperation(operation: Operation): operation is CouncilOperation {
  return Object.hasOwn(councilVotes, operation);
}

/** Condition types of a Node, and the meaning of True. */
export const conditionTypes = {
  Ready: "all replicas are ready: their pods are ready, and the nodes respond through their gateways",
  Available: "at least one replica is ready",
  Progressing: "pods are being created, recreated or deleted to match the spec",
  Degraded: "there is a failure that does not resolve by waiting",
  PeersReady: "every replica is connected to all its required peers",
  Synced: "every replica has the newest block of the network",
  MaintenanceInProgress: "maintenance of a replica is in progress",
  StorageHealthy: "every volume is bound, has the requested size and has free space",
  BackedUp: "the newest backup is as recent as the schedule asks; absent without spec.backup.schedule",
  ForksReady: "every replica has the scheduled forks of its network; absent without later forks",
  Contested: "warning: the scope of another operator contains the Node",
  Paused: "warning: the annotation knit.dev/paused is set, and the operator changes nothing",
  PrivilegedApi: "warning: admin, personal or debug are served on the cluster network",
} as const;

/** Condition type of a Node. */
export type ConditionType = keyof typeof conditionTypes;

/** Condition types of a Network, and the meaning of True. */
export const networkConditionTypes = {
  Ready: "the genesis exists, all nodes of the network are ready, and the chain has not stalled",
  GenesisReady: "the genesis exists",
  Producing: "nodes report new blocks; False after a minute without one",
  FaultTolerant: "blocks go on when one more validator of the council is missing",
  ForksReady: "every node has the scheduled forks; absent without later forks",
} as const;

/** Condition type of a Network. */
export type NetworkConditionType = keyof typeof networkConditionTypes;

/** Phases of a Node, with their meaning. */
export const phases = {
  Pending: "a prerequisite is missing, such as a key, the genesis, or a machine for the pod",
  Starting: "pods are starting",
  Syncing: "a replica is behind the newest block, or is importing blocks that its peers already have",
  Running: "all replicas are ready",
  Updating: "replicas are being recreated one at a time",
  Maintaining: "maintenance of a replica is in progress",
  Degraded: "there is a failure that does not resolve by waiting",
  Suspending: "pods are terminating because spec.suspend is true",
  Suspended: "there are no pods because spec.suspend is true",
  Deleting: "the Node is being deleted",
  Paused: "the annotation knit.dev/paused is set; the operator observes the Node and changes nothing",
} as const;

/** Phase of a Node. */
export type Phase = keyof typeof phases;

/** Event reasons, with their type and meaning. */
export const eventReasons = {
  NodeKeyMade: ["Normal", "a random node key was created for a replica; the message names the Secret"],
  GenesisMade: ["Normal", "the genesis of the Network was created with the addresses of its validators"],
  ChainStalled: ["Warning", "nodes have reported no new block for a minute; the message has the last one"],
  ChainResumed: ["Normal", "nodes report new blocks again"],
  ForksScheduled: ["Normal", "a schedule of later forks was accepted; nodes are recreated with it"],
  GenesisRebuilt: ["Normal", "the ConfigMap with the genesis was missing, and was recreated byte for byte"],
  GenesisLost: ["Warning", "the genesis is missing or has changed; the message describes the remedy"],
  NodeKeyLost: [
    "Warning",
    "the Secret with a recorded node key is missing; the message describes the remedy",
  ],
  NodeKeyChanged: [
    "Warning",
    "a Secret contains another key than the recorded one; the message describes the remedy",
  ],
  KeyInUse: ["Warning", "another node uses the same key; the message names it"],
  ChainLost: ["Warning", "the volume with the chain is missing, and no other node has enough of the chain"],
  VolumeReplaced: [
    "Warning",
    "the claim of a replica with blocks is missing; the replica starts with an empty volume",
  ],
  ChainStopRefused: [
    "Warning",
    "a suspension or deletion waits, because too few validators would be left; the message has the figures",
  ],
  ChainStops: ["Warning", "a suspension or deletion leaves too few validators, and is carried out"],
  MaintenanceStarted: ["Normal", "maintenance of a replica has started"],
  MaintenanceSucceeded: [
    "Normal",
    "maintenance of a replica has completed, and the replica imports blocks again",
  ],
  MaintenanceFailed: ["Warning", "maintenance of a replica has failed; the message has the error"],
  MaintenanceRefused: ["Warning", "the annotation or a schedule names an unknown operation or replica"],
  RolloutStarted: ["Normal", "a replica is being recreated with the current spec"],
  RolloutSucceeded: ["Normal", "the recreated replica is ready and has the newest block"],
  RolloutRolledBack: [
    "Warning",
    "the first recreated replica was not ready in time, and has its former pod template again",
  ],
  RolloutPaused: ["Warning", "the recreated replica was not ready in time; no other replica follows"],
  RestartRequested: ["Normal", "a rolling restart was requested; the replicas are recreated one at a time"],
  Paused: ["Normal", "the Node is paused; the message has the command that continues"],
  VolumeGrown: ["Normal", "a volume expansion was requested"],
  ManagedByAnother: [
    "Warning",
    "another operator manages the Node; the message has the command to hand it over",
  ],
  Unreadable: ["Warning", "this version of the operator cannot parse the Node; its pods and peers stay"],
  ReconcileFailed: ["Warning", "reconciliation failed; the message has the reason of `Ready`"],
  DeletionUnfinished: [
    "Warning",
    "the deletion timeout has passed; the message lists what was not completed",
  ],
} as const;

/** Reason of an event. */
export type EventReason = keyof typeof eventReasons;

/** Files in the Secret of a gateway with which its replica reads the checkpoint of a sibling. */
export const readerFiles = { certificate: "reader.crt", key: "reader.key", authority: "ca.crt" } as const;

/** Ports and paths of the containers of a pod. */
export const pod = {
  user: 1000,
  /** Command of the node in its image; equals the entry point of the image. */
  program: ["node", "/app/dist/node/main.js"],
  gatewayPort: 7443,
  gatewayHealthPort: 7444,
  metricsPort: 61_001,
  /** Environment variable of the gateway with the URL of the node's `/readyz`. */
  readinessVariable: "KNIT_READINESS",
  /** Environment variable of the node with the address of its key (`--nodekey.address`). */
  addressVariable: "KNIT_NODEKEY_ADDRESS",
  /** Environment variable of the node with the address that it announces (`--nat`). */
  natVariable: "KNIT_NAT",
  dataDirectory: "/data",
  /** Mount path of an empty directory of the data volume, by which the gateway measures free space. */
  diskDirectory: "/run/disk",
  socketDirectory: "/run/knit",
  socket: "/run/knit/knit.ipc",
  settingsDirectory: "/etc/knit",
  genesisDirectory: "/etc/knit-genesis",
  nodeKeyDirectory: "/etc/knit-nodekey",
  /** Directory with the keys of the archive for backups, in the volume of the node key: no sidecar can mount that. */
  archiveDirectory: "/etc/knit-nodekey/archive",
  /** Mount path of the certificate with which a replica reads the checkpoint of a sibling. */
  readerDirectory: "/etc/knit-reader",
  certificateDirectory: "/etc/knit-gateway",
} as const;
