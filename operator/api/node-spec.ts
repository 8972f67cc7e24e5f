/** What a Node asks for. Each field is said here once: schema, default, rule, documentation and type. */
import {
  address,
  genesisMap,
  image,
  member,
  NAME,
  namespaceName,
  objectName,
  resources,
  settings,
} from "./fields.ts";
import { api } from "./node-api.ts";
import { maintenance } from "./node-maintenance.ts";
import { p2p, peers } from "./node-peers.ts";
import { scheduling } from "./node-placement.ts";
import { storage } from "./node-storage.ts";
import { nodeTypes } from "./node-types.ts";
import {
  defaulted,
  filled,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  ruled,
  text,
  texts,
  type ValueOf,
} from "./schema.ts";

const genesis = object("Block 0. Absent: that of the Network of this name in this namespace.", {
  configMap: genesisMap,
});

const network = ruled(
  object("The network that the node belongs to. Nodes of one name in one namespace are knitted together.", {
    name: text("The network's name.", { maxLength: 40, pattern: NAME }),
    networkId: optional(
      integer("The network's number among peers; the chain's id by default.", 1, Number.MAX_SAFE_INTEGER),
    ),
    genesis: optional(genesis),
  }),
  { rule: "self == oldSelf", message: "a node's network cannot be changed" },
);

/** Replicas that a Node may have: the last one's number has two digits. */
export const MAX_REPLICAS = 32;

/** `spec` of a Node. */
export const nodeSpec = object(
  "What the node is to be.",
  {
    type: oneOf(nodeTypes, "core makes blocks, proxy passes them on, endpoint serves clients.", {
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "a node's type cannot be changed" }],
    }),
    replicas: defaulted(
      integer("How many there are of it, each with a key and a volume of its own.", 1, MAX_REPLICAS),
      1,
    ),
    suspend: defaulted(flag("Ends all pods; volumes and keys stay."), false),
    image: optional(image("The image with knit; the network's choice when absent, then the operator's.")),
    network,
    rewardAddress: optional(
      address("Who earns the rewards of a core node's blocks; the node's own address by default."),
    ),
    api: filled(api),
    p2p,
    peers,
    storage: filled(storage),
    resources: resources("What the node's container asks for and may use."),
    scheduling,
    nodeKeySecret: optional(
      object("A Secret with the node's private key; made with a random one for each replica when absent.", {
        name: objectName("The Secret's name."),
        key: defaulted(member("The member with the 64 hex digits."), "nodekey"),
        blsKey: optional(
          member("The member with a core node's BLS key; it follows from the node key when absent."),
        ),
      }),
    ),
    settings: settings(
      "Further settings of knit by flag name. Those that the operator makes cannot be replaced.",
    ),
    maintenance: filled(maintenance),
    monitoring: filled(
      object("How the node is watched.", {
        serviceMonitor: defaulted(
          flag("Makes a ServiceMonitor where the cluster has that kind (Prometheus operator)."),
          true,
        ),
        intervalSeconds: defaulted(integer("How often metrics are read.", 5, 3_600), 30),
        labels: defaulted(texts("Labels by which a Prometheus chooses the ServiceMonitor.", 16, 63), {}),
      }),
    ),
    networkPolicy: filled(
      object("Who reaches the node inside the cluster. The gateway is the operator's alone in any case.", {
        clients: defaulted(
          list(
            namespaceName("A namespace."),
            "Namespaces whose pods reach JSON-RPC and metrics; everybody when empty.",
            { maxItems: 32, "x-kubernetes-list-type": "set" },
          ),
          [],
        ),
      }),
    ),
    gateway: filled(
      object("The sidecar through which the operator talks to the node.", {
        image: optional(
          image(
            "Its image. Absent: the operator's own, which changes when the pod is made anew for another reason.",
          ),
        ),
        resources: resources("What it asks for and may use; small amounts when absent."),
      }),
    ),
    whenDeleted: defaulted(
      oneOf(
        ["Retain", "Delete"],
        "What becomes of the volumes and of node keys made here when the Node is deleted.",
      ),
      "Retain",
    ),
  },
  [
    { rule: "self.type != 'core' || self.replicas == 1", message: "a core node has one replica" },
    {
      rule: "!has(self.nodeKeySecret) || self.replicas == 1",
      message: "a named node key is for one replica",
    },
    {
      rule: "!has(self.rewardAddress) || self.type == 'core'",
      message: "only a core node earns rewards",
    },
  ],
);

/** What a Node asks for, defaults filled in. */
export type NodeSpec = ValueOf<typeof nodeSpec>;
