/** What a Node asks for. Each field is said here once: schema, default, rule, documentation and type. */
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

/** What a node is in its network. */
export const nodeTypes = ["core", "proxy", "endpoint"] as const;

/** Modules that change a node or use its keys; they are served on a cluster port only when it is asked for. */
export const privilegedModules = ["admin", "personal", "debug"] as const;

const NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
const OBJECT_NAME = "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$";
const KEY = "^[-._a-zA-Z0-9]+$";
const MODULES = ["chain", "eth", "klay", "kaia", "net", "rpc", "txpool", "web3"] as const;
const DEFAULT_MODULES = ["chain", "eth", "kaia", "klay", "net", "rpc", "web3"] as const;

const port = (description: string) => integer(description, 1024, 65_535);

const moduleName = oneOf([...MODULES, ...privilegedModules], "A module of methods.");

const modules = list(moduleName, "The modules that are served.", {
  maxItems: 16,
  "x-kubernetes-list-type": "set",
});

const quantity = (description: string) =>
  ruled(text(description, { maxLength: 32 }), {
    rule: "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
    message: "must be a quantity above 0, such as 10Gi",
  });

const genesis = object(
  "Block 0. Absent: the genesis that a core node of this network makes in this namespace.",
  {
    configMap: optional(
      object("A ConfigMap with the genesis file.", {
        name: text("The ConfigMap's name.", { maxLength: 253, pattern: OBJECT_NAME }),
        key: defaulted(text("The member that holds it.", { maxLength: 253, pattern: KEY }), "genesis.json"),
      }),
    ),
    create: optional(
      object("Makes a chain of its own with this core node as the validator, kept in a ConfigMap.", {
        chainId: integer("The chain's number, which signatures carry.", 1, Number.MAX_SAFE_INTEGER),
        balances: defaulted(
          list(
            object("What an account owns at the beginning.", {
              address: text("The account.", { maxLength: 42, pattern: "^0x[0-9a-fA-F]{40}$" }),
              peb: text("How much, in peb, in decimal digits.", { maxLength: 60, pattern: "^[0-9]{1,60}$" }),
            }),
            "Accounts that own something at the beginning.",
            { maxItems: 100 },
          ),
          [],
        ),
      }),
    ),
  },
  [{ rule: "has(self.configMap) != has(self.create)", message: "name either configMap or create" }],
);

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

const api = object(
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
      flag("Allows admin, personal and debug on the cluster's network. Whoever reaches the port has them."),
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

const storage = ruled(
  object("The volume with the chain.", {
    size: defaulted(quantity("Its size; it can grow when the class allows it."), "10Gi"),
    className: optional(
      text("Its StorageClass; the cluster's default when absent.", { maxLength: 253, pattern: OBJECT_NAME }),
    ),
  }),
  {
    rule: "quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0",
    message: "a volume cannot shrink",
  },
  {
    rule: "has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",
    message: "a volume's class cannot be changed",
  },
);

const amounts = (description: string) =>
  filled(
    object(description, {
      cpu: optional(quantity("Processors.")),
      memory: optional(quantity("Memory.")),
    }),
  );

/** `spec` of a Node. */
export const nodeSpec = object(
  "What the node is to be.",
  {
    type: oneOf(nodeTypes, "core makes blocks, proxy passes them on, endpoint serves clients.", {
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "a node's type cannot be changed" }],
    }),
    image: optional(
      text("The image with knit; the operator's choice when absent.", {
        minLength: 1,
        maxLength: 512,
        pattern: "^[^\\s]+$",
      }),
    ),
    network,
    api: filled(api),
    p2p: filled(
      object("The node among its peers.", {
        port: defaulted(port("The port for peers."), 32_323),
        maxPeers: defaulted(integer("Peers at a time.", 1, 1_000), 50),
      }),
    ),
    peers: filled(
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
      }),
    ),
    storage: filled(storage),
    resources: filled(
      object("What the node's container asks for and may use.", {
        requests: amounts("At least."),
        limits: amounts("At most."),
      }),
    ),
    nodeKeySecret: optional(
      object("A Secret with the node's private key; made with a random one when absent.", {
        name: text("The Secret's name.", { maxLength: 253, pattern: OBJECT_NAME }),
        key: defaulted(
          text("The member with the 64 hex digits.", { maxLength: 253, pattern: KEY }),
          "nodekey",
        ),
      }),
    ),
    settings: defaulted(
      texts(
        "Further settings of knit by flag name. Those that the operator makes cannot be replaced.",
        64,
        1_024,
      ),
      {},
    ),
    whenDeleted: defaulted(
      oneOf(
        ["Retain", "Delete"],
        "What becomes of the volume and of a node key made here when the Node is deleted.",
      ),
      "Retain",
    ),
  },
  [
    {
      rule: "!has(self.network.genesis) || !has(self.network.genesis.create) || self.type == 'core'",
      message: "only a core node can create a chain",
    },
  ],
);

/** What a Node asks for, defaults filled in. */
export type NodeSpec = ValueOf<typeof nodeSpec>;

/** What a node is in its network. */
export type NodeType = NodeSpec["type"];
