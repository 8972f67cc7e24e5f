/** Schemas of `spec.p2p` and `spec.peers`. */
import { namespaceName, port } from "./fields.ts";
import { nodeTypes } from "./node-types.ts";
import { integer, list, object, oneOf, optional, text, withDefault, withMemberDefaults } from "./schema.ts";

/** `spec.p2p`. */
export const p2p = withMemberDefaults(
  object("Peer-to-peer networking.", {
    port: withDefault(port("Port for peers."), 32_323),
    maxPeers: withDefault(integer("Maximum number of peers.", 1, 1_000), 50),
    external: withDefault(
      oneOf(
        ["None", "NodePort", "LoadBalancer", "HostPort"],
        "Access for peers outside the cluster: a Service of this type for each replica, or the port of the replica's machine (HostPort); None for no access.",
      ),
      "None",
    ),
    externalAddress: optional(
      text("Address under which peers outside the cluster reach the node; discovery announces it.", {
        maxLength: 45,
        pattern: "^[0-9a-fA-F.:]+$",
        says: "an address such as 203.0.113.7",
      }),
    ),
  }),
);

/** `spec.peers`. */
export const peers = withMemberDefaults(
  object("Peers to which the node stays connected.", {
    types: optional(
      list(
        oneOf(nodeTypes, "A node type."),
        "Types of nodes of this network to connect to. By default core and proxy connect to core, endpoint connects to proxy.",
        { maxItems: 3, "x-kubernetes-list-type": "set" },
      ),
    ),
    urls: withDefault(
      list(
        text("A node URL.", {
          maxLength: 512,
          pattern:
            "^kni://[0-9a-fA-F]{128}@(\\[[0-9a-fA-F:.]+\\]|[0-9A-Za-z.-]+):[0-9]{1,5}(\\?(discport|subport|ntype)=[0-9a-z]{1,5}(&(discport|subport|ntype)=[0-9a-z]{1,5})*)?$",
          says: "a node URL: kni://, 128 hex digits, @HOST:PORT",
        }),
        "URLs of further peers, such as nodes outside the cluster.",
        { maxItems: 32 },
      ),
      [],
    ),
    namespaces: withDefault(
      list(
        namespaceName("A namespace."),
        "Other namespaces with nodes of the same network name. They are peers if their Nodes list this namespace, too.",
        { maxItems: 16, "x-kubernetes-list-type": "set" },
      ),
      [],
    ),
  }),
);
