/** Conditions, as all resources have them. */
import { count, instant } from "./fields.ts";
import { list, object, oneOf, text, type ValueOf } from "./schema.ts";

const condition = <const T extends string>(types: readonly T[]) =>
  object("One thing that holds or does not.", {
    type: oneOf(types, "What it is about."),
    status: oneOf(["True", "False", "Unknown"], "Whether it holds."),
    reason: text("Why, in a word.", { maxLength: 64 }),
    message: text("Why, in a sentence.", { maxLength: 1_024 }),
    observedGeneration: count("The generation it was judged for."),
    lastTransitionTime: instant("When its status last changed."),
  });

/** A list of conditions of these types. */
export const conditions = <const T extends string>(types: readonly T[]) =>
  list(condition(types), "What holds.", {
    maxItems: 16,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  });

/** A condition. */
export type Condition<T extends string = string> = ValueOf<ReturnType<typeof condition<T>>>;
