/** The genesis of a network of our own: its core nodes are the council, and some accounts have money. */
import { concatBytes } from "../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import { developmentKeys } from "../../node/chain/development.ts";
import { forks } from "../../node/config/forks.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";

/** The chain's id, and the network's. */
export const CHAIN_ID = 9001;
/** How many accounts have money; their keys are those of development chains. */
export const FUNDED_ACCOUNTS = 10;
const BALANCE = 10n ** 27n;
/** Of a legacy transaction, in peb. */
export const GAS_PRICE = 750_000_000_000n;

/** Forks from block 0: all but those that need contracts in the genesis. */
const FORKS = forks.filter(
  ({ ordered, changes }) => ordered && changes.randao !== true && changes.blobGas !== true,
);

/** The text of a genesis file; `time` is in seconds since the epoch. */
export function networkGenesis(council: readonly Uint8Array[], time: number): string {
  const accounts = developmentKeys(FUNDED_ACCOUNTS).map((key) => [
    bareHex(addressOfKey(key)),
    { balance: toQuantity(BALANCE) },
  ]);
  const extra = concatBytes(new Uint8Array(32), encodeRlp([[...council], new Uint8Array(0), []]));
  return JSON.stringify({
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries(FORKS.map(({ configKey }) => [configKey, 0])),
      istanbul: { epoch: 604_800, policy: 0, sub: 22 },
      unitPrice: 25_000_000_000,
      deriveShaImpl: 2,
      governance: {
        governanceMode: "none",
        reward: {
          mintingAmount: 9_600_000_000_000_000_000,
          ratio: "100/0/0",
          deferredTxFee: true,
          minimumStake: 0,
        },
      },
    },
    timestamp: toQuantity(time),
    extraData: toHex(extra),
    blockScore: "0x1",
    alloc: Object.fromEntries(accounts),
  });
}
