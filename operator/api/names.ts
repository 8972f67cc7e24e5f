/** Names that people and programs meet: groups, labels, annotations, conditions, event reasons. */

/** The API group. */
export const GROUP = "knit.dev";
/** The one version there is. */
export const VERSION = "v1alpha1";
/** `apiVersion` of a Node. */
export const API_VERSION = `${GROUP}/${VERSION}`;
/** Who owns the fields that the operator writes. */
export const FIELD_MANAGER = "knit-operator";

/** Labels of everything the operator makes. */
export const labels = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  component: "app.kubernetes.io/component",
  managedBy: "app.kubernetes.io/managed-by",
  node: "knit.dev/node",
  network: "knit.dev/network",
} as const;

/** Annotations. */
export const annotations = {
  /** On a Node: a maintenance operation that is wished for; taken away once it is noted in the status. */
  run: "knit.dev/run",
  /** On a pod template: changes when the node must start anew. */
  settings: "knit.dev/settings",
} as const;

/** Maintenance operations by the word in the annotation, and the method that begins each. */
export const operations = {
  migrate: "admin_startStateMigration",
  "save-cache": "admin_saveTrieNodeToDisk",
} as const;

/** A maintenance operation. */
export type Operation = keyof typeof operations;

/** Types of conditions, and what their being True says. */
export const conditionTypes = {
  Ready: "the node's pod is ready and the node answers through the gateway",
  Meshed: "the node is connected to every peer that it is to be connected to",
  PrivilegedApi: "warning: admin, personal or debug are served on the node's cluster port",
} as const;

/** A condition's type. */
export type ConditionType = keyof typeof conditionTypes;

/** Reasons of events, and whether they are warnings. */
export const eventReasons = {
  NodeKeyMade: "Normal",
  GenesisMade: "Normal",
  MaintenanceStarted: "Normal",
  MaintenanceSucceeded: "Normal",
  MaintenanceFailed: "Warning",
  MaintenanceRefused: "Warning",
  ReconcileFailed: "Warning",
} as const;

/** An event's reason. */
export type EventReason = keyof typeof eventReasons;

/** Ports and paths on which the containers of a pod agree. */
export const pod = {
  user: 1000,
  gatewayPort: 7443,
  metricsPort: 61_001,
  dataDirectory: "/data",
  socketDirectory: "/run/knit",
  socket: "/run/knit/knit.ipc",
  settingsDirectory: "/etc/knit",
  genesisDirectory: "/etc/knit-genesis",
  nodeKeyDirectory: "/etc/knit-nodekey",
  certificateDirectory: "/etc/knit-gateway",
} as const;
