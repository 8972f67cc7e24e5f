/** Installation of the contract registry (KIP-149) in the state, at the first block with randomness. */
import { concatBytes } from "../bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import type { RegistryConfig } from "../config/registry-config.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { REGISTRY } from "../governance/system-contracts.ts";
import { emptyAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import type { World } from "../state/world/world.ts";
import { REGISTRY_CODE } from "./registry-code.ts";

/** A storage slot and its value. */
export type Slot = readonly [slot: bigint, value: bigint];

/** Slots of the contract's variables: records by name, names, owner. */
const RECORDS = 0n;
const NAMES = 1n;
const OWNER = 2n;
const SHORT = 32;
const WORD_BITS = 256;

/**
 * Sets code and records; other properties of an existing account stay. A new account has nonce 0, though `CREATE` gives
 * 1 (`createObjectWithMap`, `blockchain/state/statedb.go@v2.2.2`).
 */
export function installRegistry(world: World, registry: RegistryConfig | undefined): void {
  if (!world.exists(REGISTRY)) {
    world.setAccount(REGISTRY, { ...emptyAccount(), kind: "contract", key: FAIL_KEY, codeInfo: 0 });
  }
  world.setCode(REGISTRY, REGISTRY_CODE);
  for (const [slot, value] of registrySlots(registry)) world.setSlot(REGISTRY, slot, value);
}

/** Returns the storage with one active record per name, in Solidity's layout. */
export function registrySlots(registry: RegistryConfig | undefined): readonly Slot[] {
  if (registry === undefined) return [];
  const { records, owner } = registry;
  const slots: Slot[] = [];
  for (const [index, { name, address }] of records.entries()) {
    const list = slotOf(concatBytes(Buffer.from(name), word(RECORDS)));
    const first = slotOf(word(list));
    slots.push([list, 1n], [first, bytesToBigint(address)], [wrapSlot(first + 1n), 0n]);
    slots.push(...textSlots(wrapSlot(slotOf(word(NAMES)) + BigInt(index)), Buffer.from(name)));
  }
  return [...slots, [NAMES, BigInt(records.length)], [OWNER, bytesToBigint(owner)]];
}

/** Encodes a string: up to 31 bytes with twice the length in one slot, longer ones in slots of their own. */
function textSlots(slot: bigint, text: Uint8Array): readonly Slot[] {
  if (text.length < SHORT) {
    const bytes = new Uint8Array(SHORT);
    bytes.set(text);
    bytes[SHORT - 1] = text.length * 2;
    return [[slot, bytesToBigint(bytes)]];
  }
  const first = slotOf(word(slot));
  const parts = Array.from({ length: Math.ceil(text.length / SHORT) }, (_, i): Slot => {
    const bytes = new Uint8Array(SHORT);
    bytes.set(text.subarray(i * SHORT, (i + 1) * SHORT));
    return [wrapSlot(first + BigInt(i)), bytesToBigint(bytes)];
  });
  return [[slot, BigInt(text.length * 2 + 1)], ...parts];
}

function slotOf(bytes: Uint8Array): bigint {
  return bytesToBigint(keccak256(bytes));
}

function word(value: bigint): Uint8Array {
  return fixedBytes(value, SHORT);
}

function wrapSlot(slot: bigint): bigint {
  return BigInt.asUintN(WORD_BITS, slot);
}
