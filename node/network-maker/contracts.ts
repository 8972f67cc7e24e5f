/** System contracts of block 0: registry (KIP-149), BLS registry (KIP-113) and address book. */
import type { Address } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { bareHex, fromHex } from "../bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { ADDRESS_BOOK_CODE } from "../config/presets/kairos-code.ts";
import { deriveBlsKey } from "../crypto/bls-key.ts";
import { type BlsPublicInfo, provePossession } from "../crypto/bls-possession.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { registrySlots, type Slot } from "../execution/registry.ts";
import { REGISTRY_CODE } from "../execution/registry-code.ts";
import { ADDRESS_BOOK, REGISTRY } from "../governance/system-contracts.ts";
import { BLS_REGISTRY_CODE, BLS_REGISTRY_PROXY_CODE } from "./bls-registry-code.ts";

/** Name of the BLS registry in the contract registry. */
export const BLS_REGISTRY_NAME = "KIP113";

/** A contract account of block 0. */
export interface Contract {
  readonly address: Address;
  readonly code: Uint8Array;
  readonly slots: readonly Slot[];
}

/** A validator with its BLS public key and proof of possession. */
export interface RegisteredValidator {
  readonly address: Address;
  readonly info: BlsPublicInfo;
}

/** Returns the registration of a node whose BLS key is derived from its node key. */
export async function registrationOf(address: Address, key: Uint8Array): Promise<RegisteredValidator> {
  return { address, info: await provePossession(deriveBlsKey(key)) };
}

/** Returns the contract registry with one active record. */
export function registryContract(owner: Address, blsRegistry: Address): Contract {
  const records = [{ name: BLS_REGISTRY_NAME, address: blsRegistry }];
  return { address: REGISTRY, code: REGISTRY_CODE, slots: registrySlots({ owner, records }) };
}

/** Addresses and owner of the BLS registry. */
export interface BlsRegistryOptions {
  readonly proxy: Address;
  readonly logic: Address;
  readonly owner: Address;
}

/** Storage slots of the BLS registry: initialisation, owner, nodes and their keys. */
const INITIALIZED = 0n;
const OWNER = 151n;
const NODES = 201n;
const KEYS = 202n;
/** Storage slot of the proxy: keccak256("eip1967.proxy.implementation") - 1 (EIP-1967). */
const IMPLEMENTATION = bytesToBigint(keccak256(Buffer.from("eip1967.proxy.implementation"))) - 1n;
/** Version that disables the initialisation of the implementation behind a proxy. */
const NEVER = 255n;

/** Returns the BLS registry and its proxy. */
export function blsRegistryContracts(
  { proxy, logic, owner }: BlsRegistryOptions,
  validators: readonly RegisteredValidator[],
): readonly Contract[] {
  const nodes = validators.toSorted((a, b) =>
    checksumAddress(a.address) < checksumAddress(b.address) ? 1 : -1,
  );
  const first = slotOf(word(NODES));
  const slots: Slot[] = [
    [INITIALIZED, 1n],
    [OWNER, bytesToBigint(owner)],
    [NODES, BigInt(nodes.length)],
    [IMPLEMENTATION, bytesToBigint(logic)],
    ...nodes.map(({ address }, i): Slot => [wrapSlot(first + BigInt(i)), bytesToBigint(address)]),
    ...nodes.flatMap(keySlots),
  ];
  return [
    { address: proxy, code: BLS_REGISTRY_PROXY_CODE, slots },
    { address: logic, code: BLS_REGISTRY_CODE, slots: [[INITIALIZED, NEVER]] },
  ];
}

function keySlots({ address, info: { publicKey, proof } }: RegisteredValidator): readonly Slot[] {
  const record = slotOf(concatBytes(word(bytesToBigint(address)), word(KEYS)));
  return [...bytesSlots(record, publicKey), ...bytesSlots(wrapSlot(record + 1n), proof)];
}

const WORD_BYTES = 32;

/**
 * Returns the slots of a byte array of more than 31 bytes: the slot has 2 * length + 1, the words are at its
 * hash.
 */
function bytesSlots(slot: bigint, bytes: Uint8Array): readonly Slot[] {
  const first = slotOf(word(slot));
  const words = Array.from({ length: Math.ceil(bytes.length / WORD_BYTES) }, (_, i): Slot => {
    const part = new Uint8Array(WORD_BYTES);
    part.set(bytes.subarray(i * WORD_BYTES, (i + 1) * WORD_BYTES));
    return [wrapSlot(first + BigInt(i)), bytesToBigint(part)];
  });
  return [[slot, BigInt(bytes.length * 2 + 1)], ...words];
}

/** The address in the code of the address book that may initialise it. */
const BUILT_IN_OWNER = "fcd0ea52081a6d0c75ffddb035a91a782f4af027";

/**
 * Returns the address book with `owner` as the account that may initialise it; `undefined` for the one in the
 * code.
 */
export function addressBookContract(owner: Address | undefined): Contract {
  const code =
    owner === undefined ? ADDRESS_BOOK_CODE : ADDRESS_BOOK_CODE.replace(BUILT_IN_OWNER, bareHex(owner));
  return { address: ADDRESS_BOOK, code: fromHex(code), slots: [] };
}

function slotOf(bytes: Uint8Array): bigint {
  return bytesToBigint(keccak256(bytes));
}

function wrapSlot(slot: bigint): bigint {
  return BigInt.asUintN(256, slot);
}

function word(value: bigint): Uint8Array {
  return fixedBytes(value, WORD_BYTES);
}
