/** Schema of a Network's spec: its genesis and defaults for its Nodes. */
import {
  address,
  genesisReference,
  image,
  NAME,
  NAME_SAYS,
  objectName,
  peb,
  publicNetwork,
  resources,
  settings,
} from "./fields.ts";
import { api } from "./node-api.ts";
import { nodeSpec } from "./node-spec.ts";
import { classStays, storage } from "./node-storage.ts";
import { nodeTypes } from "./node-types.ts";
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  sparseMembers,
  text,
  type ValueOf,
  withDefault,
  withMemberDefaults,
  withRules,
} from "./schema.ts";

/** Pattern of the names of Nodes, as in their definition. */
const NODE_NAME = "^[a-z]([-a-z0-9]*[a-z0-9])?$";
const NODE_NAME_SAYS = "a name of lower-case letters, digits and inner hyphens that begins with a letter";

const WHOLE = Number.MAX_SAFE_INTEGER;

/** Proposer policies; the index is the value in the genesis. */
export const proposerPolicies = ["RoundRobin", "Sticky", "WeightedRandom"] as const;

const consensus = withMemberDefaults(
  object("Istanbul BFT.", {
    epoch: withDefault(integer("Epoch length in blocks.", 1, WHOLE), 604_800),
    policy: withDefault(oneOf(proposerPolicies, "Proposer selection policy."), "RoundRobin"),
    committeeSize: withDefault(
      integer("Committee size: the number of validators that agree on a block.", 1, 1_000),
      22,
    ),
  }),
);

const RATIO = "^[0-9]{1,3}/[0-9]{1,3}/[0-9]{1,3}$";

const governance = withMemberDefaults(
  object("Governance parameters and block rewards.", {
    mode: withDefault(
      oneOf(
        ["none", "single", "ballot"],
        "Governance mode: none lets every validator vote alone, single the first validator only, ballot the majority.",
      ),
      "single",
    ),
    unitPrice: withDefault(
      integer("Gas price in peb before the fork with a dynamic base fee.", 0, WHOLE),
      25_000_000_000,
    ),
    mintingAmount: withDefault(peb("Amount minted with each block, in peb."), "9600000000000000000"),
    ratio: withDefault(
      withRules(
        text("Reward ratio in percent: proposer/second fund/third fund.", {
          maxLength: 11,
          pattern: RATIO,
          says: "three shares in percent, such as 34/54/12",
        }),
        {
          rule: `!self.matches(r'${RATIO}') || self.split('/').map(part, int(part)).sum() == 100`,
          message: "shares must add up to 100",
        },
      ),
      "100/0/0",
    ),
    minimumStake: withDefault(integer("Minimum stake of a validator, in KAIA.", 0, WHOLE), 0),
    deferredTxFee: withDefault(flag("Pays transaction fees to the proposer at the end of a block."), true),
    stakingUpdateInterval: withDefault(
      integer("Interval between updates of staking information, in blocks.", 1, WHOLE),
      86_400,
    ),
    proposerUpdateInterval: withDefault(
      integer("Interval between updates of the proposer list, in blocks.", 1, WHOLE),
      3_600,
    ),
  }),
);

/** Forks that a created genesis does not have at block 0, and that can be scheduled later. */
export const laterForks = ["osaka"] as const;

const forks = object("Blocks of forks that begin after block 0. A fork can be added while it lies ahead.", {
  osaka: optional(integer("First block of the Osaka fork.", 1, WHOLE)),
});

const unchanged = ["chainId", "validators", "balances", "consensus", "governance"]
  .map((name) => `self.${name} == oldSelf.${name}`)
  .join(" && ");

const create = withRules(
  object("Creates a genesis in a ConfigMap once all validators have node keys.", {
    chainId: integer("Chain id, which transaction signatures include.", 1, WHOLE),
    validators: list(
      text("Name of a core Node.", { maxLength: 40, pattern: NAME, says: NAME_SAYS }),
      "Core Nodes of this namespace and network that are validators from block 0.",
      { minItems: 1, maxItems: 64, "x-kubernetes-list-type": "set" },
    ),
    balances: withDefault(
      list(
        object("Initial balance of an account.", {
          address: address("Address of the account."),
          peb: peb("Balance in peb, in decimal digits."),
        }),
        "Initial balances.",
        { maxItems: 100 },
      ),
      [],
    ),
    consensus,
    governance,
    forks: optional(forks),
  }),
  { rule: unchanged, message: "a network's genesis cannot be changed, except for forks" },
  ...laterForks.map((fork) => ({
    rule: `!has(oldSelf.forks) || !has(oldSelf.forks.${fork}) || (has(self.forks) && has(self.forks.${fork}) && self.forks.${fork} >= oldSelf.forks.${fork})`,
    message: `the block of ${fork} can only be moved to a later block`,
  })),
);

const genesis = withRules(
  object("Genesis of the network.", {
    configMap: optional(genesisReference),
    create: optional(create),
    public: optional(publicNetwork),
  }),
  {
    rule: "(has(self.configMap) ? 1 : 0) + (has(self.create) ? 1 : 0) + (has(self.public) ? 1 : 0) == 1",
    message: "name one of configMap, create and public",
  },
  ...["configMap", "public"].map((name) => ({
    rule: `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`,
    message: "a network's genesis cannot be changed",
  })),
);

/** Members of a Node's spec for which its Network may have defaults, beside those that are listed below. */
const sharedMembers = [
  "imagePullPolicy",
  "imagePullSecrets",
  "podTemplate",
  "serviceTemplate",
  "terminationGracePeriodSeconds",
  "p2p",
  "storage",
  "bootstrap",
  "scheduling",
  "maintenance",
  "monitoring",
  "networkPolicy",
  "gateway",
] as const;

const defaults = withRules(
  object(
    "Defaults for Nodes of this network. They fill what a Node leaves out or has at its default value; maps merge by key, lists are whole.",
    {
      image: optional(image("Container image of the node.")),
      resources: resources(
        "Resource requests and limits of node containers; each amount is a separate default.",
      ),
      storageClassName: optional(objectName("Deprecated: the former name of storage.storageClassName.")),
      settings: settings("Settings of the node by flag name."),
      api: optional(
        object(
          "JSON-RPC endpoints inside the cluster. Privileged modules have no default.",
          sparseMembers(api, ["http", "ws", "hosts"]),
        ),
      ),
      ...sparseMembers(nodeSpec, sharedMembers),
      storage: optional(
        object(
          "Data volume of each replica. Deletions of volumes have no default.",
          sparseMembers(storage, ["size", "storageClassName", "className", "autoGrow"]),
        ),
      ),
    },
  ),
  classStays("storage.storageClassName", "storageClassName"),
);

/** Maximum number of Nodes in `spec.nodes`: with twice as many the rules of their lists exceed the cost that the API server allows. */
export const MAX_NODES = 32;

const ownNode = object("A Node of the network; other fields are those of a Node's spec.", {
  name: text("Name of the Node.", { maxLength: 40, pattern: NODE_NAME, says: NODE_NAME_SAYS }),
  type: oneOf(nodeTypes, "Node type.", {
    "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "a node's type cannot be changed" }],
  }),
  image: optional(image("Container image of the node.")),
  ...sparseMembers(nodeSpec, [
    ...sharedMembers,
    "replicas",
    "suspend",
    "rewardAddress",
    "api",
    "peers",
    "resources",
    "nodeKeySecret",
    "settings",
    "whenDeleted",
  ]),
});

const ownNodes = optional(
  list(
    ownNode,
    "Nodes that the Network makes in its namespace. One that is removed from the list is deleted as by kubectl delete; its volume and key stay unless its whenDeleted is Delete.",
    { maxItems: MAX_NODES, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
  ),
);

/** `spec` of a Network. */
export const networkSpec = withRules(
  object("Desired state of the network.", {
    networkId: optional(integer("Network id that peers compare; the chain id by default.", 1, WHOLE)),
    genesis,
    nodes: ownNodes,
    defaults: withMemberDefaults(defaults),
  }),
  {
    rule: "has(self.networkId) == has(oldSelf.networkId) && (!has(self.networkId) || self.networkId == oldSelf.networkId)",
    message: "a network's id cannot be changed",
  },
  {
    rule: "!has(self.genesis.public) || !has(self.networkId)",
    message: "a public network has an id of its own",
  },
);

/** Spec of a Network, with its defaults. */
export type NetworkSpec = ValueOf<typeof networkSpec>;

/** Blocks of forks that begin after block 0. */
export type LaterForks = ValueOf<typeof forks>;

/** Parameters of a created genesis. */
export type GenesisParameters = ValueOf<typeof create>;

/** A Node in `spec.nodes`. */
export type OwnNode = ValueOf<typeof ownNode>;
