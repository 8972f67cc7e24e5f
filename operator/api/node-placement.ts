/** Schema of `spec.scheduling`. */
import {
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  texts,
  withDefault,
  withMemberDefaults,
} from "./schema.ts";

const LABEL_SAYS = "a name of letters, digits, hyphens, dots, slashes and underscores";
const LABEL = "^[-._/a-zA-Z0-9]+$";

const toleration = object("A toleration, as in a pod.", {
  key: optional(
    text("Key of the taint; all taints when absent.", { maxLength: 316, pattern: LABEL, says: LABEL_SAYS }),
  ),
  operator: withDefault(
    oneOf(["Exists", "Equal"], "Equal compares the value of the taint, Exists does not."),
    "Equal",
  ),
  value: optional(text("Value of the taint.", { maxLength: 63 })),
  effect: optional(
    oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"], "Effect of the taint; all effects when absent."),
  ),
  tolerationSeconds: optional(
    integer("Seconds for which a NoExecute taint is tolerated; without limit when absent.", 0, 86_400),
  ),
});

/** `spec.scheduling`. */
export const scheduling = withMemberDefaults(
  object("Scheduling of the pods.", {
    nodeSelector: withDefault(
      texts("Labels that a machine must have, as in nodeSelector of a pod.", 16, 63),
      {},
    ),
    tolerations: withDefault(
      list(toleration, "Tolerations of the pods.", { maxItems: 16, "x-kubernetes-list-type": "atomic" }),
      [],
    ),
    spread: withDefault(
      oneOf(
        ["None", "Preferred", "Required"],
        "Pod anti-affinity between nodes of the same type and network: no, preferred or required.",
      ),
      "Preferred",
    ),
    priorityClassName: optional(
      text("PriorityClass of the pods.", { maxLength: 253, pattern: LABEL, says: LABEL_SAYS }),
    ),
  }),
);
