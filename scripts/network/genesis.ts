/** The genesis of a network of our own: its core nodes are the council, and some accounts have money. */

import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { DEFAULT_KIP71 } from "../../node/config/chain-config.ts";
import { forks } from "../../node/config/forks.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { type GenesisAccounts, genesisFile } from "../../node/network-maker/genesis-file.ts";
import { PLAIN_REWARD } from "../../node/network-maker/genesis-kinds.ts";
import type { GenesisOptions } from "../../node/network-maker/genesis-options.ts";

/** The chain's id, and the network's. */
export const CHAIN_ID = 9001;
/** Of a legacy transaction, in peb. */
export const GAS_PRICE = 750_000_000_000n;

/** Selection of proposers and committees; what is left out is as in `TERMS`. */
export interface ConsensusChoice {
  /** `istanbul.policy`: 0 round robin, 1 sticky, 2 weighted random. */
  readonly policy?: number;
  /** `istanbul.sub`. */
  readonly committeeSize?: number;
  /** All forks are active from block 0, with the contracts that Randao needs; otherwise all but Randao and Osaka. */
  readonly randao?: boolean;
}

const ORDERED_FORKS = forks.filter(({ ordered }) => ordered);
/** The forks that need no contracts in the genesis. */
const PLAIN_FORKS = ORDERED_FORKS.filter(
  ({ changes }) => changes.randao !== true && changes.blobGas !== true,
);

const NOBODY = new Uint8Array(20);

const TERMS: Omit<GenesisOptions, "time"> = {
  kind: "plain",
  chainId: BigInt(CHAIN_ID),
  unitPrice: 25_000_000_000n,
  deriveShaImpl: 2,
  forks: fromBlock0(PLAIN_FORKS),
  istanbul: { epoch: 604_800, policy: 0, sub: 22 },
  governance: {
    mode: "none",
    governingNode: undefined,
    parameterContract: NOBODY,
    reward: { ...PLAIN_REWARD, deferredTxFee: true, minimumStake: 0n },
    baseFee: {
      lowerBound: DEFAULT_KIP71.lowerBoundBaseFee,
      upperBound: DEFAULT_KIP71.upperBoundBaseFee,
      gasTarget: DEFAULT_KIP71.gasTarget,
      blockGasLimit: DEFAULT_KIP71.maxBlockGasUsedForBaseFee,
      denominator: DEFAULT_KIP71.baseFeeDenominator,
    },
  },
  kip103Contract: NOBODY,
  kip160Contract: NOBODY,
  blsProxy: fixedBytes(0x402, 20),
  blsLogic: fixedBytes(0x403, 20),
  funded: [],
  addressBookOwner: undefined,
};

/** The text of a genesis file; `time` is in seconds since the epoch. */
export function networkGenesis(
  council: GenesisAccounts["validators"],
  time: number,
  { policy, committeeSize, randao = false }: ConsensusChoice = {},
): Promise<string> {
  // the accounts of development chains
  const testAccounts = DEVELOPMENT_KEYS.map(addressOfKey);
  const { istanbul } = TERMS;
  const terms = {
    ...TERMS,
    time,
    istanbul: { ...istanbul, policy: policy ?? istanbul.policy, sub: committeeSize ?? istanbul.sub },
    forks: fromBlock0(randao ? ORDERED_FORKS : PLAIN_FORKS),
  };
  return genesisFile(terms, { validators: council, testAccounts });
}

function fromBlock0(active: typeof forks): GenesisOptions["forks"] {
  return new Map(active.map(({ configKey }) => [configKey, 0]));
}
