/** A token as contracts of its kind are: balances in a mapping, `transfer(address,uint256)`, a Transfer event. */
import { concatBytes } from "../../node/bytes/compare.ts";
import { fromBareHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";

/** Address of the token in made chains. */
export const TOKEN_ADDRESS: Uint8Array = fromBareHex("00000000000000000000000000000000000a11ce");

/** Assembled by hand. Balances stand at keccak(holder, 0), as a mapping in slot 0 does. */
export const TOKEN_CODE: Uint8Array = fromBareHex(
  [
    "60003560e01c63a9059cbb14601357600080fd", // selector is transfer's, or revert
    "5b336000526040600020", // key of the caller's balance
    "8054602435818111607757", // balance and amount; revert when it is too much
    "90819003909155", // the caller's balance less the amount
    "600435600052604060002080548201905560005260043533", // the recipient's and the amount
    "7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a3", // the event
    "600160005260206000f3", // true
    "5b600080fd",
  ].join(""),
);

const SELECTOR = fromBareHex("a9059cbb");

/** Key of a holder's balance. */
export function tokenSlot(holder: Uint8Array): Uint8Array {
  return keccak256(concatBytes(new Uint8Array(12), holder, new Uint8Array(32)));
}

/** Input of a transfer. */
export function tokenTransfer(to: Uint8Array, amount: number): Uint8Array {
  return concatBytes(SELECTOR, new Uint8Array(12), to, fixedBytes(amount, 32));
}
