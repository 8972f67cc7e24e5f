/** A genesis with many accounts and contracts, whose only validator is that of every made chain. */
import { loneForks } from "../../bench/support/lone-forks.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { makerGenesis, VALIDATOR_KEY } from "./transfer-chain.ts";

/** Slots of each contract. */
export const SLOTS = 100;

/** Its text: accounts with money, and contracts with slots of which no two have the same. */
export function largeGenesis(accounts: number, contracts: number): string {
  const holders = Array.from({ length: accounts }, (_, i) => {
    const { address, balance } = largeHolder(i);
    return [address, { balance }];
  });
  const owners = Array.from({ length: contracts }, (_, i) => {
    const { address, storage } = largeContract(i);
    return [address, { balance: "0x0", code: "0x00", storage }];
  });
  const forks = Object.fromEntries(loneForks.map((key) => [key, 0]));
  return makerGenesis(Object.fromEntries([...holders, ...owners]), forks);
}

/** Flags of a node that makes its blocks. */
export const makerFlags: readonly string[] = [
  "--nodekeyhex",
  toHex(VALIDATOR_KEY).slice(2),
  "--rewardbase",
  toHex(addressOfKey(VALIDATOR_KEY)),
];

/** An account with money by its place, from 0; its balance as nodes write it. */
export function largeHolder(place: number): { readonly address: string; readonly balance: string } {
  return { address: addressOf(`holder ${place}`), balance: `0x${(10n ** 18n + BigInt(place)).toString(16)}` };
}

/** A contract by its place, from 0; its slots as words. */
export function largeContract(place: number): {
  readonly address: string;
  readonly storage: Readonly<Record<string, string>>;
} {
  const first = place * SLOTS + 1;
  const slots = Array.from({ length: SLOTS }, (_, i) => [word(i), word(first + i)]);
  return { address: addressOf(`contract ${place}`), storage: Object.fromEntries(slots) };
}

function addressOf(name: string): string {
  return toHex(keccak256(Buffer.from(name)).subarray(12));
}

function word(value: number): string {
  return toHex(fixedBytes(value, 32));
}
