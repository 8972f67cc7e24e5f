/** Mixed-case addresses (EIP-55). */
import type { Address } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { keccak256 } from "./keccak.ts";

/** Returns an address in mixed case. */
export function checksumAddress(address: Address): string {
  const digits = bareHex(address);
  const hash = bareHex(keccak256(Buffer.from(digits, "latin1")));
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charAt(i);
    text += hash.charAt(i) >= "8" ? digit.toUpperCase() : digit;
  }
  return text;
}
