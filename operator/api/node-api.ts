/** JSON-RPC of a Node. */
import { port } from "./fields.ts";
import { defaulted, filled, flag, list, object, oneOf, text } from "./schema.ts";

/** Modules that change a node or use its keys; they are served on a cluster port only when it is asked for. */
export const privilegedModules = ["admin", "personal", "debug"] as const;

const MODULES = ["chain", "eth", "klay", "kaia", "net", "rpc", "txpool", "web3"] as const;
const DEFAULT_MODULES = ["chain", "eth", "kaia", "klay", "net", "rpc", "web3"] as const;

const moduleName = oneOf([...MODULES, ...privilegedModules], "A module of methods.");

const modules = list(moduleName, "The modules that are served.", {
  maxItems: 16,
  "x-kubernetes-list-type": "set",
});

/** `spec.api`. */
export const api = object(
  "JSON-RPC inside the cluster.",
  {
    http: filled(
      object("HTTP.", {
        enabled: defaulted(flag("Whether it is served."), true),
        port: defaulted(port("The port."), 8551),
        modules: defaulted(modules, DEFAULT_MODULES),
      }),
    ),
    ws: filled(
      object("WebSocket.", {
        enabled: defaulted(flag("Whether it is served."), false),
        port: defaulted(port("The port."), 8552),
        modules: defaulted(modules, DEFAULT_MODULES),
      }),
    ),
    hosts: defaulted(
      list(
        text("A name, or * for any.", { maxLength: 253, pattern: "^(\\*|[-.a-zA-Z0-9]+)$" }),
        "Host names to answer to besides those of the Service, of an ingress for example.",
        { maxItems: 16 },
      ),
      [],
    ),
    privileged: defaulted(
      flag(
        "Allows admin, personal and debug on the cluster's network, and what uses keys or writes files in other " +
          "modules. Whoever reaches the port has them.",
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
