/** The genesis of a development chain: funded accounts with known keys, this node as the only validator. */

import type { Address } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { type Genesis, parseGenesis } from "../config/genesis.ts";
import { addressOfKey } from "../crypto/secp256k1.ts";
import { DEFAULT_DEVELOPMENT_FORKS, DEVELOPMENT_FORK_NAMES, DEVELOPMENT_FORKS } from "./development-forks.ts";

/** Settings of a development chain. */
export interface DevelopmentOptions {
  /** Address of the node's key. */
  readonly validator: Address;
  /** Private keys of the funded accounts. */
  readonly keys: readonly Uint8Array[];
  readonly chainId: number;
  /** Of each account, in peb. */
  readonly balance: bigint;
  /** Seconds since the epoch. */
  readonly time: number;
  /** The last fork that is active, one of `DEVELOPMENT_FORK_NAMES`; `DEFAULT_DEVELOPMENT_FORKS` are when absent. */
  readonly hardfork?: string | undefined;
}

const VANITY = new Uint8Array(32);
const MINTED_PEB = 9_600_000_000_000_000_000;

/** A chain with every fork that needs no contract, up to `hardfork`. */
export function developmentGenesis(options: DevelopmentOptions): Genesis {
  const { validator, keys, balance, chainId, time, hardfork } = options;
  const active =
    hardfork === undefined
      ? DEFAULT_DEVELOPMENT_FORKS
      : DEVELOPMENT_FORKS.slice(0, DEVELOPMENT_FORK_NAMES.indexOf(hardfork) + 1);
  const alloc = keys.map((key) => [bareHex(addressOfKey(key)), { balance: toQuantity(balance) }]);
  const extra = concatBytes(VANITY, encodeRlp([[validator], new Uint8Array(0), []]));
  return parseGenesis(
    JSON.stringify({
      config: {
        chainId,
        ...Object.fromEntries(active.map(({ configKey }) => [configKey, 0])),
        istanbul: { epoch: 604_800, policy: 0, sub: 22 },
        unitPrice: 25_000_000_000,
        deriveShaImpl: 2,
        governance: {
          governingNode: toHex(validator),
          governanceMode: "single",
          reward: { mintingAmount: MINTED_PEB, ratio: "100/0/0", deferredTxFee: true, minimumStake: 0 },
        },
      },
      timestamp: toQuantity(time),
      extraData: toHex(extra),
      blockScore: "0x1",
      alloc: Object.fromEntries(alloc),
    }),
  );
}
