/** What is seen of a Node. */
import { type ConditionType, conditionTypes, type Operation, operations } from "./names.ts";
import { flag, integer, list, object, oneOf, optional, text, type ValueOf } from "./schema.ts";

const count = (description: string) => integer(description, 0, Number.MAX_SAFE_INTEGER);
const instant = (description: string) => text(description, { maxLength: 40, format: "date-time" });

/** What becomes of a wish for maintenance, in this order. */
export const maintenanceStates = ["Requested", "Running", "Succeeded", "Failed"] as const;

const conditionNames = Object.keys(conditionTypes) as readonly ConditionType[]; // the keys of a constant table
const operationNames = Object.keys(operations) as readonly Operation[]; // the keys of a constant table

const condition = object("One thing that holds or does not.", {
  type: oneOf(conditionNames, "What it is about."),
  status: oneOf(["True", "False", "Unknown"], "Whether it holds."),
  reason: text("Why, in a word.", { maxLength: 64 }),
  message: text("Why, in a sentence.", { maxLength: 1_024 }),
  observedGeneration: count("The generation it was judged for."),
  lastTransitionTime: instant("When its status last changed."),
});

const maintenance = object("The last maintenance that was wished for.", {
  operation: oneOf(operationNames, "Which."),
  state: oneOf(maintenanceStates, "How far it is."),
  message: text("What the node answered.", { maxLength: 1_024 }),
  requestedAt: instant("When it was wished for."),
  startedAt: optional(instant("When the node was asked.")),
  finishedAt: optional(instant("When it ended.")),
  percent: optional(integer("How much is done.", 0, 100)),
});

/** `status` of a Node. */
export const nodeStatus = object("What is seen of the node.", {
  observedGeneration: optional(count("The generation that was acted on.")),
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
  maintenance: optional(maintenance),
  conditions: optional(
    list(condition, "What holds.", {
      maxItems: 16,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    }),
  ),
});

/** What is seen of a Node. */
export type NodeStatus = ValueOf<typeof nodeStatus>;

/** A condition. */
export type Condition = ValueOf<typeof condition>;

/** Maintenance that was wished for. */
export type Maintenance = ValueOf<typeof maintenance>;
