/** Conditions in the status of a resource, after the Kubernetes API conventions. */
import { count, instantField } from "./fields.ts";
import { list, object, oneOf, text, type ValueOf } from "./schema.ts";

const condition = <const T extends string>(types: readonly T[]) =>
  object("An aspect of the current state.", {
    type: oneOf(types, "Type of the condition."),
    status: oneOf(["True", "False", "Unknown"], "Status of the condition: True, False or Unknown."),
    reason: text("Machine-readable reason of the last transition, in CamelCase.", { maxLength: 64 }),
    message: text("Human-readable details of the last transition.", { maxLength: 1_024 }),
    observedGeneration: count("Value of metadata.generation that the condition was determined for."),
    lastTransitionTime: instantField("Time of the last change of the status."),
  });

/** Field for a list of conditions of these types. */
export const conditions = <const T extends string>(types: readonly T[]) =>
  list(condition(types), "Current conditions.", {
    maxItems: 16,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  });

/** A condition. */
export type Condition<T extends string = string> = ValueOf<ReturnType<typeof condition<T>>>;
