/** Where pods go. */
import { defaulted, filled, integer, list, object, oneOf, optional, text, texts } from "./schema.ts";

const LABEL = "^[-._/a-zA-Z0-9]+$";

const toleration = object("A taint that is no hindrance.", {
  key: optional(text("The taint's key; every taint when absent.", { maxLength: 316, pattern: LABEL })),
  operator: defaulted(oneOf(["Exists", "Equal"], "Whether the value counts."), "Equal"),
  value: optional(text("The taint's value.", { maxLength: 63 })),
  effect: optional(oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"], "The effect; each when absent.")),
  tolerationSeconds: optional(integer("How long NoExecute is tolerated; for ever when absent.", 0, 86_400)),
});

/** `spec.scheduling`. */
export const scheduling = filled(
  object("Where the pods go.", {
    nodeSelector: defaulted(texts("Labels that the machine must have.", 16, 63), {}),
    tolerations: defaulted(
      list(toleration, "Taints that are no hindrance.", { maxItems: 16, "x-kubernetes-list-type": "atomic" }),
      [],
    ),
    spread: defaulted(
      oneOf(
        ["None", "Preferred", "Required"],
        "Whether nodes of one type and network go to different machines.",
      ),
      "Preferred",
    ),
    priorityClassName: optional(text("The pods' priority.", { maxLength: 253, pattern: LABEL })),
  }),
);
