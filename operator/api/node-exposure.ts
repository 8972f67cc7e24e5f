/** Schemas of `spec.ingress` and `spec.route`: the ways by which clients outside the cluster reach JSON-RPC. */
import { NAME, NAME_SAYS, namespaceName, objectName } from "./fields.ts";
import { ownKeys } from "./node-services.ts";
import { list, object, optional, text, texts, withDefault, withRules } from "./schema.ts";

const HOST = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

const host = (description: string) =>
  text(description, {
    maxLength: 253,
    pattern: HOST,
    says: "a host name of lower-case letters, digits, hyphens and dots",
  });

const path = (description: string) =>
  text(description, {
    maxLength: 128,
    pattern: "^/[-._~a-zA-Z0-9/]*$",
    says: "a path such as /rpc",
  });

/** Hosts and paths, which an Ingress and a route have in common. */
const places = {
  hosts: list(
    host("A host name."),
    "Host names of JSON-RPC. The node answers them without an entry in api.hosts.",
    { minItems: 1, maxItems: 8, "x-kubernetes-list-type": "set" },
  ),
  path: withDefault(path("Prefix of the path of JSON-RPC over HTTP."), "/"),
  wsPath: withDefault(path("Path of WebSocket on the same hosts, exactly."), "/ws"),
  wsHost: optional(host("A host name for WebSocket alone, on every path.")),
  labels: optional(withRules(texts("Further labels of the object.", 32, 63), ownKeys)),
  annotations: optional(withRules(texts("Further annotations of the object.", 32, 4_096), ownKeys)),
} as const;

const placeRules = [
  { rule: "self.path != self.wsPath", message: "path and wsPath must differ" },
  {
    rule: "!has(self.wsHost) || !(self.wsHost in self.hosts)",
    message: "wsHost cannot be one of hosts: wsPath is the path of WebSocket there",
  },
];

/** `spec.ingress`. */
export const ingress = object(
  "An Ingress for JSON-RPC: the transports that api enables.",
  {
    ...places,
    className: optional(objectName("IngressClass; that of the cluster when absent.")),
    tlsSecret: optional(
      objectName("Secret of this namespace with the certificate of all hosts; plain HTTP when absent."),
    ),
  },
  placeRules,
);

const parent = object("A Gateway.", {
  name: objectName("Name of the Gateway."),
  namespace: optional(namespaceName("Namespace of the Gateway; that of the Node when absent.")),
  sectionName: optional(
    text("Listener of the Gateway; all that fit when absent.", {
      maxLength: 253,
      pattern: NAME,
      says: NAME_SAYS,
    }),
  ),
});

/** `spec.route`. */
export const route = object(
  "An HTTPRoute of the Gateway API for JSON-RPC. The listener of the Gateway ends TLS.",
  {
    ...places,
    parents: list(parent, "Gateways that serve the hosts.", { minItems: 1, maxItems: 4 }),
  },
  placeRules,
);
