/**
 * Kaia's own precompiled contracts: vmLog, feePayer and validateSender (`blockchain/vm/contracts.go@v2.2.2`).
 */
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import type { Rules } from "../config/rules.ts";
import { recoverAnyId } from "../crypto/secp256k1.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { validateSigners } from "../model/account-key-signers.ts";
import type { World } from "../state/world/world.ts";
import type { PrecompileWork } from "./precompile.ts";

const ADDRESS = 20;
const HASH = 32;
const SIGNATURE = 65;

/**
 * vmLog: charges gas and has no output. The Go node can write its input to a log file; this node does not.
 */
export const vmLog: PrecompileWork = {
  name: "vmLog",
  gas: (input) => 100 + 20 * input.length,
  cost: () => 10,
  run: () => new Uint8Array(0),
};

/** feePayer: the output is the 20-byte address of the account that pays the fee. */
export const feePayer: PrecompileWork = {
  name: "feePayer",
  gas: () => 300,
  cost: () => 10,
  run: (call) => Uint8Array.from(call.feePayer),
};

/**
 * validateSender: address, hash and signatures (r, s, recovery id of 0 to 3). The output is one byte, 1 when
 * the signatures satisfy the account's key.
 */
export const validateSender: PrecompileWork = {
  name: "validateSender",
  gas: (input) => 5000 * Math.floor(input.length / SIGNATURE),
  cost: (input) => 10_000 + 180_000 * Math.floor(input.length / SIGNATURE),
  run: ({ input, world, rules }) => Uint8Array.of(isSignedBySender(input, world, rules) ? 1 : 0),
};

function isSignedBySender(input: Uint8Array, world: World, rules: Rules): boolean {
  const head = ADDRESS + HASH;
  if (input.length < head || (input.length - head) % SIGNATURE !== 0) return false;
  const address: Address = input.subarray(0, ADDRESS);
  const hash: Hash = input.subarray(ADDRESS, head);
  const publicKeys: PublicKey[] = [];
  for (let at = head; at < input.length; at += SIGNATURE) {
    const publicKey = recoverAnyId(hash, input.subarray(at, at + SIGNATURE));
    if (publicKey === undefined) return false;
    publicKeys.push(publicKey);
  }
  const key = world.account(address)?.key ?? LEGACY_KEY;
  return validateSigners({ key, address, role: "transaction" }, publicKeys, rules);
}
