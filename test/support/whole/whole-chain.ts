/** The chain of simulated nodes: its genesis and its transactions. */
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import type { Address } from "../../../node/bytes/brands.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import type { Genesis } from "../../../node/config/genesis.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { signTransaction, type Transaction } from "../../../node/model/transaction.ts";
import { councilGenesis } from "../bft/council.ts";

/** Keys of the accounts that have coins. */
export const RICH = DEVELOPMENT_KEYS.slice(0, 3);

/** Number of the chain and of its network, as `councilGenesis` has it. */
export const CHAIN_ID = 9;

/** Returns the genesis of a chain of validators that began some seconds ago. */
export function genesisOf(validators: readonly Address[], nowMs: number): Genesis {
  const balance = { balance: "0xde0b6b3a7640000" };
  return councilGenesis(
    validators.map((address) => ({ address })),
    {
      timestamp: Math.floor(nowMs / 1000 - 10),
      alloc: Object.fromEntries(RICH.map((key) => [bareHex(addressOfKey(key)), balance])),
    },
  );
}

/** Returns a transfer of one of the accounts. */
export function transferOf(key: Uint8Array, nonce: bigint, to: Address): Transaction {
  const draft = {
    code: 0,
    nonce,
    gas: 21_000n,
    gasFeeCap: 1n,
    gasTipCap: 1n,
    value: 1n,
    to,
    input: new Uint8Array(0),
  };
  return signTransaction(draft, BigInt(CHAIN_ID), (digest) => sign(digest, key));
}
