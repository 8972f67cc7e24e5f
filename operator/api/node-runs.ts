/** What a Node's status keeps of maintenance and rollouts: all that is needed to go on after the operator ended. */
import { count, instant } from "./fields.ts";
import { type Operation, operations } from "./names.ts";
import { MAX_REPLICAS } from "./node-spec.ts";
import { flag, integer, list, object, oneOf, optional, text, type ValueOf } from "./schema.ts";

const operationNames = Object.keys(operations) as readonly Operation[]; // the keys of a constant table

const memberName = (description: string) => text(description, { maxLength: 44 });
const message = (description: string) => text(description, { maxLength: 1_024 });

/** How far a maintenance is, in this order; from Starting to Verifying its member is being maintained. */
export const maintenanceStates = [
  "Requested",
  "Starting",
  "Running",
  "Stopping",
  "Verifying",
  "Succeeded",
  "Failed",
] as const;

/** Why maintenance was wished for. */
export const maintenanceCauses = ["Annotation", "Schedule", "DiskUse"] as const;

const run = (description: string) =>
  object(description, {
    operation: oneOf(operationNames, "Which."),
    member: memberName("The replica."),
    cause: oneOf(maintenanceCauses, "Who wished for it."),
    state: oneOf(maintenanceStates, "How far it is."),
    message: message("What it waits for, what the node answered, or how it ended."),
    requestedAt: instant("When it was wished for: the time of its schedule, or when the wish was noted."),
    held: optional(
      flag("Whether something of the replica itself speaks against it: others need not wait for it."),
    ),
    freeSince: optional(
      instant("Since when it waits for nothing but others that were wished for before it."),
    ),
    startedAt: optional(instant("When it began.")),
    stateAt: instant("Since when it is in this state."),
    progressAt: optional(instant("When the node last came on.")),
    finishedAt: optional(instant("When it ended.")),
    percent: optional(integer("How much is done.", 0, 100)),
    height: optional(
      count(
        "The newest block when it began, the one whose state is copied, and the newest again when the node was done.",
      ),
    ),
  });

/** `status.maintenance`. */
export const maintenanceRun = run("The maintenance that is on its way, or the last one.");

/** `status.maintenanceQueue`. */
export const maintenanceQueue = list(run("Maintenance that waits."), "What comes after it.", {
  maxItems: 2 * MAX_REPLICAS,
  "x-kubernetes-list-type": "atomic",
});

/** `status.maintenanceHistory`. */
export const maintenanceHistory = list(run("Maintenance that ended."), "What came before it, newest first.", {
  maxItems: 2 * MAX_REPLICAS,
  "x-kubernetes-list-type": "atomic",
});

/** `status.schedules`. */
export const scheduleMarks = list(
  object("How far a schedule has been followed.", {
    operation: oneOf(operationNames, "Of which maintenance."),
    schedule: text("The schedule.", { maxLength: 100 }),
    since: instant("Everything up to then has been wished for."),
  }),
  "Schedules that are followed.",
  { maxItems: 4, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["operation"] },
);

/** `status.rollout`. */
export const rollout = object("The replica that is being replaced.", {
  member: memberName("Which."),
  revision: text("The digest of what it is given.", { maxLength: 64 }),
  state: oneOf(["Rolling", "Paused"], "Paused: it did not become ready in time, and nobody else is next."),
  startedAt: instant("When it was given that."),
  message: message("How it is."),
});

/** A maintenance of a replica. */
export type MaintenanceRun = ValueOf<typeof maintenanceRun>;

/** How far a schedule has been followed. */
export type ScheduleMark = ValueOf<typeof scheduleMarks>[number];

/** The replica that is being replaced. */
export type Rollout = ValueOf<typeof rollout>;
