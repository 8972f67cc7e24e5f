/**
 * JSON schemas of account keys, parameters, configurations, rewards, stakes and votes, as this room and the methods of
 * governance write them. A member with `?` is absent on some chains or in some profiles.
 */
import { forks } from "../config/forks.ts";
import { type GovernanceParameterRow, PARAMETERS } from "../governance/parameter-rows.ts";
import {
  arraySchema,
  type MemberSchemas,
  mapSchema,
  namedSchema,
  nullableSchema,
  plainSchemas,
  recordSchema,
  type Schema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";
import { KEY_TYPES } from "../model/account-key.ts";

const { text, integer, number, boolean } = plainSchemas;
const { address, hash, quantity } = schemaRefs;

/** An account key. The key is empty in types without a body, and a list of keys in the role-based type. */
export const accountKeySchema = namedSchema("accountKey", (self) => {
  const point = recordSchema({ x: quantity, y: quantity });
  const keys = arraySchema(recordSchema({ weight: integer, key: point }));
  const key = {
    anyOf: [recordSchema({}), point, recordSchema({ threshold: integer, keys }), arraySchema(self)],
  };
  return recordSchema({ keyType: integer, key });
});

/** An account key as a caller gives it. Types without a body need no `key`; the keys of roles are of the other types. */
export const accountKeyArgumentSchema = namedSchema("accountKeyArgument", () => {
  const coordinate = { type: "string", pattern: "^0x[0-9a-fA-F]{1,64}$" };
  const point = recordSchema({ x: coordinate, y: coordinate });
  const positive = { type: "integer", minimum: 1 };
  const keys = arraySchema(recordSchema({ weight: positive, key: point }));
  const { nil, legacy, public: ofOne, fail, weightedMultiSig, roleBased } = KEY_TYPES;
  const single = [
    recordSchema({ keyType: { enum: [nil, legacy, fail] }, "key?": nullableSchema(recordSchema({})) }),
    recordSchema({ keyType: { const: ofOne }, key: point }),
    recordSchema({
      keyType: { const: weightedMultiSig },
      key: recordSchema({ threshold: positive, keys }),
    }),
  ];
  const roles = arraySchema({ oneOf: single });
  return { oneOf: [...single, recordSchema({ keyType: { const: roleBased }, key: roles })] };
});

/** Schemas of the kinds of parameters; amounts are decimal texts. */
export const PARAMETER_KINDS: Readonly<Record<GovernanceParameterRow["kind"], Schema>> = {
  integer,
  amount: text,
  address,
  text,
  boolean,
};

/** Parameters by name, all or some of them. */
export const parametersSchema = namedSchema("parameters", () =>
  recordSchema(
    Object.fromEntries([...PARAMETERS].map(([name, { kind }]) => [`${name}?`, PARAMETER_KINDS[kind]])),
  ),
);

/** The value of a vote: that of a parameter, or the addresses of validators. */
export const voteValueSchema = namedSchema("voteValue", () => ({
  anyOf: [{ type: ["string", "integer", "boolean"] }, arraySchema(address)],
}));

/** A vote in a block. */
export const voteSchema = namedSchema("vote", () =>
  recordSchema({ Voter: address, Name: text, Value: voteValueSchema }),
);

const REWARD_CONFIG: MemberSchemas = {
  mintingAmount: integer,
  ratio: text,
  kip82ratio: text,
  useGiniCoeff: boolean,
  deferredTxFee: boolean,
  stakingUpdateInterval: integer,
  proposerUpdateInterval: integer,
  minimumStake: integer,
  "stakingRewardThreshold?": integer,
  "useFlexReward?": boolean,
};

const KIP71_CONFIG: MemberSchemas = {
  lowerboundbasefee: integer,
  upperboundbasefee: integer,
  gastarget: integer,
  maxblockgasusedforbasefee: integer,
  basefeedenominator: integer,
};

/** A chain's configuration. Its registry is as in the genesis, which may have more members. */
export const chainConfigSchema = namedSchema("chainConfig", () =>
  recordSchema({
    chainId: integer,
    ...Object.fromEntries(forks.map(({ configKey }) => [`${configKey}?`, integer])),
    kip103ContractAddress: address,
    "kip160ContractAddress?": address,
    "randaoRegistry?": {
      type: "object",
      properties: { records: mapSchema("address by name", address), owner: address },
    },
    istanbul: recordSchema({ epoch: integer, policy: integer, sub: integer }),
    "blobSchedule?": mapSchema("limits by fork", mapSchema("limit by name", integer)),
    unitPrice: integer,
    deriveShaImpl: integer,
    governance: recordSchema({
      governingNode: address,
      governanceMode: text,
      govParamContract: address,
      reward: recordSchema(REWARD_CONFIG),
      kip71: recordSchema(KIP71_CONFIG),
    }),
    "isBFT?": boolean,
  }),
);

const amounts = mapSchema("peb by address", integer);

/** The reward of a block, in peb. The funds are `kff` and `kcf` on the Klaytn line. */
export const rewardSchema = namedSchema("reward", () =>
  recordSchema({
    minted: integer,
    totalFee: integer,
    burntFee: integer,
    proposer: integer,
    stakers: integer,
    "kif?": integer,
    "kef?": integer,
    "kpf?": integer,
    "kff?": integer,
    "kcf?": integer,
    rewards: amounts,
  }),
);

const time = { type: ["integer", "string"] };

/** Rewards of a range of blocks, in peb. Times are texts on the Klaytn line, and its funds are `KFF` and `KCF`. */
export const accumulatedRewardSchema = namedSchema("accumulatedReward", () =>
  recordSchema({
    firstBlockTime: time,
    lastBlockTime: time,
    firstBlock: integer,
    lastBlock: integer,
    totalMinted: integer,
    totalTxFee: integer,
    totalBurntTxFee: integer,
    totalProposerRewards: integer,
    totalStakingRewards: integer,
    "totalKIFRewards?": integer,
    "totalKEFRewards?": integer,
    "totalKPFRewards?": integer,
    "totalKFFRewards?": integer,
    "totalKCFRewards?": integer,
    rewards: amounts,
  }),
);

const nullableList = (items: Schema): Schema => nullableSchema(arraySchema(items));

/** Staking information, amounts in KAIA. The Klaytn line has no pools and no newer names of the funds. */
export const stakingSchema = namedSchema("stakingInfo", () =>
  recordSchema({
    blockNum: integer,
    councilNodeAddrs: nullableList(address),
    councilStakingAddrs: nullableList(address),
    councilRewardAddrs: nullableList(address),
    councilStakingAmounts: nullableList(integer),
    "kefAddr?": address,
    "kifAddr?": address,
    "kpfAddr?": address,
    "clStakingInfos?": nullableList(
      recordSchema({ clNodeId: address, clPoolAddr: address, clStakingAmount: integer }),
    ),
    KIRAddr: address,
    PoCAddr: address,
    kcfAddr: address,
    kffAddr: address,
    useGini: boolean,
    gini: number,
  }),
);

/** Validators after a block. Only the weighted policy has weights; with Randao it has a `mixHash`, as base64. */
export const validatorSnapshotSchema = namedSchema("validatorSnapshot", () =>
  recordSchema({
    epoch: integer,
    number: integer,
    hash,
    votes: arraySchema(recordSchema({ validator: address, key: text, value: voteValueSchema })),
    tally: arraySchema(recordSchema({ key: text, value: voteValueSchema, votes: integer })),
    validators: arraySchema(address),
    policy: integer,
    subgroupsize: integer,
    rewardAddrs: nullableList(address),
    votingPower: nullableList(integer),
    weight: nullableList(integer),
    proposers: nullableList(address),
    proposersBlockNum: integer,
    demotedValidators: nullableList(address),
    "mixHash?": text,
  }),
);
