/** The chain's own contracts. */
import type { Rules } from "../config/rules.ts";
import { recover } from "../crypto/secp256k1.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { validateSigners } from "../model/account-key-signers.ts";
import type { World } from "../state/world/world.ts";
import type { PrecompileWork } from "./precompile.ts";

const ADDRESS = 20;
const HASH = 32;
const SIGNATURE = 65;

/** Writes its input into the log of a node that was asked to; here nobody asks. */
export const vmLog: PrecompileWork = {
  name: "vmLog",
  gas: (input) => 100 + 20 * input.length,
  cost: () => 10,
  run: () => new Uint8Array(0),
};

/** The address of who pays for the transaction, 20 bytes. */
export const feePayer: PrecompileWork = {
  name: "feePayer",
  gas: () => 300,
  cost: () => 10,
  run: (call) => Uint8Array.from(call.feePayer),
};

/** Address, hash, signatures (r, s, v of 0 or 1): one byte, 1 when they satisfy the account's key. */
export const validateSender: PrecompileWork = {
  name: "validateSender",
  gas: (input) => 5000 * Math.floor(input.length / SIGNATURE),
  cost: (input) => 10_000 + 180_000 * Math.floor(input.length / SIGNATURE),
  run: ({ input, world, rules }) => Uint8Array.of(isSignedBySender(input, world, rules) ? 1 : 0),
};

function isSignedBySender(input: Uint8Array, world: World, rules: Rules): boolean {
  const head = ADDRESS + HASH;
  if (input.length < head || (input.length - head) % SIGNATURE !== 0) return false;
  const address = input.subarray(0, ADDRESS);
  const hash = input.subarray(ADDRESS, head);
  const publicKeys: Uint8Array[] = [];
  for (let at = head; at < input.length; at += SIGNATURE) {
    const publicKey = recover(hash, input.subarray(at, at + SIGNATURE));
    if (publicKey === undefined) return false;
    publicKeys.push(publicKey);
  }
  const key = world.account(address)?.key ?? LEGACY_KEY;
  return validateSigners({ key, address, role: "transaction" }, publicKeys, rules);
}
