/** What a Network asks for: block 0, and what its Nodes have in common. */
import { address, genesisMap, image, NAME, objectName, peb, resources, settings } from "./fields.ts";
import { classStays } from "./node-storage.ts";
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
  type ValueOf,
} from "./schema.ts";

const WHOLE = Number.MAX_SAFE_INTEGER;

/** How proposers take turns, by the number that the genesis has for each. */
export const proposerPolicies = ["RoundRobin", "Sticky", "WeightedRandom"] as const;

const consensus = filled(
  object("Istanbul BFT.", {
    epoch: defaulted(integer("Blocks after which votes are counted.", 1, WHOLE), 604_800),
    policy: defaulted(oneOf(proposerPolicies, "How proposers take turns."), "RoundRobin"),
    committeeSize: defaulted(integer("How many validators agree on a block.", 1, 1_000), 22),
  }),
);

const governance = filled(
  object("Who may change parameters, and what blocks are worth.", {
    mode: defaulted(
      oneOf(
        ["none", "single", "ballot"],
        "Every validator for itself, the first validator alone, or by majority.",
      ),
      "single",
    ),
    unitPrice: defaulted(
      integer("The price of gas in peb, where no fork sets it by block.", 0, WHOLE),
      25_000_000_000,
    ),
    mintingAmount: defaulted(peb("What is minted with each block, in peb."), "9600000000000000000"),
    ratio: defaulted(
      ruled(
        text("How rewards are shared: proposer/second fund/third fund, in percent.", {
          maxLength: 11,
          pattern: "^[0-9]{1,3}/[0-9]{1,3}/[0-9]{1,3}$",
        }),
        {
          rule: "self.split('/').map(part, int(part)).sum() == 100",
          message: "shares must add up to 100",
        },
      ),
      "100/0/0",
    ),
    minimumStake: defaulted(integer("What a validator must have staked, in whole coins.", 0, WHOLE), 0),
    deferredTxFee: defaulted(flag("Whether fees are paid at the end of a block."), true),
    stakingUpdateInterval: defaulted(integer("Blocks between two looks at stakes.", 1, WHOLE), 86_400),
    proposerUpdateInterval: defaulted(integer("Blocks between two lists of proposers.", 1, WHOLE), 3_600),
  }),
);

const create = object("Makes block 0, kept in a ConfigMap, when all validators have their keys.", {
  chainId: integer("The chain's number, which signatures carry.", 1, WHOLE),
  validators: list(
    text("A core Node's name.", { maxLength: 40, pattern: NAME }),
    "The core Nodes of this namespace and network that make blocks from the beginning.",
    { minItems: 1, maxItems: 64, "x-kubernetes-list-type": "set" },
  ),
  balances: defaulted(
    list(
      object("What an account owns at the beginning.", {
        address: address("The account."),
        peb: peb("How much, in peb, in decimal digits."),
      }),
      "Accounts that own something at the beginning.",
      { maxItems: 100 },
    ),
    [],
  ),
  consensus,
  governance,
});

const genesis = ruled(
  object("Block 0.", {
    configMap: optional(genesisMap),
    create: optional(create),
  }),
  { rule: "has(self.configMap) != has(self.create)", message: "name either configMap or create" },
  { rule: "self == oldSelf", message: "a network's genesis cannot be changed" },
);

const defaults = ruled(
  object("What its Nodes have when they say nothing themselves.", {
    image: optional(image("The image with knit.")),
    resources: resources("What nodes' containers ask for and may use, an amount at a time."),
    storageClassName: optional(objectName("The StorageClass of volumes.")),
    settings: settings("Settings of knit by flag name."),
  }),
  classStays("storageClassName"),
);

/** `spec` of a Network. */
export const networkSpec = ruled(
  object("What the network is to be.", {
    networkId: optional(integer("The network's number among peers; the chain's id by default.", 1, WHOLE)),
    genesis,
    defaults: filled(defaults),
  }),
  {
    rule: "has(self.networkId) == has(oldSelf.networkId) && (!has(self.networkId) || self.networkId == oldSelf.networkId)",
    message: "a network's id cannot be changed",
  },
);

/** What a Network asks for, defaults filled in. */
export type NetworkSpec = ValueOf<typeof networkSpec>;

/** How block 0 is made. */
export type GenesisTerms = ValueOf<typeof create>;
