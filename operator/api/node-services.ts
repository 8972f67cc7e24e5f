/** Schema of `spec.serviceTemplate`: the Service through which clients reach JSON-RPC. */
import {
  list,
  object,
  oneOf,
  optional,
  text,
  texts,
  withDefault,
  withMemberDefaults,
  withRules,
} from "./schema.ts";

/** Rule of labels and annotations that users add to an object of the operator. */
export const ownKeys = {
  rule: "self.all(key, !key.startsWith('knit.dev/') && !key.startsWith('app.kubernetes.io/'))",
  message: "cannot contain a key that the operator owns: knit.dev/*, app.kubernetes.io/*",
};

/** `spec.serviceTemplate`. */
export const serviceTemplate = withMemberDefaults(
  object("Service of JSON-RPC. The operator owns its selector and its ports.", {
    type: withDefault(
      oneOf(
        ["ClusterIP", "NodePort", "LoadBalancer"],
        "Type of the Service. NodePort and LoadBalancer serve clients outside the cluster.",
      ),
      "ClusterIP",
    ),
    labels: optional(withRules(texts("Further labels of the Service.", 32, 63), ownKeys)),
    annotations: optional(withRules(texts("Further annotations of the Service.", 32, 4_096), ownKeys)),
    sessionAffinity: withDefault(
      oneOf(
        ["ClientIP", "None"],
        "ClientIP sends a client to the same replica each time, on which filters and pending nonces of JSON-RPC depend.",
      ),
      "ClientIP",
    ),
    trafficDistribution: optional(
      text("Preference for near replicas, as in trafficDistribution of a Service, such as PreferClose.", {
        maxLength: 64,
        pattern: "^[A-Z][a-zA-Z]*$",
        says: "a word such as PreferClose",
      }),
    ),
    externalTrafficPolicy: optional(
      oneOf(
        ["Cluster", "Local"],
        "Local preserves the addresses of clients outside the cluster; Cluster when absent.",
      ),
    ),
    loadBalancerClass: optional(
      text("Class of the load balancer.", {
        maxLength: 253,
        pattern: "^[-._/a-zA-Z0-9]+$",
        says: "a name of letters, digits, hyphens, dots, slashes and underscores",
      }),
    ),
    loadBalancerSourceRanges: optional(
      list(
        text("Addresses in CIDR notation.", {
          maxLength: 49,
          pattern: "^[0-9a-fA-F.:]+/[0-9]{1,3}$",
          says: "a range of addresses such as 203.0.113.0/24",
        }),
        "Addresses of clients that a load balancer accepts; all when absent.",
        { maxItems: 32, "x-kubernetes-list-type": "set" },
      ),
    ),
  }),
);
