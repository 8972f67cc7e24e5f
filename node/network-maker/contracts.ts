/** The protocol's contracts as they are put into block 0: registry (KIP-149), BLS keys (KIP-113), address book. */
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

/** The name of the registry of BLS keys in the registry of contracts. */
export const BLS_REGISTRY_NAME = "KIP113";

/** An account with code. */
export interface Contract {
  readonly address: Uint8Array;
  readonly code: Uint8Array;
  readonly slots: readonly Slot[];
}

/** A validator and what it registers. */
export interface RegisteredValidator {
  readonly address: Uint8Array;
  readonly info: BlsPublicInfo;
}

/** What a node registers whose BLS key follows from its node key. */
export async function registrationOf(address: Uint8Array, key: Uint8Array): Promise<RegisteredValidator> {
  return { address, info: await provePossession(deriveBlsKey(key)) };
}

/** The registry of contracts, with one active record. */
export function registryContract(owner: Uint8Array, blsRegistry: Uint8Array): Contract {
  const records = [{ name: BLS_REGISTRY_NAME, address: blsRegistry }];
  return { address: REGISTRY, code: REGISTRY_CODE, slots: registrySlots({ owner, records }) };
}

/** Where the registry of BLS keys is, and who may change it. */
export interface BlsRegistryTerms {
  readonly proxy: Uint8Array;
  readonly logic: Uint8Array;
  readonly owner: Uint8Array;
}

/** Slots of the contract: whether it is set up, its owner, the nodes and their keys. */
const INITIALIZED = 0n;
const OWNER = 151n;
const NODES = 201n;
const KEYS = 202n;
/** Of the proxy: keccak256("eip1967.proxy.implementation") - 1 (EIP-1967). */
const IMPLEMENTATION = bytesToBigint(keccak256(Buffer.from("eip1967.proxy.implementation"))) - 1n;
/** A contract behind a proxy is never set up itself. */
const NEVER = 255n;

/** The registry of BLS keys behind its proxy. */
export function blsRegistryContracts(
  { proxy, logic, owner }: BlsRegistryTerms,
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
    ...nodes.map(({ address }, i): Slot => [wrapped(first + BigInt(i)), bytesToBigint(address)]),
    ...nodes.flatMap(keySlots),
  ];
  return [
    { address: proxy, code: BLS_REGISTRY_PROXY_CODE, slots },
    { address: logic, code: BLS_REGISTRY_CODE, slots: [[INITIALIZED, NEVER]] },
  ];
}

function keySlots({ address, info: { publicKey, proof } }: RegisteredValidator): readonly Slot[] {
  const record = slotOf(concatBytes(word(bytesToBigint(address)), word(KEYS)));
  return [...bytesSlots(record, publicKey), ...bytesSlots(wrapped(record + 1n), proof)];
}

const WORD_BYTES = 32;

/** Bytes that are longer than a word: twice the length and one, and the words elsewhere. */
function bytesSlots(slot: bigint, bytes: Uint8Array): readonly Slot[] {
  const first = slotOf(word(slot));
  const words = Array.from({ length: Math.ceil(bytes.length / WORD_BYTES) }, (_, i): Slot => {
    const part = new Uint8Array(WORD_BYTES);
    part.set(bytes.subarray(i * WORD_BYTES, (i + 1) * WORD_BYTES));
    return [wrapped(first + BigInt(i)), bytesToBigint(part)];
  });
  return [[slot, BigInt(bytes.length * 2 + 1)], ...words];
}

/** Whom the code of the address book names as the one who may set it up. */
const NAMED_OWNER = "fcd0ea52081a6d0c75ffddb035a91a782f4af027";

/** The address book, for `owner` to set up; `undefined` is whom its code names. */
export function addressBookContract(owner: Uint8Array | undefined): Contract {
  const code =
    owner === undefined ? ADDRESS_BOOK_CODE : ADDRESS_BOOK_CODE.replace(NAMED_OWNER, bareHex(owner));
  return { address: ADDRESS_BOOK, code: fromHex(code), slots: [] };
}

function slotOf(bytes: Uint8Array): bigint {
  return bytesToBigint(keccak256(bytes));
}

function wrapped(slot: bigint): bigint {
  return BigInt.asUintN(256, slot);
}

function word(value: bigint): Uint8Array {
  return fixedBytes(value, WORD_BYTES);
}
