/** A Node among its peers. */
import { namespaceName, port } from "./fields.ts";
import { nodeTypes } from "./node-types.ts";
import { defaulted, filled, integer, list, object, oneOf, optional, text } from "./schema.ts";

/** `spec.p2p`. */
export const p2p = filled(
  object("The node among its peers.", {
    port: defaulted(port("The port for peers."), 32_323),
    maxPeers: defaulted(integer("Peers at a time.", 1, 1_000), 50),
    external: defaulted(
      oneOf(
        ["None", "NodePort", "LoadBalancer"],
        "How peers outside the cluster reach the node: a Service of this type for each replica.",
      ),
      "None",
    ),
  }),
);

/** `spec.peers`. */
export const peers = filled(
  object("Whom the node keeps connected.", {
    types: optional(
      list(
        oneOf(nodeTypes, "A type."),
        "Types of this network's nodes that this one connects to. By default core and proxy connect to core, endpoint to proxy.",
        { maxItems: 3, "x-kubernetes-list-type": "set" },
      ),
    ),
    urls: defaulted(
      list(
        text("A node URL.", {
          maxLength: 512,
          pattern: "^kni://[0-9a-fA-F]{128}@[^@\\s/]+:[0-9]{1,5}(\\?\\S*)?$",
        }),
        "Nodes elsewhere.",
        { maxItems: 32 },
      ),
      [],
    ),
    namespaces: defaulted(
      list(
        namespaceName("A namespace."),
        "Other namespaces whose nodes of the same network's name count too, where they name this node's namespace as well.",
        { maxItems: 16, "x-kubernetes-list-type": "set" },
      ),
      [],
    ),
  }),
);
