/** Schema of a Network's spec: its genesis and defaults for its Nodes. */
import {
  address,
  genesisReference,
  image,
  NAME,
  NAME_SAYS,
  objectName,
  peb,
  resources,
  settings,
} from "./fields.ts";
import { classStays } from "./node-storage.ts";
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
  withDefault,
  withMemberDefaults,
  withRules,
} from "./schema.ts";

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
  }),
  { rule: "has(self.configMap) != has(self.create)", message: "name either configMap or create" },
  {
    rule: "has(self.configMap) == has(oldSelf.configMap) && (!has(self.configMap) || self.configMap == oldSelf.configMap)",
    message: "a network's genesis cannot be changed",
  },
);

const defaults = withRules(
  object("Defaults for Nodes of this network.", {
    image: optional(image("Container image of the node.")),
    resources: resources(
      "Resource requests and limits of node containers; each amount is a separate default.",
    ),
    storageClassName: optional(objectName("StorageClass of volumes.")),
    settings: settings("Settings of the node by flag name."),
  }),
  classStays("storageClassName"),
);

/** `spec` of a Network. */
export const networkSpec = withRules(
  object("Desired state of the network.", {
    networkId: optional(integer("Network id that peers compare; the chain id by default.", 1, WHOLE)),
    genesis,
    defaults: withMemberDefaults(defaults),
  }),
  {
    rule: "has(self.networkId) == has(oldSelf.networkId) && (!has(self.networkId) || self.networkId == oldSelf.networkId)",
    message: "a network's id cannot be changed",
  },
);

/** Spec of a Network with defaults withMemberDefaults in. */
export type NetworkSpec = ValueOf<typeof networkSpec>;

/** Blocks of forks that begin after block 0. */
export type LaterForks = ValueOf<typeof forks>;

/** Parameters of a created genesis. */
export type GenesisParameters = ValueOf<typeof create>;
