/** Schemas of maintenance and rollouts in a Node's status: the state from which a restarted operator continues. */
import { count, instantField } from "./fields.ts";
import { operationNames } from "./names.ts";
import { MAX_REPLICAS } from "./node-spec.ts";
import { flag, integer, list, object, oneOf, optional, text, type ValueOf } from "./schema.ts";

const memberName = (description: string) => text(description, { maxLength: 44 });
const message = (description: string) => text(description, { maxLength: 1_024 });

/** States of a maintenance run, in order; maintenance is in progress from Starting to Verifying. */
export const maintenanceStates = [
  "Requested",
  "Starting",
  "Running",
  "Stopping",
  "Verifying",
  "Succeeded",
  "Failed",
] as const;

/** Causes of a maintenance request. */
export const maintenanceCauses = ["Annotation", "Schedule", "DiskUse"] as const;

const run = (description: string) =>
  object(description, {
    operation: oneOf(operationNames, "The operation."),
    member: memberName("Name of the replica."),
    cause: oneOf(maintenanceCauses, "Cause of the request."),
    state: oneOf(maintenanceStates, "State of the run."),
    message: message("Human-readable details: the reason to wait, the response of the node, or the result."),
    requestedAt: instantField(
      "Time of the request: the scheduled time, or the time at which the request was recorded.",
    ),
    held: optional(
      flag(
        "True if the replica itself is not ready for maintenance, so that later requests of other replicas may go first.",
      ),
    ),
    freeSince: optional(instantField("Time since which the run waits for earlier requests only.")),
    volumeBytes: optional(
      count(
        "Size in bytes that the volume needs for a waiting migration; automatic growth goes up to it at once.",
      ),
    ),
    claim: optional(
      text("UID of the PersistentVolumeClaim that an operation deletes to replace the volume.", {
        maxLength: 64,
      }),
    ),
    startedAt: optional(instantField("Start time.")),
    stateAt: instantField(
      "Time of the last state transition; of a waiting run the time at which its turn came.",
    ),
    progressAt: optional(instantField("Time of the last progress of the node.")),
    finishedAt: optional(instantField("Completion time.")),
    percent: optional(integer("Progress in percent.", 0, 100)),
    height: optional(
      count(
        "Block number: the newest block at the start, then the block whose state is copied, then the newest block at completion.",
      ),
    ),
  });

/** `status.maintenance`. */
export const maintenanceRun = run("Current or last maintenance run.");

/** `status.maintenanceQueue`, with room for each operation of each replica, which is queued once. */
export const maintenanceQueue = list(run("A queued maintenance run."), "Queued maintenance runs.", {
  maxItems: operationNames.length * MAX_REPLICAS,
  "x-kubernetes-list-type": "atomic",
});

/** Maximum number of completed runs in the status; above that of replicas. */
export const MAX_HISTORY = 2 * MAX_REPLICAS;

/** `status.maintenanceHistory`. */
export const maintenanceHistory = list(
  run("A completed maintenance run."),
  "Completed maintenance runs, newest first.",
  {
    maxItems: MAX_HISTORY,
    "x-kubernetes-list-type": "atomic",
  },
);

/** `status.schedules`. */
export const scheduleMarks = list(
  object("Progress of a schedule.", {
    operation: oneOf(operationNames, "The scheduled operation."),
    schedule: text("The schedule in cron format.", { maxLength: 100 }),
    since: instantField("Time up to which all scheduled runs have been requested."),
  }),
  "Progress of the schedules.",
  { maxItems: 4, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["operation"] },
);

/** `status.rollout`. */
export const rollout = object("Rollout of a changed spec: the replica that is being recreated.", {
  member: memberName("Name of the replica."),
  revision: text("Digest of the pod template's inputs.", { maxLength: 64 }),
  state: oneOf(
    ["Rolling", "Paused", "RolledBack"],
    "Rolling; Paused when the replica did not become ready in time; RolledBack when the first one did not and has its former pod template again. No other replica follows a paused or rolled back one.",
  ),
  startedAt: instantField("Start time of the recreation."),
  message: message("Human-readable details."),
});

/** `status.outdated`. */
export const outdated = list(
  object("A pod with an old template.", {
    member: memberName("Name of the replica."),
    reason: oneOf(
      ["SpecChanged", "BeingRecreated", "ReleaseChanged"],
      "SpecChanged: the pod waits for its turn, or its new template was rolled back. BeingRecreated: the pod is older than its StatefulSet. ReleaseChanged: this release of the operator writes another template, which takes effect when the pod is next recreated.",
    ),
    message: message("The parts of the template that change, and the reason to wait or the next step."),
  }),
  "Pods that run an old template, with the reason.",
  { maxItems: MAX_REPLICAS, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["member"] },
);

/** A pod with an old template. */
export type Outdated = ValueOf<typeof outdated>[number];

/** A maintenance run of a replica. */
export type MaintenanceRun = ValueOf<typeof maintenanceRun>;

/** Progress of a schedule. */
export type ScheduleMark = ValueOf<typeof scheduleMarks>[number];

/** Rollout of a replica. */
export type Rollout = ValueOf<typeof rollout>;
