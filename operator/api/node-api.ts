/** Schema of `spec.api`: JSON-RPC of a Node. */
import { port } from "./fields.ts";
import { flag, list, object, oneOf, optional, text, withDefault, withMemberDefaults } from "./schema.ts";

/** Modules that administer a node or use its keys; served on the cluster network only with `privileged`. */
export const privilegedModules = ["admin", "personal", "debug"] as const;

const MODULES = ["chain", "eth", "klay", "kaia", "net", "rpc", "txpool", "web3"] as const;
const DEFAULT_MODULES = ["chain", "eth", "kaia", "klay", "net", "rpc", "web3"] as const;

const moduleName = oneOf([...MODULES, ...privilegedModules], "An RPC module.");

const modules = list(moduleName, "RPC modules to serve.", {
  maxItems: 16,
  "x-kubernetes-list-type": "set",
});

/** `spec.api`. */
export const api = object(
  "JSON-RPC endpoints inside the cluster.",
  {
    http: withMemberDefaults(
      object("JSON-RPC over HTTP.", {
        enabled: withDefault(flag("Enables the endpoint."), true),
        port: withDefault(port("Port of the container and of the Service."), 8551),
        modules: withDefault(modules, DEFAULT_MODULES),
      }),
    ),
    ws: withMemberDefaults(
      object("JSON-RPC over WebSocket.", {
        enabled: withDefault(flag("Enables the endpoint."), false),
        port: withDefault(port("Port of the container and of the Service."), 8552),
        modules: withDefault(modules, DEFAULT_MODULES),
      }),
    ),
    hosts: withDefault(
      list(
        text("A host name, or * for any.", {
          maxLength: 253,
          pattern: "^(\\*|[-.a-zA-Z0-9]+)$",
          says: "a host name without a port, or *",
        }),
        "Additional host names that requests may carry, such as that of an Ingress.",
        { maxItems: 16 },
      ),
      [],
    ),
    origins: optional(
      list(
        text("An origin, or * for any.", {
          maxLength: 253,
          pattern: "^(\\*|[a-z][-+.a-z0-9]*://[^\\s,]+)$",
          says: "an origin such as https://wallet.example.org, or *",
        }),
        "Origins of web pages that may call the node (CORS and WebSocket); overrides rpccorsdomain and wsorigins in settings.",
        { minItems: 1, maxItems: 16 },
      ),
    ),
    privileged: withDefault(
      flag(
        "Allows the modules admin, personal and debug, and methods of other modules that use keys or write files, " +
          "on the cluster network. Every client that can reach the port can call them.",
      ),
      false,
    ),
  },
  [
    { rule: "self.http.port != self.ws.port", message: "http and ws need ports of their own" },
    {
      rule: `self.privileged || !(self.http.modules + self.ws.modules).exists(m, m in ['${privilegedModules.join("','")}'])`,
      message: `${privilegedModules.join(", ")} need privileged: true`,
    },
  ],
);
