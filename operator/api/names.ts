/** Names that people and programs meet: groups, labels, annotations, conditions, event reasons. */

/** The API group. */
export const GROUP = "knit.dev";
/** The one version there is. */
export const VERSION = "v1alpha1";
/** `apiVersion` of a Node. */
export const API_VERSION = `${GROUP}/${VERSION}`;
/** Who owns the fields that the operator writes. */
export const FIELD_MANAGER = "knit-operator";

/** On a Node: it does not go before its pods have ended and its peers have let go of it, or the time for that is over. */
export const FINALIZER = `${GROUP}/orderly-deletion`;

/** Labels of everything the operator makes. */
export const labels = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  component: "app.kubernetes.io/component",
  managedBy: "app.kubernetes.io/managed-by",
  node: "knit.dev/node",
  /** Of what one replica alone has. */
  member: "knit.dev/member",
  /** Of the Service that a ServiceMonitor reads. */
  service: "knit.dev/service",
  network: "knit.dev/network",
} as const;

/** Annotations. */
export const annotations = {
  /** On a Node: a maintenance operation that is wished for; taken away once it is noted in the status. */
  run: "knit.dev/run",
  /** On a pod template and its StatefulSet: of what the Node asks for; the node starts anew when it changes. */
  settings: "knit.dev/settings",
  /** On a Node: a lost or changed node key may be replaced. Each value is followed once. */
  allowNewKey: "knit.dev/allow-new-key",
  /** On a Node or a Network: a lost chain may begin again at block 1, or with another block 0. Each value is followed once. */
  allowNewChain: "knit.dev/allow-new-chain",
  /** On a pod: the address that it signs with. */
  address: "knit.dev/address",
  /** On what the operator makes: the digest of what it last wrote. */
  applied: "knit.dev/applied",
  /** On a StatefulSet: the pod template as it was written, which stays until the node must start anew. */
  template: "knit.dev/template",
} as const;

/** Maintenance operations by the word in the annotation, and the method that begins each. */
export const operations = {
  migrate: "admin_startStateMigration",
  "save-cache": "admin_saveTrieNodeToDisk",
} as const;

/** A maintenance operation. */
export type Operation = keyof typeof operations;

/** Types of a Node's conditions, and what their being True says. */
export const conditionTypes = {
  Ready: "all replicas are ready: their pods are, and the nodes answer through their gateways",
  Available: "at least one replica is ready",
  Progressing: "pods are being made, replaced or ended on the way to what the spec asks for",
  Degraded: "something is wrong that needs more than time",
  PeersReady: "every replica is connected to every peer that it is to be connected to",
  Synced: "every replica is level with the network's newest block",
  MaintenanceInProgress: "a replica is being maintained",
  StorageHealthy: "every volume is bound, as large as asked for, and has room",
  PrivilegedApi: "warning: admin, personal or debug are served on the node's cluster port",
} as const;

/** A type of a Node's conditions. */
export type ConditionType = keyof typeof conditionTypes;

/** Types of a Network's conditions, and what their being True says. */
export const networkConditionTypes = {
  Ready: "there is a genesis, and all nodes of the network are ready",
  GenesisReady: "there is a genesis",
} as const;

/** A type of a Network's conditions. */
export type NetworkConditionType = keyof typeof networkConditionTypes;

/** How a Node is, in a word. */
export const phases = {
  Pending: "it waits for something that is not there yet: a key, a genesis, a machine for its pod",
  Starting: "its pods start",
  Syncing: "it takes in blocks that others have",
  Running: "all replicas are ready",
  Updating: "replicas are replaced one after another",
  Maintaining: "a replica is being maintained",
  Degraded: "something is wrong that needs more than time",
  Suspending: "its pods end, as the spec asks",
  Suspended: "its pods were ended, as the spec asks",
  Deleting: "it is being deleted, its pods end",
} as const;

/** How a Node is. */
export type Phase = keyof typeof phases;

/** Reasons of events, whether they are warnings, and what they say. */
export const eventReasons = {
  NodeKeyMade: ["Normal", "a random key was made for a replica; the message says in which Secret it is"],
  GenesisMade: ["Normal", "block 0 of the Network was made from its validators' keys"],
  GenesisRebuilt: ["Normal", "the ConfigMap with block 0 was gone, and was made again byte for byte"],
  GenesisLost: ["Warning", "block 0 is gone or another one; the message says what to do"],
  NodeKeyLost: ["Warning", "the Secret with a noted key is gone; the message says what to do"],
  NodeKeyChanged: ["Warning", "a Secret holds another key than the noted one; the message says what to do"],
  KeyInUse: ["Warning", "another node signs with the same key; the message names it"],
  ChainLost: ["Warning", "the volume with the chain is gone, and nobody else has enough of it"],
  VolumeReplaced: ["Warning", "the volume of a core node is gone; it takes the chain from the others"],
  MaintenanceStarted: ["Normal", "a replica does what it was asked to"],
  MaintenanceSucceeded: ["Normal", "a replica has done so, and blocks have followed"],
  MaintenanceFailed: ["Warning", "it did not, in the node's words or the operator's"],
  MaintenanceRefused: ["Warning", "the annotation or a schedule asks for nothing that there is"],
  RolloutStarted: ["Normal", "a replica is given what the spec asks for, and starts anew"],
  RolloutSucceeded: ["Normal", "it is ready and level with it"],
  RolloutPaused: ["Warning", "it was not in time, and nobody else is next"],
  VolumeGrown: ["Normal", "a larger volume was asked for"],
  ReconcileFailed: ["Warning", "a step failed; the message has the reason of `Ready`"],
  DeletionUnfinished: ["Warning", "the Node's time to end is over; the message says what was left"],
} as const;

/** An event's reason. */
export type EventReason = keyof typeof eventReasons;

/** Ports and paths on which the containers of a pod agree. */
export const pod = {
  user: 1000,
  /** How knit is started in its image, which is what the image's entry point says. */
  program: ["node", "/app/dist/node/main.js"],
  gatewayPort: 7443,
  gatewayHealthPort: 7444,
  metricsPort: 61_001,
  dataDirectory: "/data",
  /** Where the gateway sees the volume with the chain: an empty directory on it, never the chain itself. */
  diskDirectory: "/run/disk",
  socketDirectory: "/run/knit",
  socket: "/run/knit/knit.ipc",
  settingsDirectory: "/etc/knit",
  genesisDirectory: "/etc/knit-genesis",
  nodeKeyDirectory: "/etc/knit-nodekey",
  certificateDirectory: "/etc/knit-gateway",
} as const;
