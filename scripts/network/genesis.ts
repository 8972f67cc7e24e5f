/** The genesis of a network of our own: its core nodes are the council, and some accounts have money. */
import { developmentKeys } from "../../node/chain/development.ts";
import { DEFAULT_KIP71 } from "../../node/config/chain-config.ts";
import { forks } from "../../node/config/forks.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { genesisFile, type Inhabitants } from "../../node/network-maker/genesis-file.ts";
import { PLAIN_REWARD } from "../../node/network-maker/genesis-kinds.ts";
import type { GenesisTerms } from "../../node/network-maker/terms.ts";

/** The chain's id, and the network's. */
export const CHAIN_ID = 9001;
/** How many accounts have money; their keys are those of development chains. */
export const FUNDED_ACCOUNTS = 10;
/** Of a legacy transaction, in peb. */
export const GAS_PRICE = 750_000_000_000n;

/** Forks from block 0: all but those that need contracts in the genesis. */
const FORKS = forks.filter(
  ({ ordered, changes }) => ordered && changes.randao !== true && changes.blobGas !== true,
);

const NOBODY = new Uint8Array(20);

const TERMS: Omit<GenesisTerms, "time"> = {
  kind: "plain",
  chainId: BigInt(CHAIN_ID),
  unitPrice: 25_000_000_000n,
  deriveShaImpl: 2,
  forks: new Map(FORKS.map(({ configKey }) => [configKey, 0])),
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
  blsProxy: NOBODY,
  blsLogic: NOBODY,
  funded: [],
  addressBookOwner: undefined,
};

/** The text of a genesis file; `time` is in seconds since the epoch. */
export function networkGenesis(council: Inhabitants["validators"], time: number): Promise<string> {
  const testAccounts = developmentKeys(FUNDED_ACCOUNTS).map(addressOfKey);
  return genesisFile({ ...TERMS, time }, { validators: council, testAccounts });
}
